"""Interfaces, addresses, default routes and name servers."""

import os
import socket
import struct

from . import netlink
from .reading import names, number, text

#: hardware types of linux/if_arp.h in the words of Ansible's facts
KINDS = {1: "ether", 32: "infiniband", 512: "ppp", 768: "tunnel", 772: "loopback", 776: "sit", 778: "gre"}
NET = "/sys/class/net"


def interfaces(host):
    """All interfaces with their addresses, and which of them leads to the rest of the world."""
    links, addresses = netlink.links(), netlink.addresses()
    by_index = {link["index"]: link for link in links}
    facts = {"interfaces": [link["name"] for link in links]}
    for link in links:
        own = [address for address in addresses if address["index"] == link["index"]]
        facts[fact_name(link["name"])] = interface(link, own)
    for family, number_of in (("inet", "4"), ("inet6", "6")):
        local = "127." if family == "inet" else "::1"
        facts["all_ipv%s_addresses" % number_of] = [
            one["address"] for one in addresses if one["family"] == family and not one["address"].startswith(local)
        ]
    routes = netlink.default_routes()
    facts["default_ipv4"] = default("inet", routes, by_index, addresses)
    facts["default_ipv6"] = default("inet6", routes, by_index, addresses)
    return facts


def fact_name(interface):
    """Ansible names the facts of eth0.100 and br-lan `eth0_100` and `br_lan`."""
    return interface.replace("-", "_").replace(".", "_").replace(":", "_")


def interface(link, addresses):
    """One interface by Ansible's names."""
    folder = os.path.join(NET, link["name"])
    details = {
        "device": link["name"],
        "active": link["operstate"] in ("up", "unknown") and bool(link["flags"] & netlink.FLAG_UP),
        "mtu": link["mtu"],
        "type": kind_of(link, folder),
        "promisc": link["promiscuous"],
    }
    if link["address"] and link["kind"] != 772:
        details["macaddress"] = link["address"]
    details.update(hardware(folder))
    ipv4 = [ipv4_details(address) for address in addresses if address["family"] == "inet"]
    if ipv4:
        details["ipv4"] = ipv4[0]
    if len(ipv4) > 1:
        details["ipv4_secondaries"] = ipv4[1:]
    ipv6 = [address for address in addresses if address["family"] == "inet6"]
    if ipv6:
        details["ipv6"] = [{"address": one["address"], "prefix": str(one["prefix"]), "scope": one["scope"]} for one in ipv6]
    return details


def kind_of(link, folder):
    for sign, word in (("bridge", "bridge"), ("bonding", "bonding"), ("wireless", "wireless")):
        if os.path.isdir(os.path.join(folder, sign)):
            return word
    return KINDS.get(link["kind"], "unknown")


def hardware(folder):
    """What the device behind an interface is, where there is one."""
    details = {}
    speed = number(os.path.join(folder, "speed"))
    if speed is not None:
        details["speed"] = speed
    device = os.path.join(folder, "device")
    if os.path.exists(device):
        module = os.path.join(device, "driver/module")
        if os.path.exists(module):
            details["module"] = os.path.basename(os.path.realpath(module))
        details["pciid"] = os.path.basename(os.path.realpath(device))
        numa = number(os.path.join(device, "numa_node"))
        if numa is not None and numa >= 0:
            details["numa_node"] = numa
    below = names(os.path.join(folder, "brif"))
    if below:
        details["interfaces"] = below
    slaves = text(os.path.join(folder, "bonding/slaves")).split()
    if slaves:
        details["slaves"] = slaves
    return details


def ipv4_details(address):
    mask = (0xFFFFFFFF << (32 - address["prefix"])) & 0xFFFFFFFF
    own = struct.unpack("!I", socket.inet_aton(address["address"]))[0]
    return {
        "address": address["address"],
        "prefix": str(address["prefix"]),
        "netmask": _dotted(mask),
        "network": _dotted(own & mask),
        "broadcast": address["broadcast"],
    }


def _dotted(value):
    return socket.inet_ntoa(struct.pack("!I", value))


def default(family, routes, by_index, addresses):
    """The interface of the best default route, with the address that goes out there."""
    for route in routes:
        link = by_index.get(route["index"])
        if route["family"] != family or link is None:
            continue
        found = {"interface": link["name"], "gateway": route.get("gateway"), "mtu": link["mtu"], "macaddress": link["address"]}
        found["type"] = kind_of(link, os.path.join(NET, link["name"]))
        own = [one for one in addresses if one["family"] == family and one["index"] == link["index"]]
        own.sort(key=lambda one: (one["address"] != route.get("source"), one["scope"] != "global"))
        if own and family == "inet":
            found.update(ipv4_details(own[0]), alias=link["name"])
        elif own:
            found.update(address=own[0]["address"], prefix=str(own[0]["prefix"]), scope=own[0]["scope"])
        return found
    return {}


def dns(host):
    """Name servers and search list of /etc/resolv.conf."""
    found = {}
    for line in text("/etc/resolv.conf").splitlines():
        words = line.split()
        if len(words) < 2 or words[0][0] in "#;":
            continue
        if words[0] == "nameserver":
            found.setdefault("nameservers", []).append(words[1])
        elif words[0] == "domain":
            found["domain"] = words[1]
        elif words[0] in ("search", "sortlist"):
            found[words[0]] = words[1:]
        elif words[0] == "options":
            pairs = (word.partition(":") for word in words[1:])
            found["options"] = {name: value or True for name, _, value in pairs}
    return {"dns": found}
