"""Run any playbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from invoke.context import Context
from invoke.tasks import task

from ringup.engine import PlaybookRequest
from ringup.engine.options import parse_extra_vars
from ringup.tasks.running import help_instead, run_and_exit, shown_errors, whole
from ringup.templating import VaultKeys, password_files

LOCK_WAIT_S = 60
HELP = {
    "file": "the playbook",
    "inventory": "file, folder, program or 'host,' list; may be given several times (default: the folder inventory)",
    "limit": "only these hosts, by a pattern",
    "tags": "only tasks with one of these tags, with commas between them",
    "skip-tags": "no tasks with one of these tags",
    "forks": "hosts at once (default: all, up to 128)",
    "extra-vars": "name=value, JSON, YAML or @file; wins over everything; may be given several times",
    "check": "say what would change, change nothing",
    "diff": "show before and after of what changes",
    "become": "run tasks with another user's rights, where the playbook does not say",
    "become-user": "the user whose rights tasks get (default: root)",
    "user": "log in as this user, where the inventory names none",
    "private-key": "file of the key to log in with, where the inventory names none",
    "vault-password-file": "file (or program) with the vault password; 'id@file' for one vault id; may be given several times",
    "start-at-task": "begin with the task of this name",
    "force-handlers": "run notified handlers also on hosts that failed",
    "lock-wait": "seconds to wait for a host that another run holds (default 60)",
    "format": "auto (live on a terminal, else plain), live, plain or json",
    "report": "write the HTML report into reports/",
}


def words(text: str) -> frozenset[str]:
    """Tags as they are typed, with commas between them."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


def request_for(file: Path, **given: Any) -> PlaybookRequest:
    """The request of a command line.

    Raises:
        UsageError: a value that cannot be.
    """
    return PlaybookRequest(
        playbooks=(file,),
        inventory=tuple(given.get("inventory") or ("inventory",)),
        limit=given.get("limit") or None,
        tags=words(given.get("tags") or ""),
        skip_tags=words(given.get("skip_tags") or ""),
        forks=whole("--forks", given.get("forks") or ""),
        extra_vars=parse_extra_vars(given.get("extra_vars") or ()),
        check=bool(given.get("check")),
        diff=bool(given.get("diff")),
        become=bool(given.get("become")),
        become_user=given.get("become_user") or None,
        user=given.get("user") or None,
        private_key=given.get("private_key") or None,
        start_at=given.get("start_at_task") or None,
        force_handlers=bool(given.get("force_handlers")),
        lock_wait_s=float(given.get("lock_wait", LOCK_WAIT_S)),
        roles_path=(Path("roles"),),
        vault=VaultKeys(password_files(vault)) if (vault := given.get("vault_password_file")) else None,
    )


@task(
    positional=["file"],
    iterable=["inventory", "extra_vars", "vault_password_file"],
    auto_shortflags=True,
    help=HELP,
)
def playbook(
    _: Context,
    file: str,
    inventory: Any = None,
    limit: str = "",
    tags: str = "",
    skip_tags: str = "",
    forks: str = "",
    extra_vars: Any = None,
    check: bool = False,
    diff: bool = False,
    become: bool = False,
    become_user: str = "",
    user: str = "",
    private_key: str = "",
    vault_password_file: Any = None,
    start_at_task: str = "",
    force_handlers: bool = False,
    lock_wait: int = LOCK_WAIT_S,
    format: str = "auto",
    report: bool = False,
) -> None:
    """Run a playbook over the hosts of an inventory."""
    help_instead("playbook", file)
    with shown_errors():
        request = request_for(
            Path(file),
            inventory=inventory,
            limit=limit,
            tags=tags,
            skip_tags=skip_tags,
            forks=forks,
            extra_vars=extra_vars,
            check=check,
            diff=diff,
            become=become,
            become_user=become_user,
            user=user,
            private_key=private_key,
            vault_password_file=vault_password_file,
            start_at_task=start_at_task,
            force_handlers=force_handlers,
            lock_wait=lock_wait,
        )
    run_and_exit(request, format, report=report)
