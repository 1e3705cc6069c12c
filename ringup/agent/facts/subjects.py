"""Which facts there are, by the names that `gather_subset` takes."""

from ..arguments import ArgumentError, nearest
from . import distribution, gpu, hardware, local, mounts, network, nvidia, system, tools, virtual

#: one name -> what gathers it; the order is that of the result
PARTS = {
    "platform": system.kernel,
    "distribution": distribution.distribution,
    "lsb": distribution.lsb,
    "cmdline": system.cmdline,
    "date_time": system.clock,
    "security": system.security,
    "user": system.user,
    "env": system.environment,
    "python": system.python,
    "managers": tools.managers,
    "toolchain": tools.toolchain,
    "ssh_pub_keys": system.ssh_keys,
    "dns": network.dns,
    "local": local.gather,
    "loadavg": system.load,
    "processor": hardware.processor,
    "memory": hardware.memory,
    "uptime": hardware.uptime,
    "dmi": hardware.firmware,
    "devices": hardware.disks,
    "mounts": mounts.mounts,
    "interfaces": network.interfaces,
    "virtual": virtual.virtual,
    "pci": gpu.gather,
    "driver": nvidia.gather,
}
HARDWARE = ("processor", "memory", "uptime", "loadavg", "dmi", "devices", "mounts")
GPU = ("pci", "driver")
#: gathered unless `!min` is said: what decides everything else, and what is cheap
MIN = tuple(name for name in PARTS if name not in HARDWARE + GPU + ("interfaces", "virtual"))
GROUPS = {"min": MIN, "all": tuple(PARTS), "hardware": HARDWARE, "network": ("interfaces",), "gpu": GPU}
#: Ansible's names for parts that have another name here
OTHER_NAMES = {
    "system": "platform", "chroot": "platform", "selinux": "security", "apparmor": "security", "fips": "security",
    "pkg_mgr": "managers", "service_mgr": "managers", "all_ipv4_addresses": "interfaces", "all_ipv6_addresses": "interfaces",
    "default_ipv4": "interfaces", "default_ipv6": "interfaces", "virtualization_type": "virtual", "virtualization_role": "virtual",
    "virtualization_tech_guest": "virtual", "virtualization_tech_host": "virtual",
}  # fmt: skip


def chosen(subset):
    """The parts of a `gather_subset`, in order: min and what is named, less what is named with `!`.

    Raises:
        ArgumentError: a word names nothing.
    """
    named = [word for word in subset if not word.startswith("!")]
    without = [word[1:] for word in subset if word.startswith("!")]
    left_out = {part for word in without if word != "all" for part in _meaning(word)}
    parts = set(MIN) if named or "all" in without else set(PARTS)
    parts.update(part for word in named if word in GROUPS for part in GROUPS[word])
    parts -= left_out
    # a part that is named by itself is gathered, whatever else is left out
    parts.update(part for word in named if word not in GROUPS for part in _meaning(word))
    return [name for name in PARTS if name in parts]


def _meaning(word):
    if word in GROUPS:
        return GROUPS[word]
    name = OTHER_NAMES.get(word, word)
    if name in PARTS:
        return (name,)
    known = sorted(set(GROUPS) | set(PARTS) | set(OTHER_NAMES))
    close = nearest(word, known)
    hint = "did you mean '%s'?" % close if close else "known: %s" % ", ".join(known)
    raise ArgumentError("gather_subset has no '%s'" % word, hint)
