"""What playbooks may say, put together: modules of the agent, actions, filters and tests."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ringup.actions.registry import specs
from ringup.agent import catalogue
from ringup.playbook import Vocabulary
from ringup.playbook.values import NOTHING
from ringup.source import Source
from ringup.templating import Templar, check_expression, check_template


def vocabulary(
    roles_path: Sequence[Path] = (),
    extra_vars: Mapping[str, Any] = NOTHING,
    decrypt: Callable[[str, Source], str] | None = None,
) -> Vocabulary:
    """The vocabulary of this toolkit; an action and a module of one name (`copy`) are the action to playbooks.

    Args:
        roles_path: where roles are looked for after those beside the playbook.
        extra_vars: of the command line.
        decrypt: for files that are vaulted as a whole.
    """
    return Vocabulary(
        specs=ChainMap(specs(), catalogue.specs()),  # type: ignore[arg-type]
        check_template=check_template,
        check_expression=check_expression,
        roles_path=tuple(roles_path),
        extra_vars=extra_vars,
        decrypt=decrypt,
        render=lambda text, variables: Templar(variables).render(text),
    )
