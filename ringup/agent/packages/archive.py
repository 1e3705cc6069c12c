"""Archives: .deb files on their way in, fetched ones in apt's cache, and the names that the lists know."""

import os
import re
import shutil
import tempfile

from .. import arguments
from ..failure import ModuleFailure
from ..fetching import UrlOptions, open_url
from . import apt_get, dpkg

CACHE = "/var/cache/apt/archives"
DELETED = re.compile(r"^Del (?P<package>\S+) (?P<version>\S+)")


#: archives that this process has fetched, by URL
FETCHED = {}  # type: dict[str, str]


def local(given, host):
    """The path of a .deb; one at a URL is fetched, once, into a private folder that `forget` removes."""
    if "://" not in given:
        path = os.path.abspath(given)
        if not os.path.isfile(path):
            raise ModuleFailure("%s does not exist on the host" % path, hint="copy it there first, or give its URL")
        return path
    if given not in FETCHED:
        folder = tempfile.mkdtemp(prefix="ringup-deb-")
        FETCHED[given] = path = os.path.join(folder, os.path.basename(given.split("?")[0]) or "package.deb")
        with open_url(given, arguments.parse(UrlOptions, {}), host.environment) as answer, open(path, "wb") as stream:
            shutil.copyfileobj(answer, stream, 1 << 20)
    return FETCHED[given]


def forget():
    """Remove what `local` has fetched."""
    while FETCHED:
        _, path = FETCHED.popitem()
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def needed(path, database, host, downgrade):
    """Is what is in the archive not what is installed? A newer one that is installed stays, unless a downgrade is allowed."""
    result = host.must(["dpkg-deb", "--field", path, "Package", "Version"], "reading %s" % path)
    fields = dict(line.split(": ", 1) for line in result.stdout.splitlines() if ": " in line)
    version = database.version(fields["Package"])
    if version is None:
        return True
    if dpkg.compare(host, version, "eq", fields["Version"]):
        return False
    return downgrade or dpkg.compare(host, version, "lt", fields["Version"])


def deleted(host, verb):
    """Names of fetched archives that `clean` or `autoclean` would delete."""
    if verb == "clean":
        return sorted(name for name in os.listdir(CACHE) if name.endswith(".deb")) if os.path.isdir(CACHE) else []
    result = host.must(["apt-get", "--simulate", "autoclean"], "looking at fetched archives", env=apt_get.QUIET)
    return ["%s %s" % match.group("package", "version") for match in map(DELETED.match, result.stdout.splitlines()) if match]


def known_names(host):
    """Names of all packages in the lists, for patterns."""
    return host.must(["apt-cache", "pkgnames"], "reading the lists of packages", env=apt_get.QUIET).stdout.split()
