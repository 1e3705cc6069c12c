"""Processors, memory, firmware and disks."""

import os
import re

from .reading import names, number, text

#: keys of /proc/cpuinfo that name a processor, by architecture. Source: the kernel's cpuinfo of x86, arm64, ppc64, s390
NAMING = ("vendor_id", "model name", "Processor", "cpu", "Model")
DMI = "/sys/class/dmi/id"
#: fact -> file of DMI
DMI_FACTS = {
    "bios_date": "bios_date", "bios_vendor": "bios_vendor", "bios_version": "bios_version", "board_asset_tag": "board_asset_tag",
    "board_name": "board_name", "board_serial": "board_serial", "board_vendor": "board_vendor", "board_version": "board_version",
    "chassis_asset_tag": "chassis_asset_tag", "chassis_serial": "chassis_serial", "chassis_vendor": "chassis_vendor",
    "chassis_version": "chassis_version", "product_name": "product_name", "product_serial": "product_serial",
    "product_uuid": "product_uuid", "product_version": "product_version", "system_vendor": "sys_vendor",
}  # fmt: skip
BLOCK = "/sys/block"
SECTOR_BYTES = 512


def processor(host):
    blocks = [block for block in re.split(r"\n\s*\n", text("/proc/cpuinfo")) if re.search(r"^processor\s*:", block, re.MULTILINE)]
    rows = [dict(_pair(line) for line in block.splitlines() if ":" in line) for block in blocks]
    vcpus = len(rows) or os.cpu_count() or 1
    named = []
    for row in rows:
        named += [row["processor"]] + [row[name] for name in NAMING if name in row]
    sockets = {row["physical id"] for row in rows if "physical id" in row}
    cores = int(rows[0].get("cpu cores", 0)) if rows else 0
    count = len(sockets) or (vcpus if not cores else 1)
    cores = cores or max(1, vcpus // count)
    return {
        "processor": named,
        "processor_vcpus": vcpus,
        "processor_count": count,
        "processor_cores": cores,
        "processor_threads_per_core": max(1, vcpus // (count * cores)),
        "processor_nproc": len(os.sched_getaffinity(0)),
        "flags": (rows[0].get("flags") or rows[0].get("Features") or "").split() if rows else [],
    }


def _pair(line):
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def memory(host):
    sizes = {}
    for line in text("/proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        sizes[name] = int(rest.split()[0]) // 1024

    def size(name):
        return sizes.get(name, 0)

    total, free = size("MemTotal"), size("MemFree")
    cached = size("Cached") + size("Buffers")
    return {
        "memtotal_mb": total,
        "memfree_mb": free,
        "memavailable_mb": size("MemAvailable"),
        "swaptotal_mb": size("SwapTotal"),
        "swapfree_mb": size("SwapFree"),
        "memory_mb": {
            "real": {"total": total, "used": total - free, "free": free},
            "nocache": {"free": free + cached, "used": total - free - cached},
            "swap": {
                "total": size("SwapTotal"),
                "free": size("SwapFree"),
                "used": size("SwapTotal") - size("SwapFree"),
                "cached": size("SwapCached"),
            },
        },
    }


def uptime(host):
    return {"uptime_seconds": int(float((text("/proc/uptime") or "0").split()[0]))}


def firmware(host):
    """What the firmware says that this machine is; NA where it says nothing or we may not read it."""
    facts = {fact: text(os.path.join(DMI, name)) or "NA" for fact, name in DMI_FACTS.items()}
    facts["form_factor"] = text(os.path.join(DMI, "chassis_type")) or "NA"
    return facts


def disks(host):
    """Block devices: size, model, partitions. A loop or ramdisk device that nothing uses is none."""
    paths = {name: os.path.join(BLOCK, name) for name in names(BLOCK)}
    used = (name for name in paths if not name.startswith(("loop", "ram")) or number(os.path.join(paths[name], "size"), 0))
    return {"devices": {name: disk(paths[name]) for name in used}}


def disk(path):
    found = _sized(path)
    queue = os.path.join(path, "queue")
    scheduler = re.search(r"\[(.+?)\]", text(os.path.join(queue, "scheduler")))
    found.update(
        {
            "model": text(os.path.join(path, "device/model")) or None,
            "vendor": text(os.path.join(path, "device/vendor")) or None,
            "serial": text(os.path.join(path, "device/serial")) or None,
            "removable": text(os.path.join(path, "removable")),
            "rotational": text(os.path.join(queue, "rotational")),
            "sectorsize": text(os.path.join(queue, "logical_block_size")),
            "support_discard": text(os.path.join(queue, "discard_granularity")),
            "scheduler_mode": scheduler.group(1) if scheduler else "",
            "virtual": 1 if "/virtual/" in os.path.realpath(path) else 0,
            "partitions": {},
        }
    )
    for name in names(path):
        part = os.path.join(path, name)
        if os.path.exists(os.path.join(part, "partition")):
            found["partitions"][name] = dict(_sized(part), start=text(os.path.join(part, "start")))
    return found


def _sized(path):
    sectors = number(os.path.join(path, "size"), 0)
    return {"sectors": sectors, "size": human(sectors * SECTOR_BYTES), "holders": names(os.path.join(path, "holders"))}


def human(size):
    """Bytes in the words of Ansible's facts: 16.00 GB, where a GB is 2^30."""
    for unit in ("Bytes", "KB", "MB", "GB"):
        if size < 1024:
            return "%.2f %s" % (size, unit)
        size /= 1024.0
    return "%.2f TB" % size
