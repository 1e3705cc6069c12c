"""Encrypting and decrypting inside a template, with a password that the template names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2.utils import pass_context

from ringup.templating.vault import HEADER, decrypt, encrypt
from ringup.yamlfile.values import VaultedText


@pass_context
def vault(
    context: Any, value: Any, secret: str, salt: str | None = None, vault_id: str = "filter_default", wrap_object: bool = False
) -> str:
    """The text encrypted; the same each time only when a salt is given."""
    label = None if vault_id in ("filter_default", "default") else vault_id
    return encrypt(str(value), str(secret), vault_id=label, salt=salt.encode() if salt else None)


def unvault(value: Any, secret: str, vault_id: str = "filter_default") -> str:
    """The text of a vaulted value; what is not vaulted stays as it is."""
    text = value.ciphertext if isinstance(value, VaultedText) else str(value)
    return decrypt(text, [str(secret)]) if text.startswith(HEADER) else text


FILTERS: dict[str, Callable[..., Any]] = {"vault": vault, "unvault": unvault}
