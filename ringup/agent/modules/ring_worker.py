"""One host's part of a ring: torchrun with static rendezvous, its lines as they come, and a clean end whatever happens."""

import json
import os
import shutil
import signal
import tempfile
import time

from .. import process
from ..arguments import Arguments, option
from ..failure import ModuleFailure

#: the collective ends with its controller: nobody would hear the result, and GPU memory must come back
DIES_WITH_CONTROLLER = True
#: every process of the job carries this variable, so that strays are found by it and never by a name
MARK = "RINGUP_RING_ID"
GRACE_S = 5.0


class Args(Arguments):
    """Run this host's ranks of a ring (used by verify_ring)."""

    ring_id = option("str", required=True, help="unique name of the run; marks its processes")
    script = option("str", required=True, help="text of the worker program")
    plan = option("dict", required=True, help="what the worker does")
    python = option("path", required=True, help="interpreter that has torch")
    nodes = option("int", required=True, help="number of hosts")
    node_rank = option("int", required=True, help="this host's place, from 0")
    ranks = option("int", required=True, help="ranks on this host")
    address = option("str", required=True, help="ring address of host 0, by number")
    port = option("int", required=True, help="port of the rendezvous on host 0")
    environment = option("dict", default={}, help="variables of the job")
    limit_s = option("float", required=True, help="the job is ended after this long")


def run_lines(args, folder, host):
    """Run the job; gives (rc or None when it was ended at its limit, messages, other lines)."""
    script, plan = os.path.join(folder, "worker.py"), os.path.join(folder, "plan.json")
    for path, text in ((script, args.script), (plan, json.dumps(args.plan))):
        with open(path, "w") as stream:
            stream.write(text)
    argv = [args.python, "-m", "torch.distributed.run", "--nnodes=%d" % args.nodes, "--node-rank=%d" % args.node_rank]
    argv += ["--nproc-per-node=%d" % args.ranks, "--master-addr=%s" % args.address, "--master-port=%d" % args.port]
    argv += ["--max-restarts=0", script, plan]
    messages, others = [], []

    def hear(line):
        if line.startswith("RINGUP "):
            try:
                message = json.loads(line[len("RINGUP ") :])
            except ValueError:
                others.append(line)
                return
            messages.append(message)
            if message.get("type") == "stage":
                host.progress("rank %s: %s" % (message.get("rank"), message.get("stage")))
        else:
            others.append(line)

    environment = dict(args.environment)
    environment.update({MARK: args.ring_id, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"})
    try:
        rc = process.run(argv, timeout_s=args.limit_s, cwd=folder, env=environment, on_line=hear).rc
    except process.CommandTimeout:
        rc = None
    return rc, messages, others


def strays(ring_id):
    """Processes that still carry the job's mark."""
    found = []
    wanted = ("%s=%s" % (MARK, ring_id)).encode()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open("/proc/%s/environ" % entry, "rb") as stream:
                if wanted in stream.read().split(b"\0"):
                    found.append(int(entry))
        except OSError:
            continue
    return found


def end_strays(ring_id):
    """End what is left of the job; gives the processes that would not go."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = strays(ring_id)
        for pid in left:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + GRACE_S
        while left and time.monotonic() < deadline:
            time.sleep(0.02)
            left = strays(ring_id)
        if not left:
            return []
    return strays(ring_id)


def run(args, host):
    if not os.path.exists(args.python):
        raise ModuleFailure("there is no interpreter at %s" % args.python, hint="run the pytorch role on this host first")
    folder = tempfile.mkdtemp(prefix="ringup-ring-")
    begin = time.monotonic()
    rc, messages, others = None, [], []
    try:
        rc, messages, others = run_lines(args, folder, host)
    finally:
        left = end_strays(args.ring_id)
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "changed": False,
        "rc": rc,
        "timedout": rc is None,
        "messages": messages,
        "stderr": "\n".join(others[-200:]),
        "left_behind": left,
        "seconds": time.monotonic() - begin,
    }
