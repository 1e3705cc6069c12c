"""Which tasks a run selects by their tags."""

from __future__ import annotations

from collections.abc import Set


def selected(tags: Set[str], run: Set[str] = frozenset(), skip: Set[str] = frozenset()) -> bool:
    """Whether a task is run under `--tags run --skip-tags skip`.

    Args:
        tags: the task's, its parents' included.
        run: empty, or with `all`: every task but those tagged `never`; `tagged` and `untagged` choose by whether there are tags.
        skip: wins over `run`; `all` spares `always`, and `always` must be named to be skipped.
    Source: ansible-core's documentation of tags; statements 79 to 83 of its tried behaviour.
    """
    own = tags or {"untagged"}
    wanted = run or {"all"}
    never = "never" in own
    runs = (
        "always" in own
        or not own.isdisjoint(wanted)
        or ("all" in wanted and not never)
        or ("tagged" in wanted and bool(tags) and not never)
    )
    if not runs:
        return False
    if "all" in skip:
        return "always" in own and "always" not in skip
    return own.isdisjoint(skip) and not ("tagged" in skip and bool(tags))
