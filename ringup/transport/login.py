"""Logging in: keys in a sensible order, each once, then the password; what was tried is told when nothing was taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import paramiko

from ringup.errors import AuthenticationFailed
from ringup.transport.keys import AgentKeys, default_keys, load_key, public_blob
from ringup.transport.route import Hop


class Login:
    """Logs in to one hop; Fabric hands it to paramiko as its `auth_strategy`."""

    def __init__(self, hop: Hop) -> None:
        self._hop = hop
        self._tried: list[str] = []
        #: keys that could not be used, in their own words: they matter when nothing else worked
        self._unusable: list[AuthenticationFailed] = []

    def authenticate(self, transport: paramiko.Transport) -> None:
        """Raises AuthenticationFailed with what was tried, or what is wrong with the keys that were to be tried."""
        agent = AgentKeys()
        try:
            for label, key in self._keys(agent):
                if self._accepted(transport, label, key):
                    return
        finally:
            agent.close()
        if self._hop.password is not None:
            self._tried.append("the password")
            try:
                transport.auth_password(self._hop.user, self._hop.password)
                return
            except paramiko.AuthenticationException:
                pass
        raise self._refused(transport)

    def _accepted(self, transport: paramiko.Transport, label: str, key: paramiko.PKey) -> bool:
        self._tried.append(label)
        try:
            transport.auth_publickey(self._hop.user, key)
        except paramiko.BadAuthenticationType:
            return False
        except paramiko.AuthenticationException as error:
            if "timeout" in str(error).lower():
                raise
            if not transport.is_active():
                raise self._refused(transport) from None
            return False
        # a server may want the password too: then this is only the first half
        return bool(transport.is_authenticated())

    def _keys(self, agent: AgentKeys) -> Iterator[tuple[str, paramiko.PKey]]:
        """The named keys first, then the agent's, then the default files; many agent keys make a server hang up."""
        hop, offered = self._hop, set()
        for path in hop.identities or (() if hop.identities_only else default_keys()):
            label, key = self._key_of(path, agent)
            if key is not None:
                offered.add(key.asbytes())
                yield label, key
        if not hop.identities_only and hop.password is None:
            for key in agent.offered():
                if key.asbytes() not in offered:
                    yield f"the SSH agent's key {getattr(key, 'comment', '') or key.get_name()}", key

    def _key_of(self, path: Path, agent: AgentKeys) -> tuple[str, paramiko.PKey | None]:
        try:
            return f"the key {path}", load_key(path, self._hop.name)
        except AuthenticationFailed as error:
            # the agent may hold the same key without its passphrase
            wanted = public_blob(path)
            for key in agent.offered() if wanted else ():
                if key.asbytes() == wanted:
                    return f"the key {path} (from the SSH agent)", key
            self._unusable.append(error)
            return "", None

    def _refused(self, transport: paramiko.Transport) -> AuthenticationFailed:
        hop = self._hop
        place = f"{hop.user}@{hop.key_name}"
        if not self._tried and self._unusable:
            return self._unusable[0]
        if not self._tried:
            hint = "set ansible_ssh_private_key_file, start an SSH agent, or set ansible_password (from a vault)"
            return AuthenticationFailed(f"there is no key and no password to log in to {place} with", where=hop.name, hint=hint)
        tried = ", ".join(self._tried)
        if not transport.is_active():
            hint = "name the one right key: ansible_ssh_private_key_file, or IdentitiesOnly yes in ~/.ssh/config"
            return AuthenticationFailed(f"{place} hung up while logging in with {tried}", where=hop.name, hint=hint)
        known = "".join(f"; {error.message}" for error in self._unusable)
        key = next(iter(hop.identities), None)
        by_hand = f"ssh {f'-i {key} ' if key else ''}-p {hop.port} {hop.user}@{hop.address}"
        hint = f"is ansible_user right, and is the public key in its authorized_keys? try: {by_hand}"
        return AuthenticationFailed(f"{place} did not take {tried}{known}", where=hop.name, hint=hint)
