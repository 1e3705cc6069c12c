"""Every match of a regular expression in a text file."""

import re

from .. import editing
from ..arguments import option
from ..diff import Diff
from ..failure import ModuleFailure

AT_ONCE = True


class Args(editing.EditedFile):
    """Replace every match of a regular expression in a text file."""

    regexp = option("str", required=True, help="Python regular expression; ^ and $ match at every line")
    replace = option("str", default="", help="the replacement; may use groups as \\1 or \\g<name>; empty removes the match")
    after = option("str", help="only what follows the first match of this expression is changed")
    before = option("str", help="only what precedes the first match of this expression is changed")
    encoding = option("str", default="utf-8", help="encoding of the file")


def check(args, host):
    content = editing.editable(args, create=False)
    try:
        text, count = replaced(content.decode(args.encoding, "surrogateescape"), args)
    except re.error as error:
        raise ModuleFailure("Unable to process replace due to error: %s" % error, hint="escape what is meant as plain text")
    except (LookupError, UnicodeDecodeError) as error:
        raise ModuleFailure("%s cannot be read: %s" % (args.path, error), hint="name its encoding")
    if text is None:
        return Diff(values={"rc": 0, "msg": "Pattern for before/after params did not match the given file: %s" % section(args)})
    after = text.encode(args.encoding, "surrogateescape")
    return editing.edited(args, content, after, {"rc": 0, "msg": "%d replacements made" % count if after != content else ""})


def apply(args, diff, host):
    kept = editing.write(args, editing.content_of(args.path), diff.plan, host)
    return {"backup_file": kept} if kept else {}


def section(args):
    """The expression for the part of the file that may change; empty: all of it."""
    if args.after and args.before:
        return "%s(?P<subsection>.*?)%s" % (args.after, args.before)
    if args.after:
        return "%s(?P<subsection>.*)" % args.after
    return "(?P<subsection>.*)%s" % args.before if args.before else ""


def replaced(text, args):
    """The text with its matches replaced, and their number; (None, 0) when `after` and `before` match nothing. Pure."""
    begin, end = 0, len(text)
    if section(args):
        match = re.search(section(args), text, re.DOTALL)
        if match is None:
            return None, 0
        begin, end = match.span("subsection")
    changed, count = re.subn(args.regexp, args.replace, text[begin:end], flags=re.MULTILINE)
    return text[:begin] + changed + text[end:], count
