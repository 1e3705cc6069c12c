"""What is said of a failed or unreachable host: the message, the program's own last words, what to do."""

from __future__ import annotations

from ringup.results import Result

#: how much of a program's output is repeated beside a failure
TAIL_LINES = 10


def failure_lines(result: Result) -> list[str]:
    """Message first, then stderr or stdout (their last lines), then the hint; secrets never."""
    values = result.shown()
    if "censored" in values:
        return [str(values["censored"])]
    lines = [str(values.get("msg") or "failed without a message")]
    lines += [
        f"item {item.get(item.get('ansible_loop_var', 'item'))!r}: {item.get('msg', '')}"
        for item in values.get("results", ())
        if isinstance(item, dict) and item.get("failed")
    ]
    for stream in ("stderr", "stdout"):
        tail = str(values.get(stream) or "").rstrip().splitlines()[-TAIL_LINES:]
        if tail and tail != lines[:1]:
            lines += [f"{stream}: {line}" for line in tail]
            break
    if values.get("hint"):
        lines.append(f"hint: {values['hint']}")
    if values.get("exception"):
        lines.append("this is a fault of ringup: please report it with the report file")
    return lines
