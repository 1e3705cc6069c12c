"""The main job: bare hosts to a verified ring, and the proof alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from invoke.context import Context
from invoke.tasks import task

from ringup.errors import UsageError
from ringup.inventory import load_inventory
from ringup.tasks.playbook import HELP, request_for
from ringup.tasks.running import run_and_exit, shown_errors

OPTIONS = ("inventory", "limit", "tags", "skip-tags", "forks", "extra-vars", "vault-password-file", "check", "diff", "format")
VERIFY_OPTIONS = ("hosts", "inventory", "limit", "extra-vars", "vault-password-file", "format")
REPEATABLE = ["inventory", "extra_vars", "vault_password_file"]
SHOWN = {"hosts": "which hosts: a group, or a pattern such as gpu-rack:!node07", **{name: HELP[name] for name in OPTIONS}}


def _run(playbook: str, hosts: str, format: str, **given: Any) -> None:
    with shown_errors():
        if not hosts:
            raise UsageError("which hosts?", where="--hosts", hint="name a group or pattern: --hosts gpu-rack")
        named = [*(given.pop("extra_vars", None) or ()), f"ringup_hosts='{hosts}'"]
        request = request_for(Path("playbooks") / playbook, extra_vars=named, **given)
        # a play without hosts is no error in a playbook; a job that was asked for by name is
        load_inventory(request.inventory, decrypt=request.vault.text if request.vault else None).match(hosts, strict=True, source="--hosts")
    run_and_exit(request, format, report=True)


@task(positional=[], iterable=REPEATABLE, help=SHOWN)
def provision(
    _: Context,
    hosts: str = "",
    inventory: Any = None,
    limit: str = "",
    tags: str = "",
    skip_tags: str = "",
    forks: str = "",
    extra_vars: Any = None,
    vault_password_file: Any = None,
    check: bool = False,
    diff: bool = False,
    format: str = "auto",
) -> None:
    """Bring hosts from bare Linux to a verified ring."""
    _run(
        "provision.yaml",
        hosts,
        format,
        inventory=inventory,
        limit=limit,
        tags=tags,
        skip_tags=skip_tags,
        forks=forks,
        extra_vars=extra_vars,
        vault_password_file=vault_password_file,
        check=check,
        diff=diff,
    )


@task(positional=[], iterable=REPEATABLE, help={name: SHOWN[name] for name in VERIFY_OPTIONS})
def verify(
    _: Context,
    hosts: str = "",
    inventory: Any = None,
    limit: str = "",
    extra_vars: Any = None,
    vault_password_file: Any = None,
    format: str = "auto",
) -> None:
    """Prove the ring of provisioned hosts: sums checked, bandwidth measured."""
    _run(
        "verify.yaml",
        hosts,
        format,
        inventory=inventory,
        limit=limit,
        extra_vars=extra_vars,
        vault_password_file=vault_password_file,
    )
