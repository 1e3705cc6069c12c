"""Namespaces, bridges, veth pairs and outbound NAT of a rack."""

from __future__ import annotations

import ipaddress
import json

from ringup.errors import LabError
from ringup.lab import machine, state
from ringup.lab.plan import MANAGEMENT_NETWORK, RING_NETWORK, LabHost, Rack

MOST_RACKS = 256


def free_index() -> int:
    """The lowest index whose two subnets meet no address, route or claim of this machine.

    Raises:
        LabError: all 256 are taken.
    """
    taken = claimed_indices()
    networks = [*addresses_in_use(), *routes_in_use()]
    for index in range(MOST_RACKS):
        pair = [ipaddress.IPv4Network(f"{prefix}.{index}.0/24") for prefix in (MANAGEMENT_NETWORK, RING_NETWORK)]
        if index not in taken and not any(used.overlaps(subnet) for used in networks for subnet in pair):
            return index
    raise LabError("no subnet of 198.18.0.0/15 is free on this machine", hint="take racks down: lab.list names them")


def claimed_indices() -> set[int]:
    """Indices of the racks that have been begun since the machine's boot, whatever folder they live in."""
    return {int(path.read_text().split()[0]) for path in state.CLAIMS.glob("*.claim")}


def addresses_in_use() -> list[ipaddress.IPv4Network]:
    shown = json.loads(machine.run("ip", "-j", "-4", "address").stdout or "[]")
    return [
        ipaddress.IPv4Network(f"{address['local']}/{address['prefixlen']}", strict=False)
        for link in shown
        for address in link.get("addr_info", ())
    ]


def routes_in_use() -> list[ipaddress.IPv4Network]:
    shown = json.loads(machine.run("ip", "-j", "-4", "route", "show", "table", "all").stdout or "[]")
    return [ipaddress.IPv4Network(route["dst"], strict=False) for route in shown if route.get("dst", "default") != "default"]


def make_bridges(rack: Rack) -> None:
    """Both bridges with the machine's addresses on them, and NAT for the management network."""
    for bridge, address in ((rack.management_bridge, rack.gateway), (rack.ring_bridge, rack.ring_gateway)):
        machine.run("ip", "link", "add", bridge, "type", "bridge")
        machine.run("ip", "address", "add", f"{address}/24", "dev", bridge)
        machine.run("ip", "link", "set", bridge, "up")
    machine.run("nft", "-f", "-", stdin=nat_rules(rack))


def nat_rules(rack: Rack) -> str:
    """The nft table of a rack: what leaves its management bridge for elsewhere carries the machine's address."""
    return (
        f"table ip {rack.nft_table} {{\n"
        f"  chain postrouting {{\n"
        f"    type nat hook postrouting priority srcnat; policy accept;\n"
        f'    ip saddr {rack.subnet} oifname != "{rack.management_bridge}" masquerade\n'
        f"  }}\n"
        f"}}\n"
    )


def plug_in(rack: Rack, host: LabHost) -> None:
    """A host's namespace with `eth0` on the management bridge and `eth1` on the ring bridge."""
    machine.run("ip", "netns", "add", host.namespace)
    batch = [
        f"link add {host.management_link} type veth peer name eth0 netns {host.namespace}",
        f"link set {host.management_link} master {rack.management_bridge} up",
        f"link add {host.ring_link} type veth peer name eth1 netns {host.namespace}",
        f"link set {host.ring_link} master {rack.ring_bridge} up",
    ]
    machine.run("ip", "-batch", "-", stdin="\n".join(batch))
    inside = [
        "link set lo up",
        f"address add {host.address}/24 dev eth0",
        "link set eth0 up",
        f"address add {host.ring_address}/24 dev eth1",
        "link set eth1 up",
        f"route add default via {rack.gateway}",
    ]
    machine.run("ip", "-n", host.namespace, "-batch", "-", stdin="\n".join(inside))
