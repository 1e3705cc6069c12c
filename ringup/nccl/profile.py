"""A host's NCCL profile: each variable with its reason, and none without one. NCCL's own default is the first choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ringup.nccl.interfaces import RingInterface

Purpose = Literal["production", "bring-up"]


#: read before or beside the file, or meant for one job only: these work in the environment alone.
#: Source: NVIDIA/nccl v2.30.7, src/misc/param.cc and debug.cc; NCCL user guide, "Debugging" (must not stay in the file).
ENVIRONMENT_ONLY = ("NCCL_DEBUG", "NCCL_CONF_FILE")


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable of the profile."""

    name: str
    value: str
    because: str

    @property
    def in_file(self) -> bool:
        """It takes effect from /etc/nccl.conf; else it must be in the environment."""
        return self.name.startswith("NCCL_") and not self.name.startswith(ENVIRONMENT_ONLY)


@dataclass(frozen=True, slots=True)
class Profile:
    """All settings of a host, in the order they are written."""

    settings: tuple[Setting, ...]

    def as_environment(self) -> dict[str, str]:
        return {setting.name: setting.value for setting in self.settings}

    def nccl_conf(self) -> str:
        """The text of /etc/nccl.conf: NAME=VALUE, no blanks, no quotes; a line that begins with # is a comment (NCCL 2.26.2).

        Source: NVIDIA/nccl v2.30.7, src/misc/param.cc; older ones set a variable of that odd name, which harms nobody.
        """
        lines = ["# Written by Ringup; each variable says why it is set. The environment of a job wins over this file."]
        for setting in self.settings:
            if setting.in_file:
                lines += [f"# {setting.because}", f"{setting.name}={setting.value}"]
        return "\n".join(lines) + "\n"

    def profile_d(self) -> str:
        """The text of a profile.d script, for what the file cannot set."""
        lines = ["# Written by Ringup; each variable says why it is set."]
        for setting in self.settings:
            if not setting.in_file:
                lines += [f"# {setting.because}", f"export {setting.name}={setting.value}"]
        return "\n".join(lines) + "\n"


def build_profile(ring: RingInterface, purpose: Purpose, extra: Sequence[Setting] = ()) -> Profile:
    """The first profile of a host.

    Args:
        ring: the interface that carries the ring.
        purpose: quiet for production; with NCCL's own account of its choices for bring-up.
        extra: what the operator sets in the inventory; wins over ours.
    """
    name = ring.interface.name
    settings = [
        # the leading = asks for the exact name: without it eth1 would also match eth10
        Setting("NCCL_SOCKET_IFNAME", f"={name}", f"the ring's interface: {ring.because}"),
        Setting("GLOO_SOCKET_IFNAME", name, f"the ring's interface: {ring.because}"),
    ]
    if purpose == "bring-up":
        settings.append(Setting("NCCL_DEBUG", "INFO", "bring-up: NCCL tells which links and transports it takes"))
        settings.append(Setting("NCCL_DEBUG_SUBSYS", "INIT,NET,GRAPH,ENV", "bring-up: what decides the ring, and no more"))
    else:
        settings.append(Setting("NCCL_DEBUG", "WARN", "production: silent unless something is wrong"))
    wished = {setting.name: setting for setting in extra}
    kept = [setting for setting in settings if setting.name not in wished]
    return Profile((*kept, *wished.values()))
