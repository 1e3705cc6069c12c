"""Jinja2 as ansible-core 2.19 sets it up: native values, strict names, lists instead of generators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from jinja2 import BaseLoader, Environment, FileSystemLoader, nodes
from jinja2.compiler import Frame
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.lexer import TOKEN_STRING, TOKEN_VARIABLE_BEGIN, TOKEN_VARIABLE_END, Lexer
from jinja2.nativetypes import NativeCodeGenerator
from jinja2.tests import TESTS as JINJA_TESTS

from ringup.templating.context import VariableContext, VariableTemplate, listed
from ringup.templating.filters import FILTERS, SEES_UNDEFINED
from ringup.templating.globals import GLOBALS
from ringup.templating.results import joined, stated
from ringup.templating.tests import TESTS
from ringup.templating.undefined import Undefined

#: Prefixes by which playbooks may name what is built in.
PREFIXES = ("", "ansible.builtin.", "ansible.legacy.")


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """How a text is cut into templates; the names and defaults are those of Ansible's template module."""

    block_start_string: str = "{%"
    block_end_string: str = "%}"
    variable_start_string: str = "{{"
    variable_end_string: str = "}}"
    comment_start_string: str = "{#"
    comment_end_string: str = "#}"
    line_statement_prefix: str | None = None
    line_comment_prefix: str | None = None
    trim_blocks: bool = True
    lstrip_blocks: bool = False
    newline_sequence: str = "\n"
    keep_trailing_newline: bool = False


class EmbeddedTemplate(str):
    """A constant in a template that is a template itself: `lookup('file', '{{ folder }}/x')`. Only lookups render it."""

    __slots__ = ()


class NativeCode(NativeCodeGenerator):
    """Compiles templates so that `{{ x }}` alone gives x itself, whatever its type."""

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        parts = list(group)
        return repr(joined(parts))

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> Any:
        # anything more than a constant may give another value next time: the time, a file, a random number
        if not isinstance(node, nodes.TemplateData | nodes.Const) or _is_embedded(node):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802 - named by Jinja
        if _is_embedded(node):
            self.write(f"environment.embedded(context, {node.value!r})")
        else:
            super().visit_Const(node, frame)


def _is_embedded(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str) and ("{{" in node.value or "{%" in node.value)


class KeptBackslashes(Lexer):
    """Leaves backslashes in string constants as YAML gave them: `regex_replace('(.)', '\\1')` means the group, not a control character."""

    def tokeniter(self, *args: Any, **kwargs: Any) -> Iterator[tuple[int, str, str]]:
        within = False
        for line, token, text in super().tokeniter(*args, **kwargs):
            if token == TOKEN_VARIABLE_BEGIN:
                within = True
            elif token == TOKEN_VARIABLE_END:
                within = False
            yield line, token, text.replace("\\", "\\\\") if within and token == TOKEN_STRING else text


class TemplateEnvironment(Environment):
    """For template files, and the base of the two below."""

    context_class = VariableContext
    template_class = VariableTemplate
    code_generator_class = NativeCode
    concat = staticmethod(joined)

    def __init__(self, options: TemplateOptions, loader: BaseLoader | None) -> None:
        super().__init__(**asdict(options), undefined=Undefined, autoescape=False, optimized=False, loader=loader, cache_size=400)
        self.filters = BUILT_FILTERS
        self.tests = BUILT_TESTS  # type: ignore[assignment]
        self.globals = GLOBALS
        #: text -> template; texts come from the operator's files, so there is an end to them
        self.compiled: dict[str, VariableTemplate] = {}

    def embedded(self, context: VariableContext, text: str) -> Any:
        """The value of a constant that holds a template; called by compiled code."""
        return EmbeddedTemplate(text)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`: methods and attributes first, then keys, as Jinja does; what begins with an underscore is only ever a key."""
        if not attribute.startswith("_") and (not isinstance(obj, dict) or attribute in DICT_METHODS):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        elif isinstance(obj, Undefined):
            return obj
        try:
            return obj[attribute]
        except (TypeError, LookupError, AttributeError):
            return self.undefined(obj=obj, name=attribute)


class TextEnvironment(TemplateEnvironment):
    """For strings of playbooks and variables. What they include is read as a template file."""

    def __init__(self, options: TemplateOptions, loader: BaseLoader | None, files: TemplateEnvironment) -> None:
        super().__init__(options, loader)
        self._files = files
        self._lexer = KeptBackslashes(self)

    @property
    def lexer(self) -> Lexer:
        return self._lexer

    def get_template(self, *args: Any, **kwargs: Any) -> Any:
        return self._files.get_template(*args, **kwargs)

    def select_template(self, *args: Any, **kwargs: Any) -> Any:
        return self._files.select_template(*args, **kwargs)


class ConditionEnvironment(TemplateEnvironment):
    """For `when` and its kin: constants that hold templates are rendered in place."""

    def embedded(self, context: VariableContext, text: str) -> Any:
        templar: Any = context.parent.templar
        return templar.render(text)


DICT_METHODS = frozenset(name for name in dir(dict) if not name.startswith("_"))


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that hands an undefined argument on instead of failing, and gives lists for generators."""

    @functools.wraps(function)
    def careful(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            if isinstance(argument, Undefined):
                return argument
        return listed(function(*args, **kwargs))

    return careful


def _named(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    return {prefix + name: function for prefix in PREFIXES for name, function in functions.items()}


ALL_FILTERS: dict[str, Callable[..., Any]] = {**JINJA_FILTERS, **FILTERS}
BUILT_FILTERS = _named({name: function if name in SEES_UNDEFINED else _careful(function) for name, function in ALL_FILTERS.items()})
BUILT_TESTS = _named({**cast(dict[str, Any], JINJA_TESTS), **TESTS})


@functools.lru_cache(maxsize=256)
def file_environment(options: TemplateOptions, search_path: tuple[Path, ...]) -> TemplateEnvironment:
    """For files with these options, that include from these folders and the `templates` in them."""
    folders = [folder / sub for folder in search_path for sub in ("templates", "")]
    environment = TemplateEnvironment(options, FileSystemLoader(folders))
    environment.finalize = stated
    return environment


@functools.lru_cache(maxsize=256)
def text_environment(search_path: tuple[Path, ...]) -> TextEnvironment:
    """For strings of playbooks that include from these folders."""
    files = file_environment(TemplateOptions(), search_path)
    return TextEnvironment(TemplateOptions(), files.loader, files)


CONDITIONS = ConditionEnvironment(TemplateOptions(), None)
