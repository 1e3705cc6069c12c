"""Interfaces and addresses, from `ip -j`, which every distribution of ours has; from /sys alone where it is missing."""

import json
import os


def gather(host):
    rows = ip(host, ["addr"])
    facts = {"interfaces": [], "all_ipv4_addresses": [], "all_ipv6_addresses": []}
    for row in rows:
        name = row["ifname"]
        facts["interfaces"].append(name)
        details = interface(row)
        facts[name.replace("-", "_").replace(".", "_").replace(":", "_")] = details
        for address in row.get("addr_info") or ():
            if address.get("family") == "inet" and not address["local"].startswith("127."):
                facts["all_ipv4_addresses"].append(address["local"])
            elif address.get("family") == "inet6" and address["local"] != "::1":
                facts["all_ipv6_addresses"].append(address["local"])
    facts["default_ipv4"] = default(ip(host, ["route"]), facts)
    return facts


def ip(host, words):
    try:
        result = host.run(["ip", "-j"] + words, timeout_s=5)
        return json.loads(result.stdout or "[]")
    except Exception:  # noqa: BLE001 - a host without `ip` still has facts
        return []


def interface(row):
    """One interface by Ansible's names."""
    folder = "/sys/class/net/%s" % row["ifname"]
    details = {
        "device": row["ifname"],
        "macaddress": row.get("address"),
        "mtu": row.get("mtu"),
        "active": row.get("operstate") in ("UP", "UNKNOWN"),
        "type": "loopback" if "LOOPBACK" in row.get("flags", ()) else "ether",
    }
    speed = number(os.path.join(folder, "speed"))
    if speed is not None and speed > 0:
        details["speed"] = speed
    ipv4 = [address(one) for one in row.get("addr_info") or () if one.get("family") == "inet"]
    if ipv4:
        details["ipv4"] = ipv4[0]
    if len(ipv4) > 1:
        details["ipv4_secondaries"] = ipv4[1:]
    ipv6 = [one for one in row.get("addr_info") or () if one.get("family") == "inet6"]
    if ipv6:
        details["ipv6"] = [{"address": one["local"], "prefix": str(one["prefixlen"]), "scope": one.get("scope")} for one in ipv6]
    return details


def address(entry):
    prefix = entry["prefixlen"]
    mask = (0xFFFFFFFF << (32 - prefix)) & 0xFFFFFFFF
    local = to_number(entry["local"])
    return {
        "address": entry["local"],
        "prefix": str(prefix),
        "netmask": to_text(mask),
        "network": to_text(local & mask),
        "broadcast": entry.get("broadcast", ""),
    }


def to_number(text):
    value = 0
    for part in text.split("."):
        value = value << 8 | int(part)
    return value


def to_text(value):
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def number(path):
    try:
        with open(path) as stream:
            return int(stream.read())
    except (OSError, ValueError):
        return None


def default(routes, facts):
    """The interface of the default route, with its address."""
    for route in routes:
        if route.get("dst") == "default" and route.get("dev"):
            details = facts.get(route["dev"].replace("-", "_").replace(".", "_")) or {}
            own = details.get("ipv4") or {}
            found = {"interface": route["dev"], "gateway": route.get("gateway"), "mtu": details.get("mtu")}
            found.update(own, macaddress=details.get("macaddress"), type=details.get("type"))
            return found
    return {}
