"""Interfaces, addresses and routes, asked from the kernel itself (rtnetlink(7)): a program takes longer to start than this to answer."""

import socket
import struct

#: message types and flags. Source: linux/rtnetlink.h, linux/netlink.h
LINKS, ADDRESSES, ROUTES = 18, 22, 26
ERROR, DONE = 2, 3
REQUEST_DUMP = 0x301
HEADER = struct.Struct("=IHHII")
LINK, ADDRESS, ROUTE = struct.Struct("=BxHiII"), struct.Struct("=BBBBI"), struct.Struct("=BBBBBBBBI")
BODIES = {LINKS: LINK, ADDRESSES: ADDRESS, ROUTES: ROUTE}
#: attributes that we read, by message type
ATTRIBUTES = {
    LINKS: {1: "address", 3: "name", 4: "mtu", 16: "operstate", 30: "promiscuity"},
    ADDRESSES: {1: "address", 2: "local", 4: "broadcast"},
    ROUTES: {1: "destination", 4: "interface", 5: "gateway", 6: "priority", 7: "source"},
}
#: words of IF_OPER_*. Source: RFC 2863, linux/if.h
OPERSTATES = ("unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up")
FAMILIES = {socket.AF_INET: "inet", socket.AF_INET6: "inet6"}
SCOPES = {0: "global", 200: "site", 253: "link", 254: "host"}
FLAG_UP = 0x1
MAIN_TABLE = 254
LIMIT_S = 2.0


def _messages(kind, family=socket.AF_UNSPEC):
    """Bodies of all answers to a request for everything of a kind."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0) as channel:
        channel.settimeout(LIMIT_S)
        body = bytes([family]) + bytes(BODIES[kind].size - 1)
        channel.send(HEADER.pack(HEADER.size + len(body), kind, REQUEST_DUMP, 1, 0) + body)
        while True:
            piece = channel.recv(1 << 18)
            while len(piece) >= HEADER.size:
                length, answer, _, _, _ = HEADER.unpack_from(piece)
                if answer in (DONE, ERROR):
                    return
                yield piece[HEADER.size : length]
                piece = piece[(length + 3) & ~3 :]


def _attributes(kind, body):
    found = {}
    while len(body) >= 4:
        length, number = struct.unpack_from("=HH", body)
        if length < 4:
            break
        name = ATTRIBUTES[kind].get(number & 0x3FFF)
        if name:
            found[name] = body[4:length]
        body = body[(length + 3) & ~3 :]
    return found


def links():
    """[{index, name, mtu, address, operstate, flags, promiscuous, kind}]; `kind` is the hardware type of linux/if_arp.h."""
    found = []
    for body in _messages(LINKS):
        _, kind, index, flags, _ = LINK.unpack_from(body)
        told = _attributes(LINKS, body[LINK.size :])
        found.append(
            {
                "index": index,
                "name": told["name"].rstrip(b"\0").decode("utf-8", "replace"),
                "mtu": _whole(told.get("mtu")),
                "address": ":".join("%02x" % byte for byte in told.get("address", b"")),
                "operstate": OPERSTATES[ord(told["operstate"])] if "operstate" in told else "unknown",
                "flags": flags,
                "promiscuous": bool(_whole(told.get("promiscuity"))),
                "kind": kind,
            }
        )
    return found


def addresses():
    """[{index, family, address, prefix, broadcast, scope}]"""
    found = []
    for body in _messages(ADDRESSES):
        family, prefix, _, scope, index = ADDRESS.unpack_from(body)
        told = _attributes(ADDRESSES, body[ADDRESS.size :])
        own = told.get("local") or told.get("address")
        if family in FAMILIES and own:
            found.append(
                {
                    "index": index,
                    "family": FAMILIES[family],
                    "address": socket.inet_ntop(family, own),
                    "prefix": prefix,
                    "broadcast": socket.inet_ntop(family, told["broadcast"]) if "broadcast" in told else "",
                    "scope": SCOPES.get(scope, str(scope)),
                }
            )
    return found


def default_routes():
    """[{family, index, gateway, source, priority}] of the main table, best first."""
    found = []
    for family, word in FAMILIES.items():
        for body in _messages(ROUTES, family):
            _, length, _, _, table, _, _, kind, _ = ROUTE.unpack_from(body)
            told = _attributes(ROUTES, body[ROUTE.size :])
            # unicast routes to everywhere
            if table != MAIN_TABLE or length != 0 or kind != 1 or "interface" not in told:
                continue
            shown = {name: socket.inet_ntop(family, told[name]) for name in ("gateway", "source") if name in told}
            found.append(dict(shown, family=word, index=_whole(told["interface"]), priority=_whole(told.get("priority")) or 0))
    return sorted(found, key=lambda route: route["priority"])


def _whole(raw):
    return struct.unpack("=I", raw)[0] if raw else None
