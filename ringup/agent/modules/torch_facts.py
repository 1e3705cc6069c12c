"""What a virtual environment's torch says of itself and of the GPUs, asked in a process of its own."""

import json
import os

from ..arguments import Arguments, option
from ..failure import ModuleFailure

#: runs under the environment's own interpreter; one kernel runs on every GPU, since a wheel can load and hold no code for it
QUESTION = """
import json, sys
import torch
answer = {
    "torch": torch.__version__, "python": sys.version.split()[0], "cuda": torch.version.cuda,
    "cuda_available": torch.cuda.is_available(), "device_count": torch.cuda.device_count(),
    "cudnn": torch.backends.cudnn.version() if torch.version.cuda else None, "nccl": None, "devices": [],
    "distributed": torch.distributed.is_available(),
    "gloo": torch.distributed.is_available() and torch.distributed.is_gloo_available(),
}
if torch.version.cuda and torch.distributed.is_available() and torch.distributed.is_nccl_available():
    answer["nccl"] = ".".join(str(part) for part in torch.cuda.nccl.version())
if answer["cuda_available"]:
    for index in range(torch.cuda.device_count()):
        device = {"name": torch.cuda.get_device_name(index), "capability": "%d.%d" % torch.cuda.get_device_capability(index)}
        try:
            square = torch.ones(64, 64, device="cuda:%d" % index)
            device["kernel"] = "ok" if float((square @ square).sum()) == 64.0 ** 3 else "wrong result"
        except Exception as error:
            device["kernel"] = str(error).splitlines()[0]
        answer["devices"].append(device)
print("RINGUP " + json.dumps(answer))
"""


class Args(Arguments):
    """Ask a virtual environment's torch for its versions and devices."""

    virtualenv = option("path", required=True, help="folder of the virtual environment")
    limit_s = option("float", default=120.0, help="limit: the first import on a cold disk is slow")


def read(args, host):
    python = os.path.join(args.virtualenv, "bin", "python")
    if not os.path.exists(python):
        raise ModuleFailure("there is no virtual environment at %s" % args.virtualenv, hint="run the pytorch role first")
    result = host.run([python, "-c", QUESTION], timeout_s=args.limit_s)
    lines = [line for line in result.stdout.splitlines() if line.startswith("RINGUP ")]
    if not lines:
        last = (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()[-1]
        raise ModuleFailure("torch cannot be used: %s" % last, rc=result.rc, stderr=result.stderr)
    return {"changed": False, "torch_facts": json.loads(lines[-1][len("RINGUP ") :])}
