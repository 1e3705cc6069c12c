"""An apt repository as one line of sources.list(5): the older way; deb822_repository is the newer."""

import glob
import os
import re

from .. import files
from ..arguments import Arguments, option
from ..diff import Diff, shown_content
from ..editing import content_of
from ..failure import ModuleFailure
from ..modes import parse_mode
from ..packages import lists

LIST, PARTS = "/etc/apt/sources.list", "/etc/apt/sources.list.d"
LINE = re.compile(
    r"^(?P<kind>deb|deb-src)\s+(?:\[(?P<options>[^\]]*)\]\s*)?"
    r"(?P<uri>\S+)\s+(?P<suite>\S+)(?P<components>(?:\s+[^\s#]+)*)\s*(?:#.*)?$"
)


class Args(Arguments):
    """Ensure a line of apt's sources, or its absence; see deb822_repository for one with its key."""

    repo = option("str", required=True, help="the line: deb [signed-by=/path] URI SUITE COMPONENTS")
    state = option("str", choices=("present", "absent"), default="present", help="whether it must be there")
    filename = option("str", help="file in sources.list.d, without .list; named after the address by default")
    mode = option("mode", default="0644", help="permissions of a new file")
    update_cache = option("bool", default=True, aliases=("update-cache",), help="fetch the lists after a change")
    update_cache_retries = option("int", default=5, help="how often a failed fetch is tried again")
    update_cache_retry_max_delay = option("int", default=12, help="longest pause between two tries, in seconds")
    lock_timeout = option("int", default=60, help="how long to wait for apt's locks, in seconds")


def check(args, host):
    wanted = parsed(args.repo)
    if wanted is None:
        hint = "write 'deb URI SUITE COMPONENTS'; a PPA has no other form here: its address is on its page"
        raise ModuleFailure("Invalid repository string: %s" % args.repo, hint=hint)
    diff = Diff(values={"repo": args.repo, "state": args.state, "sources_added": [], "sources_removed": []}, plan={})
    found = [path for path in [LIST] + sorted(glob.glob(os.path.join(PARTS, "*.list"))) if _holds(path, wanted)]
    if args.state == "absent":
        for path in found:
            _change(path, _without(text_of(path), wanted), diff)
    elif not found:
        path = _file_for(args, wanted)
        before = text_of(path)
        if before is None:
            diff.values["sources_added"].append(path)
        kept = before if before is None or before.endswith("\n") or not before else before + "\n"
        _change(path, (kept or "") + args.repo.strip() + "\n", diff)
    return diff


def apply(args, diff, host):
    before = {path: content_of(path) for path in diff.plan}
    for path, text in diff.plan.items():
        _write(path, text, args.mode)
    if not args.update_cache:
        return
    try:
        lists.update(host, args.lock_timeout, args.update_cache_retries, args.update_cache_retry_max_delay)
    except ModuleFailure:
        # a source that cannot be fetched would stop every later apt on this host
        for path, content in before.items():
            _write(path, None if content is None else content.decode("utf-8"), args.mode)
        raise


def parsed(line):
    """What makes two lines the same: kind, options, address, suite and components; None for what is no source."""
    match = LINE.match(line.strip())
    if match is None:
        return None
    options = frozenset((match.group("options") or "").split())
    return match.group("kind"), options, match.group("uri"), match.group("suite"), tuple(match.group("components").split())


def text_of(path):
    content = content_of(path)
    return None if content is None else content.decode("utf-8", "replace")


def _holds(path, wanted):
    return any(parsed(line) == wanted for line in (text_of(path) or "").splitlines())


def _without(text, wanted):
    return "".join(line for line in text.splitlines(True) if parsed(line) != wanted)


def _change(path, text, diff):
    """A file of sources.list.d in which no source is left goes away; sources.list itself stays."""
    if path != LIST and not any(parsed(line) for line in text.splitlines()):
        text = None
        diff.values["sources_removed"].append(path)
    diff.add(path, shown_content(content_of(path)), text)
    diff.plan[path] = text


def _write(path, text, mode):
    if text is None:
        if os.path.exists(path):
            os.unlink(path)
        return
    new = None if os.path.exists(path) else parse_mode(mode, 0o644, is_folder=False)
    files.replace(path, text.encode("utf-8"), mode=new)


def _file_for(args, wanted):
    if args.filename is not None:
        name = re.sub(r"\.list$", "", args.filename)
        return name + ".list" if name.startswith("/") else os.path.join(PARTS, name + ".list")
    name = re.sub(r"^[a-z+]+:/*", "", wanted[2])
    name = re.sub(r"[^A-Za-z0-9]+", " ", name).strip().replace(" ", "_")
    return os.path.join(PARTS, name + ".list")
