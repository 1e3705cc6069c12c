"""The programs that the lab's driver packages install, with a version and the models' names put into their text."""

from __future__ import annotations

from importlib.resources import files

from ringup.stack.catalogue import Gpu, catalogue

#: What nvidia-smi prints as CUDA Version. Source: the stack catalogue, drivers.yaml, max_cuda_native.
CUDA = {535: "12.2", 570: "12.8", 580: "13.0", 620: "13.5"}
#: Marketing names, memory in MiB and power limits in W by device id.
#: Source: `nvidia-smi` outputs in public issue threads; power: NVIDIA data sheets of the boards.
SHOWN = {
    "2330": ("NVIDIA H100 80GB HBM3", 81559, 700),
    "2331": ("NVIDIA H100 PCIe", 81559, 350),
    "2335": ("NVIDIA H200", 143771, 700),
    "20b0": ("NVIDIA A100-SXM4-40GB", 40960, 400),
    "20b1": ("NVIDIA A100-PCIE-40GB", 40960, 250),
    "1eb8": ("Tesla T4", 15360, 70),
    "1db1": ("Tesla V100-SXM2-16GB", 16384, 300),
    "26b9": ("NVIDIA L40S", 46068, 350),
    "27b8": ("NVIDIA L4", 23034, 72),
}
#: Bonded NVLinks from a GPU to its board's switches. Source: NVIDIA Fabric Manager user guide, HGX A100 and HGX H100.
NVLINKS = {"ampere": 12, "hopper": 18, "blackwell": 18}


def program(name: str, version: str) -> str:
    """The text of a program for one driver version.

    Args:
        name: a file of `ringup/lab/simulated` without its ending.
    """
    text = files("ringup.lab.simulated").joinpath(f"{name}.py").read_text(encoding="utf-8")
    text = text.replace("@VERSION@", version).replace("@CUDA@", CUDA[int(version.split(".")[0])])
    return text.replace("= {}  # @MODELS@", f"= {_models()!r}")


def _models() -> dict[str, tuple[str, int, int, str, int]]:
    return {number: (*_shown(number, gpu), gpu.capability, _links(gpu)) for gpu in catalogue().gpus for number in gpu.pci_ids}


def _shown(number: str, gpu: Gpu) -> tuple[str, int, int]:
    return SHOWN.get(number, (f"NVIDIA {gpu.model}", 16384, 300))


def _links(gpu: Gpu) -> int:
    return NVLINKS.get(gpu.architecture, 0) if gpu.fabric_manager else 0
