"""Reboot a host and see it come back: with a new boot id, over a new connection."""

from __future__ import annotations

import shlex
import time
from typing import Any

from ringup.actions.call import ActionCall
from ringup.actions.wait_for_connection import until
from ringup.agent.arguments import Arguments, option
from ringup.errors import ConnectionFailed, ConnectTimeout, LinkLost, TaskFailed
from ringup.results import Result

BOOT_ID = "cat /proc/sys/kernel/random/boot_id"
FOLDERS = ["/sbin", "/bin", "/usr/sbin", "/usr/bin", "/usr/local/sbin"]
#: time for the answer to reach the controller before the host goes down
GRACE_S = 1
SLEEP_S = 1.0
LOCAL = "Running reboot with local connection would reboot the control node."


class Args(Arguments):
    """Reboot a host and wait until it is back."""

    pre_reboot_delay = option("int", default=0, help="seconds before it goes down")
    post_reboot_delay = option("int", default=0, help="seconds after it is back, before it is tested")
    reboot_timeout = option("int", default=600, help="seconds for it to come back, and again for the test to succeed")
    connect_timeout = option("int", help="seconds that one try may take to connect")
    test_command = option("str", default="whoami", help="command that must succeed once it is back")
    msg = option("str", default="Reboot initiated by Ringup", help="message to users who are logged in")
    search_paths = option("list", elements="str", default=FOLDERS, help="folders in which shutdown is looked for")
    boot_time_command = option("str", default=BOOT_ID, help="command whose output differs after a reboot")
    reboot_command = option("str", help="command that reboots, in place of shutdown")


def run(call: ActionCall) -> Result:
    if str(call.templar.render("{{ ansible_connection | default('ssh') }}")) == "local":
        return Result({"changed": False, "elapsed": 0, "rebooted": False, "failed": True, "msg": LOCAL})
    if call.check:
        return Result({"changed": True, "elapsed": 0, "rebooted": True})
    begin = time.monotonic()
    before = _boot(call)
    _go_down(call)
    _come_back(call, before, begin)
    return Result({"changed": True, "elapsed": int(time.monotonic() - begin), "rebooted": True})


def _boot(call: ActionCall) -> str:
    """What tells this boot from the next."""
    answer = _shell(call, call.args.boot_time_command)
    if answer.get("rc") != 0:
        words = answer.get("stderr") or answer.get("stdout") or answer.get("msg")
        raise TaskFailed(f"the boot id cannot be read: {words}", hint="boot_time_command must print what a reboot changes")
    return str(answer["stdout"]).strip()


def _go_down(call: ActionCall) -> None:
    """Start the reboot, detached from the agent, so that its answer arrives.

    Raises:
        TaskFailed: this user may not, or there is no program for it.
    """
    if _shell(call, "id -u").get("stdout", "").strip() != "0":
        raise TaskFailed("only root may reboot a host", hint="set become: true on the task")
    if call.args.pre_reboot_delay > 0:
        call.wait(call.args.pre_reboot_delay)
    folders = ":".join(call.args.search_paths)
    command = call.args.reboot_command or f"shutdown -r now {shlex.quote(call.args.msg)}"
    program = shlex.quote(shlex.split(command)[0])
    there = f"PATH={shlex.quote(folders)}:$PATH; export PATH; command -v {program} >/dev/null"
    if _shell(call, there).get("rc") != 0:
        raise TaskFailed(f"the host has no program {program} in {folders}", hint="set reboot_command or search_paths")
    detached = f"sleep {GRACE_S}; {command}"
    try:
        started = _shell(call, f"{there}; setsid sh -c {shlex.quote(detached)} </dev/null >/dev/null 2>&1 &")
    except LinkLost:
        # it went down faster than it could answer
        return
    if started.get("rc") != 0:
        raise TaskFailed(f"the reboot could not be started: {started.get('stderr') or started.get('msg')}", hint="try the command by hand")


def _come_back(call: ActionCall, before: str, begin: float) -> None:
    """Wait for another boot id, then for the test command.

    Raises:
        ConnectTimeout: the host cannot be reached in time.
        TaskFailed: it can, and the boot is the old one, or the test fails.
    """
    args = call.args
    call.wait(GRACE_S)

    def rebooted() -> bool:
        # the old connection may live on for a while when the host goes down slowly: ask over a new one
        call.connection.reset(connect_timeout_s=args.connect_timeout)
        answer = _shell(call, args.boot_time_command)
        return answer.get("rc") == 0 and str(answer["stdout"]).strip() != before

    try:
        until(call, rebooted, begin + args.pre_reboot_delay + args.reboot_timeout, SLEEP_S, "the host to come back from its reboot")
    except TaskFailed as late:
        if not isinstance(late.__cause__, ConnectionFailed):
            raise
        message = f"the host did not come back from its reboot within {args.reboot_timeout} s: {late.__cause__.message}"
        raise ConnectTimeout(message, hint=late.hint) from None
    if args.post_reboot_delay > 0:
        call.wait(args.post_reboot_delay)
    until(
        call,
        lambda: _shell(call, args.test_command).get("rc") == 0,
        time.monotonic() + args.reboot_timeout,
        SLEEP_S,
        f"'{args.test_command}' to succeed after the reboot",
    )


def _shell(call: ActionCall, command: str) -> dict[str, Any]:
    return call.module("command", {"argv": ["/bin/sh", "-c", command], "expand_argument_vars": False}, check=False)
