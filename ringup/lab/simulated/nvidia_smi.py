#!/usr/bin/python3
"""nvidia-smi of the rehearsal rack: reads the host's PCI bus and the loaded module, and speaks as the real one does.

Installed by the lab's nvidia-driver-cuda package as /usr/bin/nvidia-smi, with its own version and the models' names put in.
"""

import sys
import time
import zlib
from pathlib import Path

VERSION = "@VERSION@"
CUDA = "@CUDA@"
#: device id -> (name, memory in MiB, power limit in W, compute capability, bonded NVLinks to a switch)
MODELS: dict[str, tuple[str, int, int, str, int]] = {}  # @MODELS@
DEVICES = Path("/sys/bus/pci/devices")
LOADED = Path("/sys/module/nvidia/version")
#: from this branch the table's head names kernel and user mode drivers apart
TWO_NAMES_FROM = 610
NOT_RUNNING = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n\n"
)
ALIASES = {"gpu_name": "name", "gpu_uuid": "uuid", "gpu_bus_id": "pci.bus_id", "fb_memory_usage.total": "memory.total"}
UNITS = {
    **dict.fromkeys(("memory.total", "memory.used", "memory.free"), "MiB"),
    **dict.fromkeys(("utilization.gpu", "utilization.memory"), "%"),
    **dict.fromkeys(("power.draw", "power.limit"), "W"),
}
GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
"""
WIDE, LEFT, MIDDLE, RIGHT = 89, 41, 24, 22


def text(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


def functions(vendor: str, *kinds: str) -> list[Path]:
    """The bus's functions of a vendor and of classes, in the order of their addresses."""
    places = sorted(DEVICES.iterdir()) if DEVICES.is_dir() else []
    return [place for place in places if text(place / "vendor") == vendor and text(place / "class").startswith(kinds)]


def gpus() -> list[dict[str, str]]:
    """Each NVIDIA display controller: the fields that can be asked for, and where it is."""
    places = functions("0x10de", "0x0302", "0x0300")
    return [card(number, place, len(places)) for number, place in enumerate(places)]


def card(number: int, place: Path, count: int) -> dict[str, str]:
    device = text(place / "device").replace("0x", "")
    name, memory, watts, capability, links = MODELS.get(device, (f"Graphics Device {device}", 16384, 300, "0.0", 0))
    generation = str(GENERATIONS.get(text(place / "current_link_speed").split(" ")[0], 4))
    width, mark = text(place / "current_link_width"), f"{zlib.crc32(place.name.encode()):08x}"
    return {
        "index": str(number),
        "name": name,
        "uuid": f"GPU-{mark}-0000-4000-8000-{mark}0000",
        "pci.bus_id": "0000" + place.name.upper(),
        "pci.device_id": f"0x{device.upper()}10DE",
        "count": str(count),
        "driver_version": VERSION,
        "compute_cap": capability,
        "pstate": "P0",
        "memory.total": str(memory),
        "memory.used": "0",
        "memory.free": str(memory),
        "utilization.gpu": "0",
        "utilization.memory": "0",
        "temperature.gpu": "31",
        "power.draw": f"{watts / 10:.2f}",
        "power.limit": f"{watts:.2f}",
        **dict.fromkeys(("pcie.link.gen.current", "pcie.link.gen.max"), generation),
        **dict.fromkeys(("pcie.link.width.current", "pcie.link.width.max"), width),
        **dict.fromkeys(("ecc.mode.current", "persistence_mode"), "Enabled"),
        **dict.fromkeys(("ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total"), "0"),
        "mig.mode.current": "Disabled" if capability in ("8.0", "9.0", "10.0") else "[N/A]",
        "numa": text(place / "numa_node"),
        "links": str(links if functions("0x10de", "0x0680") else 0),
    }


def query(words: str, form: str, cards: list[dict[str, str]]) -> int:
    fields = {field: ALIASES.get(field, field) for field in (word.strip() for word in words.split(","))}
    for field, name in fields.items():
        if name in ("numa", "links") or (cards and name not in cards[0]):
            sys.stdout.write(f'Field "{field}" is not a valid field to query.\n\n')
            return 2
    units = {} if "nounits" in form else UNITS
    if "noheader" not in form:
        sys.stdout.write(", ".join(field + (f" [{UNITS[name]}]" if name in units else "") for field, name in fields.items()) + "\n")
    for one in cards:
        sys.stdout.write(", ".join(one[name] + (f" {units[name]}" if name in units else "") for name in fields.values()) + "\n")
    return 0


def line(left: str, middle: str, right: str) -> str:
    return f"|{left:<{LEFT}}|{middle:<{MIDDLE}}|{right:<{RIGHT}}|\n"


def table(cards: list[dict[str, str]]) -> str:
    whole, parted = "+" + "-" * WIDE + "+\n", "+" + "+".join("-" * width for width in (LEFT, MIDDLE, RIGHT)) + "+\n"
    one_name = int(VERSION.split(".")[0]) < TWO_NAMES_FROM
    kernel, user, wide = ("Driver Version", "CUDA Version", 31) if one_name else ("KMD Version", "CUDA UMD Version", 27)
    head = f" NVIDIA-SMI {VERSION:<23}{f'{kernel}: {VERSION}':<{wide}}{user}: {CUDA}"
    rows = [
        time.strftime("%a %b %e %H:%M:%S %Y       \n"),
        whole,
        f"|{head:<{WIDE}}|\n",
        parted,
        line(" GPU  Name                 Persistence-M ", " Bus-Id          Disp.A ", " Volatile Uncorr. ECC "),
        line(" Fan  Temp   Perf          Pwr:Usage/Cap ", "           Memory-Usage ", " GPU-Util  Compute M. "),
        line("", "", "               MIG M. "),
        "|" + "+".join("=" * width for width in (LEFT, MIDDLE, RIGHT)) + "|\n",
    ]
    for one in cards:
        power = f"{float(one['power.draw']):.0f}W / {float(one['power.limit']):>4.0f}W"
        memory = f"{one['memory.used']}MiB / {one['memory.total']:>6}MiB"
        mode = one["mig.mode.current"].strip("[]")
        rows += [
            line(f" {one['index']:>3}  {one['name']:<31}On  ", f"   {one['pci.bus_id']} Off ", f"{'0':>21} "),
            line(f" N/A  {one['temperature.gpu']:>3}C    P0 {power:>23} ", f"{memory:>23} ", f"{'0%':>8}{'Default':>13} "),
            line("", "", f"{mode:>21} "),
            parted,
        ]
    processes = (
        " Processes:",
        "  GPU   GI   CI              PID   Type   Process name                        GPU Memory ",
        "        ID   ID                                                               Usage      ",
    )
    rows += [" " * (WIDE + 2) + "\n", whole, *(f"|{words:<{WIDE}}|\n" for words in processes), "|" + "=" * WIDE + "|\n"]
    return "".join([*rows, f"|{'  No running processes found':<{WIDE}}|\n", whole])


def details(cards: list[dict[str, str]]) -> str:
    def field(indent: int, name: str, value: str) -> str:
        return f"{' ' * indent}{name:<{50 - indent}}: {value}\n"

    told = "\n==============NVSMI LOG==============\n\n"
    told += (
        field(0, "Timestamp", time.strftime("%a %b %e %H:%M:%S %Y")) + field(0, "Driver Version", VERSION) + field(0, "CUDA Version", CUDA)
    )
    told += "\n" + field(0, "Attached GPUs", str(len(cards)))
    for one in cards:
        told += f"GPU {one['pci.bus_id']}\n" + field(4, "Product Name", one["name"])
        told += field(4, "Persistence Mode", one["persistence_mode"]) + field(4, "GPU UUID", one["uuid"])
        told += "    ECC Mode\n" + field(8, "Current", one["ecc.mode.current"]) + field(8, "Pending", one["ecc.mode.current"])
        told += "    FB Memory Usage\n" + field(8, "Total", f"{one['memory.total']} MiB") + field(8, "Used", f"{one['memory.used']} MiB")
        told += "    Processes" + " " * 41 + ": None\n\n"
    return told


def between(first: dict[str, str], second: dict[str, str]) -> str:
    """The path between two devices, in the words of `topo -m`."""
    if first is second:
        return " X "
    if int(first["links"]) and int(second["links"]):
        return "NV" + first["links"]
    # the lab's buses: an adapter behind the same switch has the bus number after its GPU's
    near = abs(int(first["bus"], 16) - int(second["bus"], 16)) == 1
    return "PIX" if near else "NODE" if first["numa"] == second["numa"] else "SYS"


def topology(cards: list[dict[str, str]]) -> str:
    adapters = functions("0x15b3", "0x0207", "0x0200")
    devices = [{**one, "label": f"GPU{one['index']}", "bus": one["pci.bus_id"].split(":")[1]} for one in cards]
    for number, place in enumerate(adapters):
        bus = place.name.split(":")[1]
        devices.append({"label": f"NIC{number}", "bus": bus, "numa": text(place / "numa_node"), "links": "0"})
    told = "\t" + "\t".join(one["label"] for one in devices) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    for one in devices:
        # half of the cores are on each node, as the lab's GPUs are
        cores = {"0": "0-31", "1": "32-63"}.get(one["numa"], "N/A")
        tail = f"\t{cores}\t{one['numa']}\t\tN/A" if one["label"].startswith("GPU") else "\t\t\t\t"
        told += one["label"] + "\t" + "\t".join(between(one, other) for other in devices) + tail + "\n"
    names = "".join(f"  NIC{number}: mlx5_{number}\n" for number in range(len(adapters)))
    return told + LEGEND + (f"\nNIC Legend:\n\n{names}" if names else "") + "\n"


def chosen(words: list[str], cards: list[dict[str, str]]) -> list[dict[str, str]]:
    """The GPUs that -i or --id names, by number, UUID or address; all without it."""
    wanted = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "-i"]
    wanted += [word.partition("=")[2] for word in words if word.startswith("--id=")]
    names = {name.lower() for word in wanted for name in word.split(",")}
    return [one for one in cards if not names or names & {one["index"], one["uuid"].lower(), one["pci.bus_id"].lower()}]


def answer(words: list[str], cards: list[dict[str, str]]) -> int:
    options = {name: value for name, _, value in (word.partition("=") for word in words)}
    if "--query-gpu" in options:
        return query(options["--query-gpu"], options.get("--format", "csv"), cards)
    if "--query-compute-apps" in options:
        # nothing computes on simulated GPUs
        sys.stdout.write("" if "noheader" in options.get("--format", "") else options["--query-compute-apps"].replace(",", ", ") + "\n")
    elif words[:2] == ["topo", "-m"]:
        sys.stdout.write(topology(cards))
    elif "-L" in words or "--list-gpus" in words:
        sys.stdout.write("".join(f"GPU {one['index']}: {one['name']} (UUID: {one['uuid']})\n" for one in cards))
    elif "-q" in words or "--query" in words:
        sys.stdout.write(details(cards))
    elif "-pm" in words:
        told = (f"Persistence mode is already Enabled for GPU {one['pci.bus_id']}.\n" for one in cards)
        sys.stdout.write("".join(told) + "All done.\n")
    elif not words or words[0] == "-i" or words[0].startswith("--id="):
        sys.stdout.write(table(cards))
    else:
        sys.stdout.write(f"Invalid combination of input arguments. The rehearsal rack's nvidia-smi does not know: {' '.join(words)}\n")
        return 2
    return 0


def main(words: list[str]) -> int:
    loaded = text(LOADED)
    if not loaded:
        sys.stdout.write(NOT_RUNNING)
        return 9
    if loaded != VERSION:
        library = ".".join(VERSION.split(".")[:2])
        sys.stdout.write(f"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: {library}\n")
        return 18
    cards = gpus()
    if not cards:
        sys.stdout.write("No devices were found\n")
        return 6
    return answer(words, chosen(words, cards))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
