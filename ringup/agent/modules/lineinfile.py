"""One line of a text file."""

import re

from .. import editing
from ..arguments import ArgumentError, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..lines import split, with_line, without

AT_ONCE = True


class Args(editing.EditedFile):
    """Ensure one line in a text file, or its absence."""

    mutually_exclusive = (("insertbefore", "insertafter"), ("regexp", "search_string"), ("backrefs", "search_string"))

    state = option("str", choices=("present", "absent"), default="present", help="whether the line must be there")
    line = option("str", aliases=("value",), help="the line")
    regexp = option("str", aliases=("regex",), help="the last line that matches is replaced; with absent, all that match go")
    search_string = option("str", help="like regexp, for a plain text within the line")
    insertafter = option("str", help="where a new line goes: after the last match of this expression; EOF or BOF")
    insertbefore = option("str", help="where a new line goes: before the last match of this expression; BOF")
    backrefs = option("bool", default=False, help="line may use groups of regexp; without a match the file stays as it is")
    firstmatch = option("bool", default=False, help="the first match counts, not the last")
    create = option("bool", default=False, help="create the file when it does not exist")


def check(args, host):
    _judge(args)
    before = editing.editable(args, create=args.create or args.state == "absent")
    if before is None and args.state == "absent":
        return Diff(values={"msg": "file not present"})
    lines = split(before or b"")
    try:
        if args.state == "present":
            after, message = with_line(lines, args)
            values = {"msg": message, "backup": ""}
        else:
            after = without(lines, args)
            found = len(lines) - len(after)
            values = {"msg": "%d line(s) removed" % found if found else "", "found": found, "backup": ""}
    except re.error as error:
        raise ModuleFailure("not a regular expression: %s" % error, hint="escape what is meant as plain text, or use search_string")
    return editing.edited(args, before, b"".join(after), values)


def apply(args, diff, host):
    return {"backup": editing.write(args, editing.content_of(args.path), diff.plan, host) or ""}


def _judge(args):
    if args.state == "present" and args.line is None:
        raise ArgumentError("line is required with state=present", "say which line must be there")
    if args.state == "present" and args.backrefs and args.regexp is None:
        raise ArgumentError("regexp is required with backrefs=true", "backrefs takes its groups from regexp")
    if args.state == "absent" and args.line is None and args.regexp is None and args.search_string is None:
        raise ArgumentError("one of line, search_string, or regexp is required with state=absent", "say which lines must go")
