import pytest

from ringup.errors import InputError, TemplateError
from ringup.source import Source
from ringup.templating import Templar, VaultKeys, decrypt, encrypt, password_files
from ringup.templating.vault import vault_id
from ringup.yamlfile import load_yaml, load_yaml_text


def keys(*passwords):
    return VaultKeys(lambda label: passwords)


def test_what_is_encrypted_comes_back():
    vaulted = encrypt("secret ü\n", "sesame", vault_id="rack")
    assert vaulted.startswith("$ANSIBLE_VAULT;1.2;AES256;rack\n")
    assert max(map(len, vaulted.splitlines())) <= 80
    assert vault_id(vaulted) == "rack"
    assert decrypt(vaulted, ["wrong", "sesame"]) == "secret ü\n"
    assert encrypt("a", "p", salt=b"s" * 32) == encrypt("a", "p", salt=b"s" * 32)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (encrypt("a", "other", vault_id="rack"), "no vault password fits for the vault id 'rack'"),
        ("$ANSIBLE_VAULT;1.1;AES256\n6162zz\n", "damaged"),
        ("$ANSIBLE_VAULT;1.0;AES\n6162\n", r"format 1\.0 with AES is not supported"),
        ("plain", "not vaulted"),
    ],
)
def test_a_vaulted_text_that_cannot_be_opened_says_why(text, message):
    with pytest.raises(TemplateError, match=message) as caught:
        decrypt(text, ["sesame"])
    assert caught.value.hint


def test_a_vaulted_value_is_decrypted_only_when_it_is_used():
    asked = []

    def passwords(label):
        asked.append(label)
        return ["sesame"]

    body = "".join(f"  {line}\n" for line in encrypt("s3cret-{{ n }}", "sesame").splitlines())
    variables = {**load_yaml_text(f"password: !vault |\n{body}", "vars.yaml"), "n": 1, "line": "pw={{ password }}"}
    templar = Templar(variables, vault=VaultKeys(passwords))
    assert templar.render("{{ n }}") == 1
    assert asked == []
    assert templar.render("{{ line }}") == "pw=s3cret-1"
    assert templar.render({"x": variables["password"]}) == {"x": "s3cret-1"}
    assert templar.evaluate("password is defined")
    assert len(asked) == 1


def test_a_vaulted_value_without_a_password_names_its_place():
    variables = load_yaml_text("a: 1\npw: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\n", "vars.yaml")
    with pytest.raises(TemplateError, match="vaulted value is needed") as caught:
        Templar(variables).render("{{ pw }}")
    assert caught.value.where == Source("vars.yaml", 2, 5)


def test_a_vaulted_file_is_read_as_its_plain_text(tmp_path):
    path = tmp_path / "secrets.yaml"
    path.write_text(encrypt("a: 1\n", "sesame"))
    assert load_yaml(path, decrypt=keys("sesame").text) == {"a": 1}
    assert Templar({}, [tmp_path], vault=keys("sesame")).render("{{ lookup('file', 'secrets.yaml') }}") == "a: 1"
    assert Templar({}, [tmp_path], vault=keys("sesame")).render("{{ lookup('unvault', 'secrets.yaml') }}") == "a: 1\n"


def test_passwords_come_from_files_and_programs_in_the_order_of_the_id(tmp_path):
    (tmp_path / "plain").write_text("first\n")
    (tmp_path / "program").write_text("#!/bin/sh\necho second\n")
    (tmp_path / "program").chmod(0o755)
    passwords = password_files([tmp_path / "plain", f"rack@{tmp_path}/program"])
    assert list(passwords(None)) == ["first", "second"]
    assert list(passwords("rack")) == ["second", "first"]
    (tmp_path / "plain").unlink()
    assert list(passwords(None)) == ["first", "second"]
    with pytest.raises(InputError, match="no such file"):
        password_files([tmp_path / "gone"])(None)
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="is empty"):
        password_files([tmp_path / "empty"])(None)


def test_content_is_given_as_bytes_too():
    made = encrypt("x", "sesame", salt=b"s" * 32)
    assert keys("sesame").content(made) == b"x"
    assert keys("sesame").text(made) == "x"


def test_the_vault_filters_undo_each_other():
    templar = Templar({"pw": "sesame"})
    assert templar.render("{{ 'text' | vault(pw) | unvault(pw) }}") == "text"
    assert templar.render("{{ 'text' | unvault(pw) }}") == "text"
    assert templar.evaluate("('text' | vault(pw)) is vault_encrypted")
