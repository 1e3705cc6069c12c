"""ansible-vault's format: text encrypted by a password, readable and writable by both programs.

A vaulted text is a header `$ANSIBLE_VAULT;1.1;AES256` (1.2 adds an id) and, in hexadecimal over lines of 80 characters, three
hexadecimal lines: salt, HMAC-SHA256, ciphertext. Key material is PBKDF2-HMAC-SHA256 of the password, 10,000 rounds, 80 bytes:
32 for AES-256-CTR, 32 for the HMAC, 16 for the counter. Source: Ansible's user guide, "Ansible Vault", section on the format.
"""

from __future__ import annotations

import binascii
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

from ringup.errors import InputError, TemplateError
from ringup.source import Source
from ringup.yamlfile import read_text

HEADER = "$ANSIBLE_VAULT;"
CIPHER = "AES256"
ROUNDS = 10_000
LINE = 80

#: Gives the passwords to try for a vault id (None: the text names none), best first. May ask the operator.
PasswordProvider = Callable[[str | None], Sequence[str]]


class VaultKeys:
    """The passwords of a run, and what was decrypted by them so far.

    Args:
        passwords: asked when a vaulted value is first needed, not before.
    """

    def __init__(self, passwords: PasswordProvider) -> None:
        self._passwords = passwords
        self._opened: dict[str, bytes] = {}

    def text(self, ciphertext: str, source: Source | None = None) -> str:
        """The plain text.

        Raises:
            TemplateError: no password fits, it is no vaulted text, or what it holds is no text.
        """
        return _as_text(self.content(ciphertext, source), source)

    def content(self, ciphertext: str, source: Source | None = None) -> bytes:
        """The plain content, for files that need not be text.

        Raises:
            TemplateError: no password fits, or it is no vaulted text.
        """
        known = self._opened.get(ciphertext)
        if known is not None:
            return known
        label = vault_id(ciphertext)
        passwords = list(self._passwords(label))
        if not passwords:
            raise TemplateError("a vault password is needed and none is given", where=source, hint="give --vault-password-file")
        try:
            opened = decrypt_content(ciphertext, passwords)
        except TemplateError as error:
            error.where = source
            raise
        self._opened[ciphertext] = opened
        return opened


def password_files(names: Sequence[str | Path]) -> PasswordProvider:
    """Passwords from files: the first line of a text, or what a program prints. `rack@file` is for the vault id rack.

    Files are read when a password is first needed.
    """
    read: dict[str, str] = {}

    def passwords(label: str | None) -> list[str]:
        named = [(parts[0] or None, parts[2]) for parts in (str(name).rpartition("@") for name in names)]
        # the id of a text is a hint, as in Ansible: passwords for it are tried first, the others after
        ordered = sorted(named, key=lambda pair: pair[0] != label)
        for _, path in ordered:
            if path not in read:
                read[path] = _password_in(Path(path).expanduser())
        return [read[path] for _, path in ordered]

    return passwords


def _password_in(path: Path) -> str:
    if os.access(path, os.X_OK) and path.is_file():
        done = subprocess.run([str(path.absolute())], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise InputError(f"the program for the vault password ended with {done.returncode}", where=str(path), hint="run it by hand")
        password = done.stdout.decode().strip()
    else:
        password = read_text(path).strip()
    if not password:
        raise InputError("the vault password is empty", where=str(path), hint="write it into the first line of the file")
    return password


def vault_id(ciphertext: str) -> str | None:
    """The id in a 1.2 header."""
    fields = ciphertext.split("\n", 1)[0].strip().split(";")
    return fields[3] if len(fields) > 3 and fields[3] else None


def decrypt(ciphertext: str, passwords: Sequence[str]) -> str:
    """The text, by the first password that fits.

    Raises:
        TemplateError: the text is damaged, in another cipher, not UTF-8, or no password fits.
    """
    return _as_text(decrypt_content(ciphertext, passwords))


def decrypt_content(ciphertext: str, passwords: Sequence[str]) -> bytes:
    """The content, by the first password that fits.

    Raises:
        TemplateError: the text is damaged, in another cipher, or no password fits.
    """
    salt, signature, content = _parts(ciphertext)
    for password in passwords:
        cipher_key, hmac_key, counter = _keys(password, salt)
        check = hmac.HMAC(hmac_key, hashes.SHA256())
        check.update(content)
        try:
            check.verify(signature)
        except InvalidSignature:
            continue
        decryptor = Cipher(algorithms.AES(cipher_key), modes.CTR(counter)).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(content) + decryptor.finalize()) + unpadder.finalize()
    label = vault_id(ciphertext)
    named = f" for the vault id '{label}'" if label else ""
    raise TemplateError(f"no vault password fits{named}", hint=f"{len(passwords)} tried; check --vault-password-file")


def encrypt(text: str, password: str, *, vault_id: str | None = None, salt: bytes | None = None) -> str:
    """The vaulted text, ending in a newline. `salt` (32 random bytes when left out) makes the answer repeatable."""
    salt = salt or os.urandom(32)
    cipher_key, hmac_key, counter = _keys(password, salt)
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(cipher_key), modes.CTR(counter)).encryptor()
    content = encryptor.update(padder.update(text.encode()) + padder.finalize()) + encryptor.finalize()
    signature = hmac.HMAC(hmac_key, hashes.SHA256())
    signature.update(content)
    inner = b"\n".join(map(binascii.hexlify, (salt, signature.finalize(), content)))
    body = binascii.hexlify(inner).decode()
    header = f"{HEADER}1.2;{CIPHER};{vault_id}" if vault_id else f"{HEADER}1.1;{CIPHER}"
    return "\n".join([header, *(body[start : start + LINE] for start in range(0, len(body), LINE)), ""])


def _parts(ciphertext: str) -> tuple[bytes, bytes, bytes]:
    header, _, body = ciphertext.strip().partition("\n")
    fields = header.strip().split(";")
    if not header.startswith(HEADER) or len(fields) < 3:
        raise TemplateError("the text is not vaulted", hint=f"a vaulted text begins with {HEADER}")
    if fields[1] not in ("1.1", "1.2") or fields[2] != CIPHER:
        raise TemplateError(
            f"vault format {fields[1]} with {fields[2]} is not supported", hint="make it again by ansible-vault 2.1 or later"
        )
    try:
        salt, signature, content = (binascii.unhexlify(part) for part in binascii.unhexlify("".join(body.split())).split(b"\n", 2))
    except ValueError:
        raise TemplateError("the vaulted text is damaged", hint="take it from the last good version of the file") from None
    return salt, signature, content


def _as_text(content: bytes, source: Source | None = None) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        hint = "put binary files on hosts with copy, which decrypts them"
        raise TemplateError("the vaulted content is no text in UTF-8", where=source, hint=hint) from None


def _keys(password: str, salt: bytes) -> tuple[bytes, bytes, bytes]:
    derived = PBKDF2HMAC(algorithm=hashes.SHA256(), length=80, salt=salt, iterations=ROUNDS).derive(password.encode())
    return derived[:32], derived[32:64], derived[64:]
