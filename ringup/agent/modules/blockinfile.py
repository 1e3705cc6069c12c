"""A block of lines between two marker lines of a text file."""

import re

from .. import editing
from ..arguments import option
from ..diff import Diff
from ..failure import ModuleFailure
from ..lines import LINE_END, raw

AT_ONCE = True


class Args(editing.EditedFile):
    """Ensure a block of lines between marker lines in a text file, or its absence."""

    mutually_exclusive = (("insertbefore", "insertafter"),)

    state = option("str", choices=("present", "absent"), default="present", help="whether the block must be there")
    block = option("str", default="", aliases=("content",), help="the lines; an empty block is as good as state: absent")
    marker = option("str", default="# {mark} ANSIBLE MANAGED BLOCK", help="the marker line; {mark} becomes marker_begin or marker_end")
    marker_begin = option("str", default="BEGIN", help="{mark} of the line before the block")
    marker_end = option("str", default="END", help="{mark} of the line after the block")
    insertafter = option("str", help="where a new block goes: after the last match of this expression; EOF")
    insertbefore = option("str", help="where a new block goes: before the last match of this expression; BOF")
    create = option("bool", default=False, help="create the file when it does not exist")
    append_newline = option("bool", default=False, help="an empty line between the block and what follows")
    prepend_newline = option("bool", default=False, help="an empty line between what precedes and the block")


def check(args, host):
    before = editing.editable(args, create=args.create or args.state == "absent")
    if before is None and args.state == "absent":
        return Diff(values={"msg": "File %s not present" % args.path})
    try:
        after = with_block(before or b"", args)
    except re.error as error:
        raise ModuleFailure("not a regular expression: %s" % error, hint="escape what is meant as plain text")
    message = "" if before == after else "File created" if before is None else "Block inserted" if _block(args) else "Block removed"
    return editing.edited(args, before, after, {"msg": message})


def apply(args, diff, host):
    kept = editing.write(args, editing.content_of(args.path), diff.plan, host)
    return {"backup_file": kept} if kept else {}


def with_block(content, args):
    """The file's content with the block in its place (or without it). Pure.

    Without a block to remove nothing changes; ansible-core ends the last line of such a file and reports a change.
    """
    lines = content.splitlines(True)
    index = _cut(lines, args)
    if index is None and not _block(args):
        return content
    if index is None:
        index = _place(content, lines, args)
    if index and not lines[index - 1].endswith(LINE_END):
        lines[index - 1] += LINE_END
    present = args.state == "present"
    if present and args.prepend_newline and index and lines[index - 1] != LINE_END:
        lines.insert(index, LINE_END)
        index += 1
    block = _block(args)
    lines[index:index] = block
    behind = index + len(block)
    if present and args.append_newline and behind < len(lines) and lines[behind] != LINE_END:
        lines.insert(behind, LINE_END)
    return b"".join(lines)


def _marker(args, word):
    return raw(args.marker.replace("{mark}", word)) + LINE_END


def _block(args):
    if args.state == "absent" or not args.block:
        return []
    text = raw(args.block)
    text = text if text.endswith(LINE_END) else text + LINE_END
    return [_marker(args, args.marker_begin)] + text.splitlines(True) + [_marker(args, args.marker_end)]


def _cut(lines, args):
    """Take the old block with its markers out of the lines; gives where it was, or None."""
    begin = end = None
    for number, line in enumerate(lines):
        if line == _marker(args, args.marker_begin):
            begin = number
        if line == _marker(args, args.marker_end):
            end = number
    if begin is None or end is None:
        return None
    first, last = sorted((begin, end))
    del lines[first : last + 1]
    return first


def _place(content, lines, args):
    """Where a new block goes."""
    expression = args.insertafter if args.insertafter is not None else args.insertbefore
    if expression == "BOF" and args.insertbefore is not None:
        return 0
    if expression is None or (expression == "EOF" and args.insertafter is not None):
        return len(lines)
    pattern = re.compile(raw(expression))
    if pattern.flags & re.MULTILINE:
        match = pattern.search(content)
        if match is None:
            return len(lines)
        number = content.count(LINE_END, 0, match.end() if args.insertafter is not None else match.start())
    else:
        found = [number for number, line in enumerate(lines) if pattern.search(line)]
        if not found:
            return len(lines)
        number = found[-1]
    return number + 1 if args.insertafter is not None else number
