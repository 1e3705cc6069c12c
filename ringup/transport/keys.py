"""Keys to log in with: private key files, read once a process (an RSA key costs 174 ms each time), and those of the SSH agent."""

from __future__ import annotations

import base64
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import paramiko

from ringup.errors import AuthenticationFailed

DEFAULT_FILES = ("~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa")
#: an agent that is there but silent (a forwarded socket of a session that is gone) would hold a connection for ever
AGENT_ANSWER_S = 5.0
#: SSH_AGENTC_REQUEST_IDENTITIES, one byte long (RFC draft-miller-ssh-agent, section 3.5)
LIST_KEYS = b"\0\0\0\x01\x0b"

_loading = threading.Lock()


def load_key(path: Path, host: str) -> paramiko.PKey:
    """The private key of a file.

    Raises:
        AuthenticationFailed: the file is missing, is no key, or needs a passphrase.
    """
    try:
        with _loading:
            return _load(path)
    except FileNotFoundError:
        raise AuthenticationFailed(f"there is no private key {path}", where=host, hint="set ansible_ssh_private_key_file") from None
    except PermissionError:
        hint = f"chmod 600 {path}, or run as its owner"
        raise AuthenticationFailed(f"private key {path} cannot be read", where=host, hint=hint) from None
    except paramiko.PasswordRequiredException:
        raise AuthenticationFailed(f"private key {path} needs a passphrase", where=host, hint=f"ssh-add {path}, then run again") from None
    except (paramiko.SSHException, ValueError, TypeError, OSError) as error:
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


def public_blob(path: Path) -> bytes | None:
    """The public key beside a private key file: by it the agent's copy of a key with a passphrase is found."""
    with suppress(OSError, ValueError, IndexError):
        return base64.b64decode(Path(f"{path}.pub").read_text(encoding="utf-8").split()[1], validate=True)
    return None


def default_keys() -> Iterator[Path]:
    """The files that OpenSSH tries when none is named."""
    return (path for path in (Path(name).expanduser() for name in DEFAULT_FILES) if path.is_file())


class AgentKeys:
    """A connection to the SSH agent, of one login only: paramiko's is not safe for two threads."""

    def __init__(self) -> None:
        self._agent: paramiko.Agent | None = None

    def offered(self) -> tuple[paramiko.PKey, ...]:
        """Its keys; none where no agent is, or none that answers."""
        if self._agent is None:
            socket_path = os.environ.get("SSH_AUTH_SOCK")
            if not socket_path or not _agent_answers(socket_path):
                return ()
            self._agent = paramiko.Agent()
        return tuple(self._agent.get_keys())

    def close(self) -> None:
        if self._agent is not None:
            self._agent.close()


@lru_cache(maxsize=4)
def _agent_answers(socket_path: str) -> bool:
    """Asked once a process, with a limit that paramiko has not."""
    try:
        with socket.socket(socket.AF_UNIX) as agent:
            agent.settimeout(AGENT_ANSWER_S)
            agent.connect(socket_path)
            agent.sendall(LIST_KEYS)
            return bool(agent.recv(4))
    except OSError:
        return False
