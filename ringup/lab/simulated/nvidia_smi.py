#!/usr/bin/python3
"""nvidia-smi of the rehearsal rack: reads the host's PCI bus and the loaded module, and speaks as the real one does.

Installed by the lab's nvidia-driver-cuda package as /usr/bin/nvidia-smi, with its own version and the models' names put in.
"""

import sys
import zlib
from pathlib import Path

VERSION = "@VERSION@"
CUDA = "@CUDA@"
#: device id -> (name, memory in MiB, compute capability)
MODELS: dict[str, tuple[str, int, str]] = {}  # @MODELS@
DEVICES = Path("/sys/bus/pci/devices")
LOADED = Path("/sys/module/nvidia/version")
NOT_RUNNING = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n"
)
FIELDS = (
    *("index", "name", "gpu_name", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "driver_version", "memory.total", "memory.used"),
    *("memory.free", "temperature.gpu", "utilization.gpu", "compute_cap", "pcie.link.gen.current", "pcie.link.width.current"),
    *("pcie.link.gen.max", "pcie.link.width.max", "ecc.mode.current", "ecc.errors.uncorrected.volatile.total", "persistence_mode", "count"),
)
UNITS = {"memory.total": " MiB", "memory.used": " MiB", "memory.free": " MiB", "utilization.gpu": " %"}
GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}


def text(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


def gpus() -> list[dict[str, str]]:
    """Each NVIDIA display controller of the bus, in the order of its addresses."""
    found: list[dict[str, str]] = []
    for place in sorted(DEVICES.iterdir()) if DEVICES.is_dir() else ():
        if text(place / "vendor") != "0x10de" or not text(place / "class").startswith("0x0302"):
            continue
        device = text(place / "device").replace("0x", "")
        name, memory, capability = MODELS.get(device, (f"Graphics Device {device}", 16384, "0.0"))
        mark = f"{zlib.crc32(place.name.encode()):08x}"
        generation = str(GENERATIONS.get(text(place / "current_link_speed").split(" ")[0], 4))
        width = text(place / "current_link_width")
        uuid, bus = f"GPU-{mark}-0000-4000-8000-{mark}0000", "0000" + place.name.upper()
        found.append(
            {
                "index": str(len(found)),
                **dict.fromkeys(("name", "gpu_name"), name),
                **dict.fromkeys(("uuid", "gpu_uuid"), uuid),
                **dict.fromkeys(("pci.bus_id", "gpu_bus_id"), bus),
                "driver_version": VERSION,
                "memory.total": str(memory),
                "memory.used": "0",
                "memory.free": str(memory),
                "temperature.gpu": "31",
                "utilization.gpu": "0",
                "compute_cap": capability,
                **dict.fromkeys(("pcie.link.gen.current", "pcie.link.gen.max"), generation),
                **dict.fromkeys(("pcie.link.width.current", "pcie.link.width.max"), width),
                "ecc.mode.current": "Enabled",
                "ecc.errors.uncorrected.volatile.total": "0",
                "persistence_mode": "Enabled",
                "numa": text(place / "numa_node"),
            }
        )
    for one in found:
        one["count"] = str(len(found))
    return found


def switched() -> bool:
    """The GPUs are joined by NVSwitches."""
    places = DEVICES.iterdir() if DEVICES.is_dir() else ()
    return any(text(place / "vendor") == "0x10de" and text(place / "class").startswith("0x0680") for place in places)


def query(words: str, form: str, cards: list[dict[str, str]]) -> int:
    fields = [word.strip() for word in words.split(",")]
    for field in fields:
        if field not in FIELDS:
            sys.stdout.write(f'Field "{field}" is not a valid field to query.\n')
            return 2
    plain = "nounits" in form
    if "noheader" not in form:
        heads = [field + (f" [{UNITS[field].strip()}]" if field in UNITS and not plain else "") for field in fields]
        sys.stdout.write(", ".join(heads) + "\n")
    for card in cards:
        sys.stdout.write(", ".join(card[field] + ("" if plain else UNITS.get(field, "")) for field in fields) + "\n")
    return 0


def table(cards: list[dict[str, str]]) -> int:
    line = "+" + "-" * 89 + "+\n"
    sys.stdout.write(line)
    sys.stdout.write(f"| NVIDIA-SMI {VERSION:<22} Driver Version: {VERSION:<18} CUDA Version: {CUDA:<9}|\n")
    sys.stdout.write(line)
    for card in cards:
        memory = f"{card['memory.used']}MiB / {card['memory.total']}MiB"
        sys.stdout.write(f"| {card['index']:>3}  {card['name']:<34} On  | {card['pci.bus_id']:<18} | {memory:>22} |\n")
    sys.stdout.write(line + "| No running processes found" + " " * 62 + "|\n" + line)
    return 0


def topology(cards: list[dict[str, str]]) -> int:
    names = [f"GPU{card['index']}" for card in cards]
    sys.stdout.write("\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n")
    joined = switched()
    for one in cards:
        row = []
        for other in cards:
            if one is other:
                row.append(" X ")
            else:
                row.append("NV18" if joined else "NODE" if one["numa"] == other["numa"] else "SYS")
        sys.stdout.write(f"GPU{one['index']}\t" + "\t".join(row) + f"\t0-63\t{one['numa']}\t\tN/A\n")
    return 0


def main(words: list[str]) -> int:
    loaded = text(LOADED)
    if not loaded:
        sys.stdout.write(NOT_RUNNING)
        return 9
    if loaded != VERSION:
        sys.stdout.write(
            f"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: {VERSION.rpartition('.')[0]}\n"
        )
        return 18
    cards = gpus()
    if not cards:
        sys.stdout.write("No devices were found\n")
        return 6
    if words[:2] == ["topo", "-m"]:
        return topology(cards)
    if words[:1] == ["-L"]:
        sys.stdout.write("".join(f"GPU {card['index']}: {card['name']} (UUID: {card['uuid']})\n" for card in cards))
        return 0
    options = {name: value for name, _, value in (word.partition("=") for word in words)}
    if "--query-gpu" in options:
        return query(options["--query-gpu"], options.get("--format", "csv"), cards)
    if words:
        sys.stdout.write(f"Invalid combination of input arguments. The rehearsal rack's nvidia-smi does not know: {' '.join(words)}\n")
        return 2
    return table(cards)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
