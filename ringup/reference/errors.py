"""Exit codes as a page, with the errors that end with each."""

from __future__ import annotations

import inspect

from ringup import errors
from ringup.reference.markdown import codes, page, table

INTRODUCTION = """\
Every error says what happened, where (a file with its line, or a host), and what to do. A run over hosts ends with the codes of
`ansible-playbook`: an unreachable host outweighs a failed one."""
#: what each code says to a script
CODES = {
    0: "All is as wanted: nothing failed, every host was reached, the ring was accepted.",
    1: "What was asked for cannot be had, or a check of the code failed.",
    2: "A task failed on a host; a rejected ring is one of them. In front of all tasks: Invoke has no task of that name.",
    3: "The command line asks for something that cannot be.",
    4: "A host could not be reached; or a file (inventory, playbook, role, template) is wrong, and then no host was touched.",
    99: "Interrupted.",
}


def errors_page() -> str:
    """The codes, their meaning, and the tree of errors as the code has it."""
    known = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, errors.RingupError)]
    rows = [[str(code), meaning, codes(one.__name__ for one in known if one.exit_code == code)] for code, meaning in CODES.items()]
    tree = "\n".join(line for line in (errors.__doc__ or "").splitlines() if line.startswith("    "))
    return page("Exit codes and errors", INTRODUCTION, table(["Code", "Meaning", "Errors"], rows), "## The errors", tree)
