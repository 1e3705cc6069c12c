"""Which interface carries the ring: by reachability on the ring's subnet, never one that containers or virtual machines own."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringup.errors import InputError

#: interfaces of containers, virtual machines and tunnels of the host itself: a peer never sits behind them
NEVER = ("lo", "docker", "veth", "cni", "virbr", "flannel", "cali", "br-", "tun", "tap", "kube", "podman", "lxc", "vnet")


@dataclass(frozen=True, slots=True)
class Interface:
    """One address of a host on one of its interfaces."""

    name: str
    address: str
    prefix: int
    mtu: int | None = None

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        return ipaddress.ip_network(f"{self.address}/{self.prefix}", strict=False)


@dataclass(frozen=True, slots=True)
class RingInterface:
    """The interface for the ring and why it is this one."""

    interface: Interface
    because: str


def interfaces(facts: Mapping[str, Any]) -> tuple[Interface, ...]:
    """The host's IPv4 addresses by interface, from facts by Ansible's names (`interfaces`, and one mapping per interface)."""
    found = []
    for name in facts.get("interfaces") or ():
        # Ansible names facts of eth0.100 and br-lan eth0_100 and br_lan
        details = facts.get(name) or facts.get(name.replace("-", "_").replace(".", "_").replace(":", "_")) or {}
        ipv4 = details.get("ipv4") or {}
        rows = ipv4 if isinstance(ipv4, list) else [ipv4, *(details.get("ipv4_secondaries") or ())]
        for row in rows:
            if row.get("address"):
                prefix = int(row.get("prefix") or ipaddress.ip_network(f"0.0.0.0/{row.get('netmask', 32)}").prefixlen)
                found.append(Interface(str(details.get("device", name)), str(row["address"]), prefix, details.get("mtu")))
    return tuple(found)


def is_virtual(name: str) -> bool:
    return name.startswith(NEVER)


def ring_interface(
    available: Sequence[Interface],
    *,
    wished: str | None = None,
    address: str | None = None,
    subnet: str | None = None,
    where: str | None = None,
) -> RingInterface:
    """The interface that carries the ring.

    Args:
        available: the host's addresses.
        wished: `ring_interface` of the inventory.
        address: `ring_address` of the inventory.
        subnet: `ring_subnet` of the inventory, such as 10.1.0.0/16.
        where: the host, for errors.
    Raises:
        InputError: what was asked for is not on the host; names what is.
    """
    seen = ", ".join(f"{one.name} {one.address}/{one.prefix}" for one in available) or "none"
    if address is not None:
        for one in available:
            if one.address == address and wished in (None, one.name):
                return RingInterface(one, f"it carries ring_address {address}")
        raise InputError(f"no interface carries ring_address {address}", where=where, hint=f"addresses of the host: {seen}")
    if wished is not None:
        for one in available:
            if one.name == wished:
                return RingInterface(one, "ring_interface names it")
        raise InputError(f"there is no interface {wished} with an address", where=where, hint=f"addresses of the host: {seen}")
    usable = [one for one in available if not is_virtual(one.name)]
    if subnet is not None:
        try:
            network = ipaddress.ip_network(subnet)
        except ValueError as error:
            raise InputError(f"ring_subnet is no network: {error}", where=where, hint="write it as 10.1.0.0/16") from None
        for one in usable:
            if ipaddress.ip_address(one.address) in network:
                return RingInterface(one, f"its address {one.address} lies in ring_subnet {subnet}")
        raise InputError(f"no address of the host lies in ring_subnet {subnet}", where=where, hint=f"addresses of the host: {seen}")
    if len(usable) == 1:
        return RingInterface(usable[0], "it is the only one that is not virtual")
    hint = f"set ring_interface, ring_address or ring_subnet; addresses of the host: {seen}"
    raise InputError("the ring's interface is not clear: the host has several", where=where, hint=hint)
