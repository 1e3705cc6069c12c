"""Base64, hashes, password hashes, UUIDs."""

from __future__ import annotations

import base64
import ctypes
import ctypes.util
import hashlib
import secrets
import string
import threading
import uuid
from collections.abc import Callable
from typing import Any

import bcrypt
from jinja2.utils import pass_context

from ringup.errors import TemplateError

#: The namespace in which Ansible makes its version 5 UUIDs; other than this one the filter's answers would differ from Ansible's.
UUID_NAMESPACE = uuid.UUID("361E6D51-FAEC-444A-9079-341386DA8E2E")
SALT_LETTERS = string.ascii_letters + string.digits + "./"
#: name -> prefix of the hash, length of its salt; crypt(5)
CRYPTS = {"md5": ("1", 8), "sha256": ("5", 16), "sha512": ("6", 16)}
ALIASES = {"md5_crypt": "md5", "sha256_crypt": "sha256", "sha512_crypt": "sha512", "bcrypt": "blowfish"}
_crypt_lock = threading.Lock()


def b64encode(value: Any, encoding: str = "utf-8", urlsafe: bool = False) -> str:
    content = value if isinstance(value, bytes) else str(value).encode(encoding)
    return (base64.urlsafe_b64encode if urlsafe else base64.b64encode)(content).decode()


def b64decode(value: Any, encoding: str = "utf-8", urlsafe: bool = False) -> str:
    content = value if isinstance(value, bytes) else str(value).encode()
    try:
        return (base64.urlsafe_b64decode if urlsafe else base64.b64decode)(content).decode(encoding)
    except ValueError as error:
        raise TemplateError(f"b64decode: {error}", hint="check that the value is base64 of text") from None


def hashed(value: Any, hashtype: str = "sha1") -> str:
    content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    try:
        return hashlib.new(hashtype, content).hexdigest()
    except ValueError:
        known = ", ".join(sorted(hashlib.algorithms_guaranteed))
        raise TemplateError(f"hash: the type '{hashtype}' is not known", hint=f"one of {known}") from None


@pass_context
def password_hash(
    context: Any,
    password: Any,
    hashtype: str = "sha512",
    salt: str | None = None,
    salt_size: int | None = None,
    rounds: int | None = None,
    ident: str | None = None,
) -> str:
    """A password as /etc/shadow holds it. Without a salt it differs each time, so a task that uses it reports a change each time."""
    kind = ALIASES.get(hashtype, hashtype)
    if kind == "blowfish":
        prefix = b"2b" if ident is None else ident.encode()
        seed = bcrypt.gensalt(rounds or 12, b"2b") if salt is None else b"$2b$%02d$%s" % (rounds or 12, salt.encode())
        return bcrypt.hashpw(str(password).encode(), seed).replace(b"$2b$", b"$" + prefix + b"$", 1).decode()
    if kind not in CRYPTS:
        raise TemplateError(f"password_hash: the type '{hashtype}' is not known", hint=f"one of {', '.join(CRYPTS)}, blowfish")
    prefix_text, size = CRYPTS[kind]
    if salt is None:
        salt = "".join(secrets.choice(SALT_LETTERS) for _ in range(salt_size or size))
    elif not salt or set(salt) - set(SALT_LETTERS):
        raise TemplateError(f"password_hash: the salt {salt!r} has characters that no salt may have", hint="letters, digits, '.' and '/'")
    cost = f"rounds={rounds}$" if rounds and kind != "md5" else ""
    return _crypt(str(password), f"${prefix_text}${cost}{salt}")


def _crypt(password: str, setting: str) -> str:
    """crypt(3) of the system's libcrypt; Python 3.13 has no module for it any more."""
    name = ctypes.util.find_library("crypt")
    if name is None:
        raise TemplateError("password_hash needs libcrypt on the controller", hint="install libcrypt1 (Debian) or libxcrypt (others)")
    with _crypt_lock:
        crypt = ctypes.CDLL(name).crypt
        crypt.restype = ctypes.c_char_p
        answer = crypt(password.encode(), setting.encode())
    if not answer or answer.startswith(b"*"):
        raise TemplateError(f"password_hash: libcrypt refuses the setting {setting!r}", hint="check salt and rounds")
    return bytes(answer).decode()


def to_uuid(value: Any, namespace: Any = UUID_NAMESPACE) -> str:
    try:
        space = namespace if isinstance(namespace, uuid.UUID) else uuid.UUID(str(namespace))
    except ValueError:
        raise TemplateError(f"to_uuid: the namespace {namespace!r} is no UUID", hint="leave it out to use Ansible's") from None
    return str(uuid.uuid5(space, str(value)))


FILTERS: dict[str, Callable[..., Any]] = {
    "b64encode": b64encode,
    "b64decode": b64decode,
    "hash": hashed,
    "md5": lambda value: hashed(value, "md5"),
    "sha1": hashed,
    "checksum": hashed,
    "password_hash": password_hash,
    "to_uuid": to_uuid,
}
