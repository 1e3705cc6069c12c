"""A host that is this machine, and the four runs that every converging module must survive."""

import hashlib
import stat

import pytest

from ringup.agent.host import Host
from ringup.agent.task import perform


@pytest.fixture
def run():
    """Run a module on this machine as the agent does; gives its result."""

    def run(module, check=False, diff=False, uploads=None, environment=None, **args):
        return perform(module, args, Host(check=check, diff=diff, uploads=uploads, environment=environment))

    return run


def tree_digest(folder):
    """One digest over every path below a folder: kind, mode, owner, times of change, content, link target."""
    lines = []
    for path in sorted(folder.rglob("*")):
        now = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(now.st_mode) else str(path.readlink()) if stat.S_ISLNK(now.st_mode) else ""
        lines.append((str(path), now.st_mode, now.st_uid, now.st_gid, now.st_mtime_ns, content))
    return hashlib.sha256(repr(lines).encode()).hexdigest()


@pytest.fixture
def run_four_times(run, tmp_path):
    """Absent, wanted, again, otherwise, removed, removed again: each step predicted by check mode, none half done."""

    def step(module, args, changes):
        before = tree_digest(tmp_path)
        predicted = run(module, check=True, diff=True, **args)
        assert tree_digest(tmp_path) == before, "check mode wrote something"
        assert not predicted.get("failed"), predicted
        done = run(module, diff=True, **args)
        assert not done.get("failed"), done
        assert done["changed"] is predicted["changed"] is changes, (args, predicted, done)
        left = list(tmp_path.rglob(".ringup-*"))
        assert not left, "temporary files are left behind"
        return done

    def run_four_times(module, wanted, otherwise=None, removed=None):
        results = [step(module, wanted, changes=True), step(module, wanted, changes=False)]
        for args in (otherwise, removed):
            if args is not None:
                results += [step(module, args, changes=True), step(module, args, changes=False)]
        return results

    return run_four_times
