"""Private keys, read once a process: an RSA key file costs 174 ms each time it is opened."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import paramiko

from ringup.errors import AuthenticationFailed


def load_key(path: Path, host: str) -> paramiko.PKey:
    """The private key of a file.

    Raises:
        AuthenticationFailed: the file is missing, is no key, or needs a passphrase.
    """
    try:
        return _load(path)
    except FileNotFoundError:
        raise AuthenticationFailed(f"there is no private key {path}", where=host, hint="set ansible_ssh_private_key_file") from None
    except PermissionError:
        raise AuthenticationFailed(
            f"private key {path} cannot be read", where=host, hint=f"chmod 600 {path}, or run as its owner"
        ) from None
    except paramiko.PasswordRequiredException:
        raise AuthenticationFailed(f"private key {path} needs a passphrase", where=host, hint=f"ssh-add {path}, then run again") from None
    except (paramiko.SSHException, ValueError, TypeError) as error:
        hint = "give the private key, not the .pub file"
        raise AuthenticationFailed(f"{path} is not a private key that can be used: {error}", where=host, hint=hint) from None


@lru_cache(maxsize=64)
def _load(path: Path) -> paramiko.PKey:
    try:
        return paramiko.PKey.from_path(path)
    except TypeError as error:
        # cryptography says "Password was not given" by a TypeError
        if "assword" in str(error):
            raise paramiko.PasswordRequiredException(str(error)) from None
        raise
