"""One task on this host: parse the arguments, decide, act, answer. The single broad catch of the agent is here."""

import importlib

from .arguments import ArgumentError, parse
from .diff import Diff
from .failure import REMEDIES, ModuleFailure, plainly


def load(name):
    """The module's file; ImportError when there is none."""
    return importlib.import_module(".modules." + name, __package__)


def kind_of(module):
    for kind in ("check", "read", "run"):
        if hasattr(module, kind):
            return "converge" if kind == "check" else kind
    raise TypeError("%s has neither check, read nor run" % module.__name__)


def perform(name, given, host):
    """Run one module and give its result by Ansible's keys. Never raises for anything the module does."""
    try:
        module = load(name)
        args = parse(module.Args, given)
        kind = kind_of(module)
        if kind == "converge":
            return _converge(module, args, host)
        result = dict(module.read(args, host) if kind == "read" else module.run(args, host))
        result.setdefault("changed", False)
        return result
    except ArgumentError as error:
        return _failed(error.message, error.hint)
    except ModuleFailure as failure:
        return dict(_failed(failure.message, failure.hint), **failure.values)
    except OSError as error:
        return _failed(plainly(error), REMEDIES.get(error.errno or 0), errno=error.errno)
    except Exception as error:  # noqa: BLE001 - the agent's one broad catch
        import traceback  # 6 ms that a host which works never pays

        # a fault of ours: the words for the operator, the traceback for the report
        return _failed("%s: %s" % (type(error).__name__, error), exception=traceback.format_exc())


def perform_at_once(message, make_host):
    """The result of a task that only looks and finds everything as wanted, without a fork; None when it has more to do.

    Deciding reads only, so it needs no process of its own; a module says with `AT_ONCE = True` that its `check` (or `read`) is
    quick and runs no programs; `AT_ONCE(args)` decides it case by case. What is to be changed is decided again, and done, in the fork.
    """
    try:
        module = load(message["module"])
        at_once = getattr(module, "AT_ONCE", False)
        if not at_once:
            return None
        args = parse(module.Args, message.get("args") or {})
        if callable(at_once) and not at_once(args):
            return None
        host = make_host()
        if hasattr(module, "read"):
            return dict({"changed": False}, **module.read(args, host))
        diff = module.check(args, host)
        return None if diff else dict(diff.values, changed=False)
    except Exception:  # noqa: BLE001 - whatever it is, the fork meets it again and answers with it
        return None


def _converge(module, args, host):
    diff = module.check(args, host)
    if not isinstance(diff, Diff):
        raise TypeError("check() of %s gave no Diff" % module.__name__)
    result = dict(diff.values, changed=bool(diff))
    if diff and not host.check:
        result.update(module.apply(args, diff, host) or {})
    if diff and host.diff:
        result["diff"] = [change.as_dict() for change in diff.changes]
    return result


def _failed(message, hint=None, **values):
    result = {"failed": True, "changed": False, "msg": message}
    if hint:
        result["hint"] = hint
    result.update(values)
    return result
