"""Wait until a port answers, a file is there, or they are gone."""

import os
import re
import socket
import time

from ..arguments import ArgumentError, Arguments, option
from ..failure import ModuleFailure
from ..tcp import STATES, connections

EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


class Args(Arguments):
    """Wait for a port or a file on the host to be there, to say something, or to be gone."""

    mutually_exclusive = (("port", "path"),)

    host = option("str", default="127.0.0.1", help="address or name to connect to, as the host sees it")
    port = option("int", help="TCP port to wait for")
    path = option("path", help="file to wait for")
    state = option(
        "str",
        choices=("started", "present", "stopped", "absent", "drained"),
        default="started",
        help="started or present: it answers, or exists; stopped or absent: it does not; drained: no connection of the port is active",
    )
    search_regex = option("str", help="text that the file must hold or the port must send (searched line by line)")
    timeout = option("int", default=300, help="limit, in seconds")
    delay = option("int", default=0, help="wait this long before the first look, in seconds")
    sleep = option("int", default=1, help="pause between two looks, in seconds")
    connect_timeout = option("int", default=5, help="limit of one attempt to connect, in seconds")
    active_connection_states = option("list", elements="str", default=tuple(sorted(STATES)), help="states that count as active for drained")
    exclude_hosts = option("list", elements="str", help="addresses whose connections do not count for drained")
    msg = option("str", help="what to say when the limit is reached")


def run(args, host):
    """Wait; nothing changes. Check mode does not wait for what no task has started."""
    pattern = _judged(args)
    if host.check:
        return {"skipped": True, "msg": "would have waited if not in check mode"}
    begin = time.monotonic()
    time.sleep(args.delay)
    found = _awaited(args, pattern, begin + args.timeout)
    elapsed = int(time.monotonic() - begin)
    if found is None:
        raise ModuleFailure(args.msg or _late(args), hint="look at what should be there, or raise timeout", elapsed=elapsed)
    return {
        "state": args.state,
        "port": args.port,
        "path": args.path,
        "search_regex": args.search_regex,
        "match_groups": list(found.groups()) if found is not True else [],
        "match_groupdict": found.groupdict() if found is not True else {},
        "elapsed": elapsed,
    }


def _judged(args):
    """The compiled expression, when options fit together."""
    if args.path and args.state in ("stopped", "drained"):
        raise ArgumentError("state=%s should only be used for checking a port" % args.state, "for a file: absent")
    if args.exclude_hosts is not None and args.state != "drained":
        raise ArgumentError("exclude_hosts should only be with state=drained", "leave it out")
    unknown = sorted(set(args.active_connection_states) - set(STATES))
    if unknown:
        raise ArgumentError("unknown active_connection_state (%s) defined" % unknown[0], "one of: %s" % ", ".join(sorted(STATES)))
    try:
        return re.compile(args.search_regex, re.MULTILINE) if args.search_regex is not None else None
    except re.error as error:
        raise ArgumentError("Invalid regular expression: %s" % error, "escape what is meant as plain text")


def _awaited(args, pattern, deadline):
    """A match, True when there is nothing to match, or None when the limit came first."""
    if args.port is None and args.path is None and args.state != "drained":
        time.sleep(max(0.0, deadline - time.monotonic()))
        return True
    while True:
        found = _looked(args, pattern, deadline)
        if found:
            return found
        if time.monotonic() + args.sleep >= deadline:
            # one last look at the limit itself
            time.sleep(max(0.0, deadline - time.monotonic()))
            return _looked(args, pattern, deadline + args.connect_timeout) or None
        time.sleep(args.sleep)


def _looked(args, pattern, deadline):
    if args.state == "drained":
        return not _active(args)
    there = _file(args.path, pattern) if args.path else _port(args, pattern, deadline)
    if args.state in ("absent", "stopped"):
        return there is None
    return there


def _file(path, pattern):
    """True or a match; False when the file does not hold the text; None when there is no file."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ModuleFailure("Failed to stat %s, %s" % (path, error.strerror), hint="set become: true, or correct the path")
    if pattern is None:
        return True
    try:
        with open(path, "rb") as stream:
            return pattern.search(stream.read().decode("utf-8", "replace")) or False
    except OSError:
        return False


def _port(args, pattern, deadline):
    """True or a match; False when the text does not come; None when nothing listens."""
    limit = max(0.1, min(args.connect_timeout, deadline - time.monotonic()))
    try:
        connection = socket.create_connection((args.host, args.port), limit)
    except OSError:
        return None
    with connection:
        if pattern is None:
            return True
        heard = ""
        while time.monotonic() < deadline:
            connection.settimeout(max(0.1, deadline - time.monotonic()))
            try:
                piece = connection.recv(4096)
            except OSError:
                return False
            heard += piece.decode("utf-8", "replace")
            match = pattern.search(heard)
            if match or not piece:
                return match or False
    return False


def _active(args):
    """The connections of the port that stand in the way of `drained`."""
    states = {STATES[name] for name in args.active_connection_states}
    excluded = _addresses(args.exclude_hosts or [])
    own = None if args.host in EVERY_ADDRESS else _addresses([args.host])
    return [
        connection
        for connection in connections()
        if connection.state in states
        and (args.port is None or connection.local[1] == args.port)
        and (own is None or connection.local[0] in own)
        and connection.remote[0] not in excluded
    ]


def _addresses(names):
    try:
        return {entry[4][0] for name in names for entry in socket.getaddrinfo(name, None)}
    except socket.gaierror as error:
        raise ModuleFailure("cannot resolve %s: %s" % (", ".join(names), error.strerror), hint="write addresses")


def _late(args):
    if args.path:
        if args.search_regex:
            return "Timeout when waiting for search string %s in %s" % (args.search_regex, args.path)
        return "Timeout when waiting for %s" % ("%s to be absent." % args.path if args.state == "absent" else "file %s" % args.path)
    place = "%s:%s" % (args.host, args.port)
    if args.state == "drained":
        return "Timeout when waiting for %s to drain" % place
    if args.state in ("absent", "stopped"):
        return "Timeout when waiting for %s to stop." % place
    if args.search_regex:
        return "Timeout when waiting for search string %s in %s" % (args.search_regex, place)
    return "Timeout when waiting for %s" % place
