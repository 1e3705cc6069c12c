"""A file from a URL."""

import email.message
import os
import re
import time
import urllib.parse

from .. import files
from ..arguments import ArgumentError, FileAttributes, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..fetching import Download, UrlOptions, open_url, shown_url
from ..modes import current_umask, parse_mode

BSD_LINE = re.compile(r"^\w+ ?\((?P<name>.+)\) ?= ?(?P<digest>[0-9a-fA-F]+)$")
GNU_LINE = re.compile(r"^(?P<digest>[0-9a-fA-F]+)\s+(?:\*|\./)?(?P<name>.+)$")


class Args(UrlOptions, FileAttributes):
    """Download a file to the host, verified and put in place whole."""

    url = option("str", required=True, help="http, https, ftp or file URL")
    dest = option("path", required=True, help="where it goes; a folder takes it under its own name")
    checksum = option(
        "str", default="", help="algorithm:digest, or algorithm:URL of a list of digests; a file that has it is not loaded again"
    )
    force = option("bool", default=False, help="load it even if the server says that nothing is newer")
    backup = option("bool", default=False, help="keep a copy of the file as it was beside it")


class _Same(Exception):
    """What came is what was there."""


def run(args, host):
    begin = time.monotonic()
    wanted = wanted_digest(args, host.environment)
    values = {"changed": False, "url": shown_url(args.url), "dest": args.dest, "checksum_src": None, "checksum_dest": None}
    path = None if os.path.isdir(args.dest) else args.dest
    if path is not None and os.path.exists(path) and wanted and not args.force:
        algorithm, digest = wanted
        if files.checksum(path, algorithm) == digest:
            return _settled(path, args, host, dict(values, msg="file already exists", elapsed=0))
    newer_than = None
    if path is not None and os.path.exists(path) and not args.force and not wanted:
        newer_than = os.stat(path).st_mtime
    answer = open_url(args.url, args, host.environment, "HEAD" if host.check else "GET", newer_than)
    if answer is None:
        return _settled(path, args, host, dict(values, msg="HTTP Error 304: Not Modified", status_code=304, elapsed=_since(begin)))
    with answer:
        path = path or os.path.join(args.dest, own_name(answer))
        values.update(dest=path, status_code=getattr(answer, "status", None) or 200)
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise ModuleFailure("Destination %s does not exist" % os.path.dirname(path), hint="create the folder first", **values)
        if host.check:
            # what the content is cannot be known without loading it
            return dict(values, changed=True, msg="OK", elapsed=_since(begin))
        _load(answer, path, wanted, args, host, values)
    return _settled(path, args, host, dict(values, msg="OK", elapsed=_since(begin)))


def _since(begin):
    return int(time.monotonic() - begin)


def _load(answer, path, wanted, args, host, values):
    """Stream the answer into its place; the file that is there stays when it is the same, or when anything goes wrong."""
    algorithms = {"sha1"}.union([wanted[0]] if wanted else [])
    download = Download(answer, algorithms, args.decompress, host.progress)
    if os.path.exists(path):
        values["checksum_dest"] = files.checksum(path)

    def ready(temporary):
        download.complete()
        values["checksum_src"] = download.digest("sha1")
        if wanted and download.digest(wanted[0]) != wanted[1]:
            raise ModuleFailure(
                "The checksum for %s did not match %s; it was %s." % (values["url"], wanted[1], download.digest(wanted[0])),
                hint="the file at the URL is another one than expected; nothing was written",
                **values,
            )
        if values["checksum_src"] == values["checksum_dest"]:
            raise _Same()
        if args.backup and os.path.exists(path):
            values["backup_file"] = files.backup(path)

    mode = None if args.mode is None else parse_mode(args.mode, 0o666 & ~current_umask(), is_folder=False)
    uid = files.uid_of(args.owner) if args.owner is not None else None
    gid = files.gid_of(args.group) if args.group is not None else None
    try:
        files.replace(path, download, mode, uid, gid, ready=ready)
        values["changed"] = True
    except _Same:
        pass


def _settled(path, args, host, values):
    """Owner, group and mode of the file as wanted, and the values about it."""
    diff = Diff()
    files.attribute_changes(path, args, diff)
    if diff:
        values["changed"] = True
        if not host.check:
            files.apply_attributes(path, args)
    if diff and host.diff:
        values["diff"] = [change.as_dict() for change in diff.changes]
    return dict(files.path_values(path), **values)


def wanted_digest(args, environment):
    """(algorithm, digest) that the file must have, or None.

    Raises:
        ArgumentError: the option is malformed.
        ModuleFailure: the list of digests does not name the file.
    """
    if not args.checksum:
        return None
    algorithm, colon, digest = args.checksum.partition(":")
    if not colon:
        raise ArgumentError("The checksum parameter has to be in format <algorithm>:<checksum>", "write sha256:...")
    if urllib.parse.urlsplit(digest).scheme in ("http", "https", "ftp", "file"):
        with open_url(digest, args, environment) as answer:
            text = answer.read().decode("utf-8", "replace")
        name = os.path.basename(urllib.parse.urlsplit(args.url).path)
        found = digest_in(text, name)
        if found is None:
            raise ModuleFailure(
                "Unable to find a checksum for file '%s' in '%s'" % (name, shown_url(digest)),
                hint="give the digest itself, or another list",
            )
        digest = found
    digest = re.sub(r"\W+", "", digest).lower()
    if not re.match("^[0-9a-f]+$", digest):
        raise ArgumentError("The checksum format is invalid", "it is hexadecimal digits after the algorithm and a colon")
    return algorithm.lower(), digest


def digest_in(text, name):
    """The digest of a file in a list as sha256sum (or BSD's sha256) writes it; a lone digest is any file's."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and len(lines[0].split()) == 1:
        return lines[0]
    for line in lines:
        match = BSD_LINE.match(line) or GNU_LINE.match(line)
        if match and match.group("name").lstrip("./") == name:
            return match.group("digest")
    return None


def own_name(answer):
    """The name that the server gives the file, or that its final URL ends with."""
    message = email.message.Message()
    message["content-disposition"] = answer.headers.get("Content-Disposition") or ""
    given = os.path.basename(str(message.get_param("filename", "", header="content-disposition") or ""))
    return given or os.path.basename(urllib.parse.urlsplit(answer.geturl()).path) or "index.html"
