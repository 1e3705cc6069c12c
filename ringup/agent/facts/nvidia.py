"""NVIDIA's driver and what belongs to it: as it is loaded, as it is installed, where it came from, and what would break it."""

import glob
import json
import os
import re

from .packages import installed, unattended_upgrades
from .reading import names, text

MODULE_VERSION = "/sys/module/nvidia/version"
DESCRIBED = "/proc/driver/nvidia/version"
#: letters of a loaded module: O for out of tree, P where it is not free. Source: kernel, admin-guide/tainted-kernels.rst
MODULE_TAINT = "/sys/module/nvidia/taint"
#: left by the runfile's installer and by nothing else. Source: nvidia-installer's README, "Uninstalling"
RUNFILE_SIGNS = ("/usr/bin/nvidia-uninstall", "/usr/bin/nvidia-installer")
#: what comes and goes with the driver, and what only has a name like it: toolkits and the container toolkit have versions of their own
OF_DRIVER = re.compile(r"nvidia|^cuda-(drivers|keyring)|^libcuda1$|libnvsdm|nvlsm")
BESIDE_DRIVER = re.compile(r"container|^nvidia-cuda-(toolkit|dev|doc|gdb)|^nvidia-(nsight|visual)")
#: packages whose version is the driver's
DRIVER_PACKAGE = re.compile(
    r"^(nvidia-(driver|open|dkms|kernel|headless|utils)|cuda-drivers|nvidia-driver-cuda|kmod-nvidia|libnvidia-compute)"
)
DRIVER_VERSION = re.compile(r"(?:\d+:)?(\d{3}\.\d+(?:\.\d+)?)")
MODULE_PACKAGE = re.compile(r"kernel|dkms|kmod|nvidia-open|linux-modules")
FABRIC, TOOLKIT = "nvidia-fabricmanager", "nvidia-container-toolkit"
UNITS_RUNNING, UNITS = "/run/systemd/units", "/etc/systemd/system"
LOCAL = "/usr/local"
DKMS = "/var/lib/dkms"
MODULES = "/lib/modules"


def gather(host):
    packages = installed(host)
    return {
        "nvidia_driver": driver([one for one in packages if OF_DRIVER.search(one.name) and not BESIDE_DRIVER.search(one.name)]),
        "nvidia_processes": processes(),
        "cuda_toolkits": toolkits(),
        "fabric_manager": service(FABRIC, packages, r"^(nvidia-fabric-?manager(-\d+)?|cuda-drivers-fabricmanager-\d+)$"),
        "container_toolkit": container_toolkit(packages),
        "package_holds": {one.name: one.version for one in packages if one.held},
        "unattended_upgrades": unattended_upgrades(),
        "kernels": kernels(),
        "dkms": dkms(),
        "secure_boot": secure_boot(),
    }


def driver(packages):
    """The kernel module that is loaded, its flavour, and the packages that brought it.

    `source` is repository (NVIDIA's), distribution, runfile, image (a module with neither packages nor an installer), or none.
    """
    described = text(DESCRIBED)
    match = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", described)
    loaded = text(MODULE_VERSION) or (match.group(1) if match else "")
    versions = [DRIVER_VERSION.match(one.version) for one in packages if DRIVER_PACKAGE.match(one.name)]
    return {
        "loaded": loaded or None,
        "version": next((match.group(1) for match in versions if match), None),
        "flavour": flavour(described, packages),
        "packages": {one.name: one.version for one in packages},
        "source": source(loaded, packages),
        "nouveau_loaded": os.path.isdir("/sys/module/nouveau"),
    }


def flavour(described, packages):
    """open or proprietary: of the loaded module, else of the installed one; None where nothing tells."""
    if described:
        return "open" if "Open Kernel Module" in described else "proprietary"
    taint = text(MODULE_TAINT)
    if taint:
        return "proprietary" if "P" in taint else "open"
    modules = [one.name for one in packages if MODULE_PACKAGE.search(one.name)]
    if not modules:
        return None
    return "open" if any("open" in name for name in modules) else "proprietary"


def source(loaded, packages):
    drivers = [one for one in packages if DRIVER_PACKAGE.match(one.name)]
    if drivers:
        # distributions and NVIDIA use the same names; who packaged it tells them apart
        foreign = ("Debian", "Ubuntu", "Canonical", "SUSE", "Fedora", "Red Hat")
        return "distribution" if any(word in one.maintainer for one in drivers for word in foreign) else "repository"
    if any(os.path.exists(path) for path in RUNFILE_SIGNS):
        return "runfile"
    return "image" if loaded else "none"


def processes():
    """Who has a GPU open: [{pid, name, uid}]; nothing is looked through where no driver has made its device files."""
    if not os.path.exists("/dev/nvidiactl"):
        return []
    found = []
    for pid in (name for name in names("/proc") if name.isdigit()):
        folder = os.path.join("/proc", pid)
        if any(_leads_to_gpu(os.path.join(folder, "fd", handle)) for handle in names(os.path.join(folder, "fd"))):
            found.append({"pid": int(pid), "name": text(os.path.join(folder, "comm")), "uid": os.stat(folder).st_uid})
    return found


def _leads_to_gpu(handle):
    try:
        return bool(re.match(r"^/dev/nvidia\d+$", os.readlink(handle)))
    except OSError:
        return False


def toolkits():
    """CUDA toolkits under /usr/local: version, path, and whether /usr/local/cuda leads there."""
    default = os.path.realpath(os.path.join(LOCAL, "cuda"))
    found = {}
    for path in glob.glob(os.path.join(LOCAL, "cuda-*")) + [default]:
        real = os.path.realpath(path)
        version = toolkit_version(real)
        if version and real not in found:
            found[real] = {"version": version, "path": real, "default": real == default}
    return sorted(found.values(), key=lambda one: [int(part) for part in one["version"].split(".")])


def toolkit_version(path):
    try:
        return json.loads(text(os.path.join(path, "version.json")))["cuda"]["version"]
    except (ValueError, KeyError, TypeError):
        # toolkits before 11.1
        old = re.search(r"CUDA Version (\d+(?:\.\d+)+)", text(os.path.join(path, "version.txt")))
        return old.group(1) if old else None


def service(unit, packages, pattern):
    """A service of the driver's: its package, its version, whether it runs and starts at boot; None where it is not installed."""
    package = next((one for one in packages if re.match(pattern, one.name)), None)
    if package is None:
        return None
    file = unit + ".service"
    wanted = glob.glob(os.path.join(UNITS, "*.wants", file))
    # systemd keeps a link for each unit that runs (systemd.exec(5), INVOCATION_ID)
    return {
        "package": package.name,
        "version": package.version,
        "active": os.path.lexists(os.path.join(UNITS_RUNNING, "invocation:" + file)),
        "enabled": bool(wanted),
    }


def container_toolkit(packages):
    package = next((one for one in packages if one.name == TOOLKIT), None)
    specifications = glob.glob("/etc/cdi/*nvidia*") + glob.glob("/var/run/cdi/*nvidia*")
    return {"version": package.version, "cdi": sorted(specifications)} if package else None


def kernels():
    """Installed kernels, the one that runs, and which have the headers that a module is built against."""
    running = os.uname().release
    versions = [name for name in names(MODULES) if os.path.isdir(os.path.join(MODULES, name, "kernel"))]
    return [
        {"version": name, "running": name == running, "headers": os.path.exists(os.path.join(MODULES, name, "build", "Makefile"))}
        for name in sorted(set(versions) | {running})
    ]


def dkms():
    """Modules that DKMS keeps: [{module, version, kernel, state}]; state is added, built, installed or failed (dkms(8))."""
    found = []
    for module in names(DKMS):
        folder = os.path.join(DKMS, module)
        linked = {os.path.realpath(os.path.join(folder, name)) for name in names(folder) if name.startswith("kernel-")}
        for version in names(folder):
            if not os.path.exists(os.path.join(folder, version, "source")):
                continue
            builds = _dkms_builds(os.path.join(folder, version), linked)
            row = {"module": module, "version": version}
            found += [dict(row, **build) for build in builds] or [dict(row, kernel=None, state="added")]
    return found


def _dkms_builds(folder, linked):
    builds = []
    for kernel in names(folder):
        for path in glob.glob(os.path.join(folder, kernel, "*", "module")):
            place = os.path.realpath(os.path.dirname(path))
            builds.append({"kernel": kernel, "state": "installed" if place in linked else "built"})
    if os.path.exists(os.path.join(folder, "build", "make.log")):
        # DKMS removes its build folder after a success
        builds.append({"kernel": None, "state": "failed"})
    return builds


def secure_boot():
    """Does the firmware only start signed kernels? False where there is no such firmware."""
    for path in glob.glob("/sys/firmware/efi/efivars/SecureBoot-*"):
        try:
            with open(path, "rb") as stream:
                return stream.read()[-1:] == b"\x01"
        except OSError:
            return False
    return False
