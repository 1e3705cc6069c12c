"""Where a template finds its names: its own locals, then the host's variables through the templar, then the globals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from jinja2.environment import Template
from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.utils import Cycler, missing

from ringup.errors import TemplateError

VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class Resolver(Protocol):
    """What a scope asks for names: a templar."""

    def resolve(self, name: str) -> Any:
        """The value of a variable or global, or Jinja's `missing`."""
        ...


class Scope:
    """The names visible to one template: `own` before those of the templar. It is never copied to a dictionary."""

    __slots__ = ("own", "templar")

    def __init__(self, templar: Resolver, own: Mapping[str, Any]) -> None:
        self.templar = templar
        self.own = own

    def resolve(self, name: str) -> Any:
        if name in self.own:
            return self.own[name]
        return self.templar.resolve(name)

    def within(self, own: Mapping[str, Any]) -> Scope:
        """A scope inside this one."""
        return Scope(self.templar, {**self.own, **{name: value for name, value in own.items() if value is not missing}})

    def __contains__(self, name: str) -> bool:
        return self.resolve(name) is not missing

    def __getitem__(self, name: str) -> Any:
        value = self.resolve(name)
        if value is missing:
            raise KeyError(name)
        return value


class VariableContext(Context):
    """Jinja's context over a `Scope`: creating one costs no copy of the variables, however many there are."""

    parent: Scope  # type: ignore[assignment]

    def __init__(self, environment: Any, parent: Any, name: str | None, blocks: Mapping[str, Any], globals: Any = None) -> None:
        self.parent = parent
        self.vars = {}
        self.environment = environment
        self.eval_ctx = EvalContext(environment, name)
        self.exported_vars = set()
        self.name = name
        self.globals_keys = set()
        self.blocks = {block: [render] for block, render in blocks.items()} if blocks else {}

    def resolve_or_missing(self, key: str) -> Any:
        if key in self.vars:
            return self.vars[key]
        return self.parent.resolve(key)

    def get_all(self) -> Any:
        return self.parent.within(self.vars) if self.vars else self.parent

    def derived(self, locals: dict[str, Any] | None = None) -> VariableContext:
        inner = VariableContext(self.environment, self.get_all().within(locals or {}), self.name, {})
        inner.eval_ctx = self.eval_ctx
        inner.blocks.update((name, list(renders)) for name, renders in self.blocks.items())
        return inner

    def call(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return listed(super().call(function, *args, **kwargs))

    __repr__ = object.__repr__


def listed(value: Any) -> Any:
    """A list for what can be walked only once (generators, `zip`, `map`) or not indexed (`keys()`); all else as it is."""
    kind = type(value)
    return list(value) if kind in VIEWS or (hasattr(kind, "__next__") and kind is not Cycler) else value


class VariableTemplate(Template):
    """A compiled template whose context is a `VariableContext`."""

    def new_context(self, vars: Any = None, shared: bool = False, locals: Mapping[str, Any] | None = None) -> Any:
        scope = vars if isinstance(vars, Scope) else Scope(NoVariables(self.environment.globals), vars or {})
        return VariableContext(self.environment, scope.within(locals) if locals else scope, self.name, self.blocks)

    def nodes_in(self, scope: Scope) -> Iterator[Any]:
        """The values of the template's parts, in order."""
        return self.root_render_func(VariableContext(self.environment, scope, self.name, self.blocks))


class NoVariables:
    """For templates that are imported without context: they see only globals."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def resolve(self, name: str) -> Any:
        return self._names.get(name, missing)

    def lookup(self, name: str, terms: Any, options: Any) -> Any:
        raise TemplateError(
            f"the lookup '{name}' is in a template that is imported without context", hint="write: import 'x' as y with context"
        )
