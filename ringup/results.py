"""What a task did on one host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one task on one host.

    Attributes:
        values: what playbooks see after `register`, by Ansible's names: `changed`, `failed`, `skipped`, `unreachable`, `msg`,
            `rc`, `stdout`, `stdout_lines`, `results`, `diff`, `ansible_facts`, ... Only the keys that apply are there.
        no_log: the values are secret: listeners show `shown()`.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    no_log: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.values.get("changed"))

    @property
    def failed(self) -> bool:
        return bool(self.values.get("failed"))

    @property
    def skipped(self) -> bool:
        return bool(self.values.get("skipped"))

    @property
    def unreachable(self) -> bool:
        return bool(self.values.get("unreachable"))

    @property
    def message(self) -> str:
        return str(self.values.get("msg", ""))

    def shown(self) -> Mapping[str, Any]:
        """The values as they may be printed, kept or sent on: nothing but the flags when `no_log` is set."""
        if not self.no_log:
            return self.values
        flags = {key: self.values[key] for key in ("changed", "failed", "skipped", "unreachable") if key in self.values}
        return {**flags, "censored": "the output is hidden because 'no_log: true' was given for this task"}
