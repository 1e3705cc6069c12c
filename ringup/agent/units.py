"""systemd's units: what they are now, and how it says that they cannot be otherwise."""

import os
import time

from .failure import ModuleFailure

RUNNING = frozenset(("active", "activating", "reloading"))
#: words of `systemctl is-enabled` that mean: nothing is left to enable (systemctl(1)); `indirect` is enabled by other units only
ENABLED = frozenset(("enabled", "static", "generated", "transient", "linked"))
JOURNAL_LINES = 12
STARTS = ("start", "restart", "reload")


class Unit:
    """A unit as `systemctl show` tells it.

    Attributes:
        properties: all of them, as text.
        enablement: the word of `systemctl is-enabled`; empty when there is no such unit file.
    """

    def __init__(self, name, properties, enablement):
        self.name = name
        self.properties = properties
        self.enablement = enablement

    @property
    def exists(self):
        return self.properties.get("LoadState") not in (None, "not-found") or self.enablement not in ("", "not-found")

    @property
    def running(self):
        return self.properties.get("ActiveState") in RUNNING

    @property
    def failed(self):
        return self.properties.get("ActiveState") == "failed"

    @property
    def skipped(self):
        """Did systemd not start it because a condition of its file is not met?"""
        return not self.running and self.properties.get("ConditionResult") == "no"

    @property
    def stopping(self):
        return self.properties.get("ActiveState") == "deactivating"

    @property
    def enabled(self):
        return self.enablement in ENABLED

    @property
    def masked(self):
        return self.properties.get("LoadState") == "masked" or self.enablement.startswith("masked")


class Systemctl:
    """systemctl of one scope: `system`, `user` (of the task's user) or `global` (of all users)."""

    def __init__(self, host, scope="system", more=()):
        self.host = host
        self.argv = ["systemctl"] + ([] if scope == "system" else ["--%s" % scope]) + list(more)
        self.scope = scope
        self.env = {"LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""}
        if scope == "user" and "XDG_RUNTIME_DIR" not in os.environ and "XDG_RUNTIME_DIR" not in host.environment:
            self.env["XDG_RUNTIME_DIR"] = "/run/user/%d" % os.geteuid()

    def ask(self, *words):
        return self.host.run(self.argv + list(words), env=self.env)

    def unit(self, name):
        """What the unit is; raises ModuleFailure when systemd does not answer."""
        properties = {}
        if self.scope != "global" and manager_runs():
            shown = self.ask("show", "--no-pager", "--", name)
            if shown.rc != 0:
                raise ModuleFailure(
                    "systemd does not answer: %s" % shown.stderr.strip(),
                    hint="for scope user: that user needs a session, or 'loginctl enable-linger USER'",
                    rc=shown.rc,
                    stderr=shown.stderr,
                )
            properties = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
        # an alias is never `enabled` under its own name
        known = properties.get("Id") or name
        words = self.ask("is-enabled", "--", known).stdout.split()
        return Unit(name, properties, words[-1] if words else "")

    def must(self, verb, name, *flags):
        """Do something to a unit; its failure carries what the unit has written to the journal meanwhile."""
        begin = time.time()
        result = self.ask(*(flags + (verb, "--", name)))
        if result.rc != 0 or (verb in STARTS and "--no-block" not in flags and self.unit(name).failed):
            raise self._failure(verb, name, result, self._journal(name, begin) if verb in STARTS else "")
        return result

    @staticmethod
    def _failure(verb, name, result, journal):
        words = [line for line in result.stderr.splitlines() if line.strip()]
        message = "Unable to %s service %s: %s" % (verb, name, words[0] if words else "it ended at once")
        if journal:
            message += "\n" + journal
        return ModuleFailure(
            message,
            hint="'systemctl status %s' and 'journalctl -u %s' on the host say more" % (name, name),
            rc=result.rc,
            stdout=result.stdout,
            stderr=result.stderr,
        )

    def _journal(self, name, since):
        flag = "--user-unit" if self.scope == "user" else "--unit"
        argv = [
            "journalctl",
            flag,
            name,
            "--since",
            "@%d" % since,
            "--lines",
            str(JOURNAL_LINES),
            "--no-pager",
            "--output",
            "cat",
            "--quiet",
        ]
        try:
            said = self.host.run(argv, env=self.env).stdout
        except ModuleFailure:
            return ""  # a host without journalctl
        return "\n".join("  " + line for line in said.splitlines() if line.strip())


def manager_runs():
    """Was this host booted with systemd? The test of sd_booted(3)."""
    return os.path.isdir("/run/systemd/system")
