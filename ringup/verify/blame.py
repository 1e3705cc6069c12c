"""Who is to blame, from what each host saw. Pure: tables in, findings out.

A host is accused when it fails with at least half of its partners; a single bad pair is a link (DESIGN.md section 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringup.verify.measurement import Blame

#: words by which a rank says that another one went first: a consequence, never a cause
CONSEQUENCES = ("closed by peer", "connection reset", "broken pipe", "signal 15", "sigterm", "connection closed", "peer closed")


def blame_mesh(answers: Mapping[str, Mapping[str, str]]) -> tuple[Blame, ...]:
    """Accuse hosts or links after the mesh of connections.

    Args:
        answers: host -> peer -> `ok` or the error its connection got.
    """
    bad = {(host, peer): error for host, peers in answers.items() for peer, error in peers.items() if error != "ok"}
    hosts = sorted(answers)
    partners = max(len(hosts) - 1, 1)
    failed_with: dict[str, set[str]] = {host: set() for host in hosts}
    for host, peer in bad:
        failed_with[host].add(peer)
        failed_with.setdefault(peer, set()).add(host)
    worst = max((len(failed) for failed in failed_with.values()), default=0)
    # when one host is cut off, all others fail with it, but only with it: those with the most failed partners are the cause
    accused = [host for host in sorted(failed_with) if failed_with[host] and len(failed_with[host]) == worst and 2 * worst >= partners]
    if partners == 1 or len(accused) == len(hosts):
        accused = []
    blames = [_accuse(host, bad) for host in accused]
    links = sorted({tuple(sorted(pair)) for pair in bad if not set(pair) & set(accused)})
    for one, other in links:
        error = bad.get((one, other)) or bad[other, one]
        hint = f"on {one}: ping the ring address of {other}; check its switch port, VLAN and firewall"
        blames.append(Blame(None, "preflight", f"{one} and {other} do not reach each other on the ring network: {error}", hint))
    return tuple(blames)


def _accuse(host: str, bad: Mapping[tuple[str, str], str]) -> Blame:
    peers = sorted({peer for pair in bad if host in pair for peer in pair if peer != host})
    error = next(error for pair, error in bad.items() if host in pair)
    hint = f"check the ring interface, its cable and the firewall of {host}: ip -s link; ss -ltn; nft list ruleset"
    return Blame(host, "preflight", f"not reached on the ring network by {', '.join(peers)}: {error}", hint)


def blame_job(results: Mapping[str, Mapping[str, Any]], world_size: int) -> tuple[Blame, ...]:
    """Accuse hosts after the job ended badly; nothing when every rank left in order.

    Args:
        results: host -> what `ring_worker` answered (or `failed`, `unreachable` with `msg`).
        world_size: ranks that had to take part.
    """
    broken = [
        Blame(host, "launch", str(result.get("msg") or "the ranks could not be started"), str(result.get("hint") or ""))
        for host, result in sorted(results.items())
        if result.get("failed") or result.get("unreachable")
    ]
    if broken:
        return tuple(broken)
    messages = [message for result in results.values() for message in result.get("messages", ())]
    left = {message["rank"] for message in messages if message["type"] == "left"}
    if len(left) == world_size:
        return _left_behind(results)
    crashed = [blame for host, result in sorted(results.items()) if (blame := _crash(host, result)) is not None]
    if crashed:
        return tuple(crashed)
    return _late(results)


def _left_behind(results: Mapping[str, Mapping[str, Any]]) -> tuple[Blame, ...]:
    return tuple(
        Blame(
            host,
            "cleanup",
            f"processes of the job could not be ended: {result['left_behind']}",
            "they are in the kernel's hands: reboot the host",
        )
        for host, result in sorted(results.items())
        if result.get("left_behind")
    )


def _crash(host: str, result: Mapping[str, Any]) -> Blame | None:
    """The host whose rank ended by an error of its own; errors that only repeat another's end are not causes."""
    if result.get("timedout") or result.get("rc") == 0:
        return None
    line = _cause(str(result.get("stderr", "")).splitlines())
    if line is None or any(word in line.lower() for word in CONSEQUENCES):
        return None
    return Blame(host, _last_stage(result), f"a rank ended: {line}", "the whole output is in the report's failure of this host")


def _cause(lines: Sequence[str]) -> str | None:
    """The line that names the exception, else the last that says anything."""
    named = [line.strip() for line in lines if "Error" in line.split(":")[0] and not line.startswith(" ")]
    tagged = [line.split("]:", 1)[1].strip() for line in lines if "]:" in line and "Error" in line.split("]:", 1)[1].split(":")[0]]
    spoken = [line.strip() for line in lines if line.strip()]
    found = tagged or named or spoken[-1:]
    return found[0] if found else None


def _last_stage(result: Mapping[str, Any]) -> str:
    stages = [str(message["stage"]) for message in result.get("messages", ()) if message["type"] == "stage"]
    return stages[-1] if stages else "launch"


def _late(results: Mapping[str, Mapping[str, Any]]) -> tuple[Blame, ...]:
    """A hang: the hosts that got least far are named, with the stage in which they stayed."""
    reached = {host: sum(1 for message in result.get("messages", ()) if message["type"] == "stage") for host, result in results.items()}
    least, most = min(reached.values()), max(reached.values())
    if least == most:
        stage = _last_stage(next(iter(results.values())))
        hint = "every rank waits in the same place: the ring network lost what was sent; check MTU end to end and the firewall"
        return (Blame(None, stage, f"no rank got beyond '{stage}' within its limit", hint),)
    return tuple(
        Blame(
            host,
            _last_stage(results[host]),
            f"stayed in '{_last_stage(results[host])}' while others went on",
            "look at its load and its ring link",
        )
        for host, count in sorted(reached.items())
        if count == least
    )
