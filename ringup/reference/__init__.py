"""The reference under docs/reference, written from the declarations themselves.

Pure: values in, pages out; the same values give the same bytes.

markdown.py   tables and escapes
tasks.py      Invoke's tasks and their options
modules.py    modules of the agent and actions, one page each
roles.py      roles and their variables
facts.py      what `setup` finds, and a table of what each fact is
errors.py     exit codes and the errors that end with them
pages.py      all pages, and which of those on disk are stale
"""

from ringup.reference.pages import Page, all_pages, stale, write

__all__ = ["Page", "all_pages", "stale", "write"]
