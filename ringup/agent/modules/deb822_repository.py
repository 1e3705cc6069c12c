"""An apt repository and the key that signs it, in the format of sources.list(5)."""

import os
import re

from .. import arguments, files
from ..arguments import Arguments, option
from ..diff import Diff, shown_content
from ..editing import content_of
from ..failure import ModuleFailure
from ..fetching import UrlOptions, open_url
from ..modes import parse_mode

KEYRINGS = "/etc/apt/keyrings"
SOURCES = "/etc/apt/sources.list.d"
ARMOUR = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"
URL = re.compile(r"^(https?|ftp|file)://")

#: options that are fields of the file, in the order in which they are written
FIELDS = (
    ("allow_downgrade_to_insecure", "Allow-Downgrade-To-Insecure"),
    ("allow_insecure", "Allow-Insecure"),
    ("allow_weak", "Allow-Weak"),
    ("architectures", "Architectures"),
    ("by_hash", "By-Hash"),
    ("check_date", "Check-Date"),
    ("check_valid_until", "Check-Valid-Until"),
    ("components", "Components"),
    ("date_max_future", "Date-Max-Future"),
    ("enabled", "Enabled"),
    ("inrelease_path", "Inrelease-Path"),
    ("languages", "Languages"),
    ("name", "X-Repolib-Name"),
    ("pdiffs", "Pdiffs"),
    ("signed_by", "Signed-By"),
    ("suites", "Suites"),
    ("targets", "Targets"),
    ("trusted", "Trusted"),
    ("types", "Types"),
    ("uris", "URIs"),
)


class Args(Arguments):
    """Ensure an apt repository with its signing key, or its absence."""

    name = option("str", required=True, help="what the repository is called; names its files")
    state = option("str", choices=("present", "absent"), default="present", help="whether it must be there")
    types = option("list", elements="str", default=("deb",), help="deb, deb-src or both")
    uris = option("list", elements="str", help="where it is")
    suites = option("list", elements="str", help="releases, as in bookworm; or a path that ends with /")
    components = option("list", elements="str", help="as in main; none with a path in suites")
    signed_by = option("str", help="URL of the key, path of a keyring on the host, fingerprint, or the armoured key itself")
    architectures = option("list", elements="str", help="as in amd64; without it: the host's")
    enabled = option("bool", help="whether apt uses it")
    trusted = option("bool", help="take its packages without a signature")
    mode = option("mode", default="0644", help="permissions of its file")
    languages = option("list", elements="str", help="languages of descriptions that are fetched")
    targets = option("list", elements="str", help="which indexes are fetched")
    allow_downgrade_to_insecure = option("bool", help="use it even when its signature is gone")
    allow_insecure = option("bool", help="use it without a signature")
    allow_weak = option("bool", help="accept a weak digest")
    by_hash = option("bool", help="fetch indexes by their digest")
    check_date = option("bool", help="judge its dates by the host's clock")
    check_valid_until = option("bool", help="refuse lists that are past their date")
    date_max_future = option("int", help="how far its date may lie ahead, in seconds")
    inrelease_path = option("str", help="path of its InRelease file")
    pdiffs = option("bool", help="fetch differences of indexes")

    required_if = (("state", "present", ("uris", "suites")),)


def check(args, host):
    stem = file_stem(args.name)
    dest = os.path.join(SOURCES, stem + ".sources")
    keys = [os.path.join(KEYRINGS, "%s.%s" % (stem, ending)) for ending in ("asc", "gpg")]
    diff = Diff(values={"dest": dest, "repo": None, "key_filename": None}, plan={})
    if args.state == "absent":
        for path in [dest] + keys:
            _compare(path, None, diff)
        return diff
    signed_by, key = _key(args, host, keys)
    text = repository(args, signed_by)
    diff.values.update(repo=text, key_filename=signed_by if signed_by and signed_by.startswith("/") else None)
    if key is not None:
        _compare(signed_by, key, diff)
        _compare_mode(signed_by, "0644", diff)
    _compare(dest, text.encode("utf-8"), diff)
    _compare_mode(dest, args.mode, diff)
    return diff


def apply(args, diff, host):
    for path, (content, mode) in diff.plan.items():
        if content is None:
            os.unlink(path)
            continue
        if not os.path.isdir(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path), 0o755)
        files.replace(path, content, mode=parse_mode(mode, 0o644, is_folder=False))


def file_stem(name):
    """The repository's name as a file's: small letters, digits and dashes."""
    return re.sub(r"[^a-z0-9-]+", "", re.sub(r"[_\s]+", "-", name.lower()))


def repository(args, signed_by):
    """The file's text."""
    lines = []
    for option_name, field in FIELDS:
        value = signed_by if option_name == "signed_by" else getattr(args, option_name)
        if value is None:
            continue
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, (list, tuple)):
            value = " ".join(value)
        lines.append("%s: %s\n" % (field, value))
    return "".join(lines)


def _key(args, host, keys):
    """What Signed-By says, and the key's bytes when they are to be written there.

    Apt before 2.3.10 reads no key inside the file, so an armoured key gets a file of its own.
    """
    given = args.signed_by
    if given is None or given.startswith("/"):
        if given is not None and not os.path.isfile(given) and not host.check:
            raise ModuleFailure("the keyring %s does not exist on the host" % given, hint="copy it there first, or give the key's URL")
        return given, None
    if URL.match(given):
        with open_url(given, arguments.parse(UrlOptions, {}), host.environment) as answer:
            content = answer.read()
        if not content:
            raise ModuleFailure("the key at %s is empty" % given, hint="correct signed_by")
    elif given.encode("utf-8").lstrip().startswith(ARMOUR):
        content = given.strip().encode("utf-8") + b"\n"
    else:
        return given, None
    return (keys[0] if ARMOUR in content else keys[1]), content


def _compare(path, wanted, diff):
    before = content_of(path)
    if before == wanted:
        return
    diff.add(path, shown_content(before), shown_content(wanted))
    diff.plan[path] = (wanted, "0644")


def _compare_mode(path, mode, diff):
    wanted = parse_mode(mode, 0o644, is_folder=False)
    if path in diff.plan:
        diff.plan[path] = (diff.plan[path][0], mode)
        return
    now = os.stat(path).st_mode & 0o7777
    if now != wanted:
        diff.add("mode of %s" % path, "%04o" % now, "%04o" % wanted)
        diff.plan[path] = (content_of(path), mode)
