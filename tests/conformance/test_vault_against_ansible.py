"""Vaulted texts of ansible-core are read here, and ours there."""

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ringup.templating import decrypt, encrypt

TEXTS = ["x", "a: 1\nb: [ü, 💾]\n", "0123456789abcdef" * 300, "sixteen bytes ok"]


@pytest.mark.parametrize("label", [None, "rack"])
@pytest.mark.parametrize("text", TEXTS)
def test_ansible_reads_what_we_encrypt(text, label):
    vault = VaultLib([(label or "default", VaultSecret(b"sesame"))])
    assert vault.decrypt(encrypt(text, "sesame", vault_id=label)).decode() == text


@pytest.mark.parametrize("label", [None, "rack"])
@pytest.mark.parametrize("text", TEXTS)
def test_we_read_what_ansible_encrypts(text, label):
    made = VaultLib().encrypt(text, VaultSecret(b"sesame"), vault_id=label).decode()
    assert decrypt(made, ["sesame"]) == text


def test_both_make_the_same_of_the_same_salt():
    made = VaultLib().encrypt("text", VaultSecret(b"sesame"), salt="s" * 32).decode()
    assert encrypt("text", "sesame", salt=b"s" * 32) == made
