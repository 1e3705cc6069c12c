"""nvidia-smi and the fabric manager of the rehearsal rack speak as the real ones do."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ringup.lab.gpus import pci_tree
from ringup.lab.programs import program

VERSION = "580.65.06"


@dataclass(frozen=True)
class Bench:
    """A bus and a loaded module that programs see instead of this machine's."""

    folder: Path

    def run(self, name: str, *words: str, version: str = VERSION) -> tuple[int, str]:
        text = program(name, version)
        for there, here in (("/sys/bus/pci/devices", "bus"), ("/sys/module/nvidia/version", "version")):
            assert there in text
            text = text.replace(there, str(self.folder / here))
        script = self.folder / f"{name}.py"
        script.write_text(text)
        done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def bench(folder: Path, spec: str, loaded: str = VERSION) -> Bench:
    (folder / "bus").mkdir()
    pci_tree(spec, folder / "bus")
    if loaded:
        (folder / "version").write_text(f"{loaded}\n")
    return Bench(folder)


@pytest.mark.parametrize(
    ("spec", "loaded", "code", "words"),
    [
        ("8xH100", "", 9, "couldn't communicate with the NVIDIA driver"),
        ("8xH100", "570.211.01", 18, "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.65\n"),
        ("none", VERSION, 6, "No devices were found\n"),
    ],
)
def test_what_is_wrong_is_said_in_the_real_words(tmp_path: Path, spec: str, loaded: str, code: int, words: str) -> None:
    ended, told = bench(tmp_path, spec, loaded).run("nvidia_smi")
    assert ended == code
    assert words in told


def test_the_table_is_of_one_width_and_names_driver_and_cuda(tmp_path: Path) -> None:
    code, told = bench(tmp_path, "4xA100-PCIE+1xT4").run("nvidia_smi")
    _clock, *lines = told.splitlines()
    assert code == 0
    assert {len(line) for line in lines} == {91}
    assert "| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |" in lines
    assert told.count("NVIDIA A100-PCIE-40GB") == 4


def test_new_branches_tell_kernel_and_user_mode_drivers_apart(tmp_path: Path) -> None:
    _, told = bench(tmp_path, "1xL4", "620.70.06").run("nvidia_smi", version="620.70.06")
    assert "| NVIDIA-SMI 620.70.06              KMD Version: 620.70.06     CUDA UMD Version: 13.5     |" in told


def test_gpus_are_listed_and_asked_for_by_field(tmp_path: Path) -> None:
    machine = bench(tmp_path, "2xL40S")
    assert machine.run("nvidia_smi", "-L")[1].startswith("GPU 0: NVIDIA L40S (UUID: GPU-")
    fields = "--query-gpu=index,name,memory.total,compute_cap"
    assert machine.run("nvidia_smi", fields, "--format=csv,noheader,nounits", "-i", "1") == (0, "1, NVIDIA L40S, 46068, 8.9\n")
    head = machine.run("nvidia_smi", fields, "--format=csv")[1].splitlines()[0]
    assert head == "index, name, memory.total [MiB], compute_cap"
    assert machine.run("nvidia_smi", "--query-gpu=colour", "--format=csv")[0] == 2


def test_gpus_of_a_switched_board_are_joined_by_nvlink_and_near_their_own_adapter(tmp_path: Path) -> None:
    _, told = bench(tmp_path, "8xH100").run("nvidia_smi", "topo", "-m")
    rows = [line.split("\t") for line in told.splitlines() if line.startswith(("\tGPU0", "GPU"))]
    heads = rows[0]
    assert heads[1:9] == [f"GPU{number}" for number in range(8)]
    first = dict(zip(heads, rows[1], strict=False))
    assert (first["GPU0"], first["GPU7"], first["NIC1"], first["NIC8"]) == (" X ", "NV18", "PIX", "SYS")
    assert "NIC Legend:" in told


def test_boards_without_switches_are_joined_by_pcie(tmp_path: Path) -> None:
    _, told = bench(tmp_path, "4xA100-PCIE").run("nvidia_smi", "topo", "-m")
    assert told.splitlines()[1].split("\t")[1:5] == [" X ", "NODE", "SYS", "SYS"]


@pytest.mark.parametrize(
    ("spec", "loaded", "words"),
    [
        ("8xH100", "580.178.04", f"interface version {VERSION} don't match with driver version 580.178.04"),
        ("4xA100-PCIE", VERSION, "NV_WARN_NOTHING_TO_DO"),
    ],
)
def test_a_fabric_manager_that_cannot_run_says_why(tmp_path: Path, spec: str, loaded: str, words: str) -> None:
    code, told = bench(tmp_path, spec, loaded).run("fabric_manager")
    assert code == 1
    assert words in told
