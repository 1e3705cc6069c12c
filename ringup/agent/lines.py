"""The rules by which lineinfile finds the place of a line. Pure: lines of bytes in, lines of bytes out."""

import re

LINE_END = b"\n"


def split(content):
    """Lines with their ends, split at line feeds only (`splitlines` splits at carriage returns and form feeds, too)."""
    *whole, tail = content.split(LINE_END)
    return [line + LINE_END for line in whole] + ([tail] if tail else [])


def raw(text):
    return text.encode("utf-8", "surrogateescape")


def bare(line):
    return line.rstrip(b"\r\n")


def matcher(args):
    """A function that gives a true value for a line which `regexp` or `search_string` means; None when neither is given."""
    if args.regexp is not None:
        return re.compile(raw(args.regexp)).search
    if args.search_string is not None:
        needle = raw(args.search_string)
        return lambda line: needle in line
    return None


def without(lines, args):
    """The lines that are left when those meant by `regexp`, `search_string` or `line` are gone."""
    meant = matcher(args)
    if meant is None:
        wanted = raw(args.line)
        return [line for line in lines if bare(line) != wanted]
    return [line for line in lines if not meant(line)]


def with_line(lines, args):
    """The lines with the wanted one in its place, and what was done in Ansible's words (empty: nothing).

    A line that `regexp` or `search_string` finds is replaced. Else an equal line stays where it is. Else the line is inserted where
    insertafter and insertbefore say, or at the end.
    """
    wanted = raw(args.line)
    index, match = _last_match(lines, args)
    if match:
        return _replaced(lines, index, match.expand(wanted) if args.backrefs else wanted)
    index, anchor = _equal_or_anchor(lines, wanted, args)
    if index is not None:
        return _replaced(lines, index, wanted)
    if args.backrefs:
        return lines, ""
    return _inserted(lines, wanted, anchor, args)


def _last_match(lines, args):
    meant = matcher(args)
    found = None, None  # type: tuple
    for number, line in enumerate(lines if meant else ()):
        match = meant(line)
        if match:
            found = number, match
            if args.firstmatch:
                break
    return found


def _equal_or_anchor(lines, wanted, args):
    """Where an equal line is, and before which index a new one goes; None for what is not found.

    As in ansible-core, `firstmatch` ends the search at the first anchor: an equal line further down is not seen.
    """
    expression = args.insertafter if args.insertafter is not None else args.insertbefore
    anchors = re.compile(raw(expression)).search if expression not in (None, "BOF", "EOF") else None
    equal = anchor = None
    for number, line in enumerate(lines):
        if bare(line) == wanted:
            equal = number
        elif anchors is not None and anchors(line):
            anchor = number + 1 if args.insertafter is not None else number
            if args.firstmatch:
                break
    return equal, anchor


def _replaced(lines, index, line):
    line = line if line.endswith(LINE_END) else line + LINE_END
    if lines[index] == line:
        return lines, ""
    return lines[:index] + [line] + lines[index + 1 :], "line replaced"


def _inserted(lines, wanted, anchor, args):
    if "BOF" in (args.insertbefore, args.insertafter):
        anchor = 0
    elif anchor is None:
        anchor = len(lines)
    elif args.insertafter is not None and anchor < len(lines) and bare(lines[anchor]) == wanted:
        return lines, ""
    lines = list(lines)
    if anchor and anchor == len(lines) and not lines[-1].endswith((b"\n", b"\r")):
        lines[-1] += LINE_END
    lines.insert(anchor, wanted + LINE_END)
    return lines, "line added"
