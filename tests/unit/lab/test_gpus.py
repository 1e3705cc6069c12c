from pathlib import Path

import pytest

from ringup.errors import LabError
from ringup.lab.gpus import functions, pci_tree


def of(spec: str, vendor: str, kind: str) -> list[str]:
    return [one.device for one in functions(spec) if one.vendor == vendor and one.kind.startswith(kind)]


@pytest.mark.parametrize(
    ("spec", "gpus", "switches"),
    [
        ("8xH100", ["2330"] * 8, ["22a3"] * 4),
        ("4xA100-PCIE", ["20b1"] * 4, []),
        ("2xL40S", ["26b9"] * 2, []),
        ("1xT4", ["1eb8"], []),
        ("4xA100-PCIE+1xT4", ["20b1"] * 4 + ["1eb8"], []),
        ("none", [], []),
    ],
)
def test_a_spec_becomes_its_devices(spec: str, gpus: list[str], switches: list[str]) -> None:
    assert of(spec, "10de", "0302") == gpus
    assert of(spec, "10de", "0680") == switches


def test_a_switched_baseboard_has_an_infiniband_adapter_for_each_gpu_and_others_have_none() -> None:
    assert of("8xH100", "15b3", "0207") == ["1021"] * 8
    assert of("4xA100-PCIE", "15b3", "0207") == []


def test_boards_with_a_display_output_are_vga_controllers() -> None:
    assert of("2xRTX A6000", "10de", "0300") == ["2230"] * 2


def test_no_two_functions_share_an_address() -> None:
    addresses = [one.address for one in functions("8xH100+4xA100-PCIE")]
    assert len(addresses) == len(set(addresses))


def test_the_tree_reads_like_sysfs(tmp_path: Path) -> None:
    pci_tree("8xH100", tmp_path)
    gpu = tmp_path / "0000:18:00.0"
    assert (gpu / "vendor").read_text() == "0x10de\n"
    assert (gpu / "current_link_speed").read_text() == "32.0 GT/s PCIe\n"
    assert (tmp_path / "0000:50:00.0" / "numa_node").read_text() == "1\n"
    assert (gpu / "modalias").read_text() == "pci:v000010DEd00002330sv000010DEsd00002330bc03sc02i00\n"
    assert "PCI_CLASS=30200\nPCI_ID=10DE:2330\n" in (gpu / "uevent").read_text()


@pytest.mark.parametrize(("spec", "hint"), [("8xH1OO", "H100"), ("many", "8xH100"), ("0xH100", "8xH100"), ("16xH100+1xT4", "at most 16")])
def test_what_is_no_spec_is_refused_with_what_to_write(spec: str, hint: str) -> None:
    with pytest.raises(LabError) as refused:
        functions(spec)
    assert hint in str(refused.value.hint)
