"""What is installed for a Python: read by that Python itself, from the files that installers leave."""

import hashlib
import json
import os
import re

from .requirements import normalised

#: runs in the Python that is asked about, whatever its version; it knows which folders count
QUESTION = r"""
import json, os, sys
found = []
for folder in sys.path:
    for entry in sorted(os.listdir(folder)) if folder and os.path.isdir(folder) else ():
        path = os.path.join(folder, entry)
        if entry.endswith(".dist-info"):
            path = os.path.join(path, "METADATA")
        elif entry.endswith(".egg-info"):
            path = os.path.join(path, "PKG-INFO") if os.path.isdir(path) else path
        else:
            continue
        one = {"needs": [], "direct": None}
        try:
            with open(path, "rb") as stream:
                for line in stream.read().decode("utf-8", "replace").splitlines():
                    if not line.strip():
                        break
                    key, _, value = line.partition(":")
                    if key in ("Name", "Version"):
                        one[key.lower()] = value.strip()
                    elif key == "Requires-Dist" and "extra" in value:
                        one["needs"].append(value.strip())
        except (IOError, OSError):
            continue
        direct = os.path.join(os.path.dirname(path), "direct_url.json")
        if entry.endswith(".dist-info") and os.path.exists(direct):
            with open(direct) as stream:
                one["direct"] = json.load(stream)
        if "name" in one and "version" in one:
            found.append(one)
print("RINGUP " + json.dumps(found))
"""
EXTRA = re.compile(r"""^\(?\s*extra\s*==\s*(['"])(?P<name>[^'"]+)\1\s*\)?$""")


class Distribution:
    """An installed distribution. `direct` is its direct_url.json (PEP 610): where it came from, when not from an index."""

    def __init__(self, name, version, needs=(), direct=None):
        self.name = name
        self.version = version
        self.needs = list(needs)
        self.direct = direct or {}

    @property
    def source(self):
        """The address it was installed from, as a path where it is one; empty when it came from an index."""
        return _plain(self.direct.get("url", ""))

    def comes_from(self, url, editable=False):
        """Was it installed from this path or address? An address with a revision must have been that revision."""
        if editable and not (self.direct.get("dir_info") or {}).get("editable"):
            return False
        address, _, revision = _plain(url).partition("@") if url.count("@") and "+" in url.split("://")[0] else (_plain(url), "", "")
        if not self.source or self.source.rstrip("/") != address.rstrip("/"):
            return False
        recorded = (self.direct.get("vcs_info") or {}).get("requested_revision") or ""
        return recorded == revision and self._same_content(address)

    def may_come_from(self, url):
        """As `comes_from`; true, too, where no installer wrote down where it came from."""
        return not self.source or self.comes_from(url)

    def _same_content(self, path):
        """Is the archive that was installed the one that lies there now? True where its digest was not kept."""
        recorded = ((self.direct.get("archive_info") or {}).get("hashes") or {}).get("sha256")
        if not recorded or not os.path.isfile(path):
            return True
        digest = hashlib.sha256()
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(1 << 20), b""):
                digest.update(chunk)
        return digest.hexdigest() == recorded

    def needs_for(self, extra):
        """Requirements of an extra; one with a further condition keeps its marker."""
        found = []
        for text in self.needs:
            requirement, _, marker = text.partition(";")
            alone = EXTRA.match(marker.strip())
            if alone and normalised(alone.group("name")) == normalised(extra):
                found.append(requirement.strip())
            elif not alone and re.search(r"""extra\s*==\s*['"]%s['"]""" % re.escape(extra), marker):
                found.append(text)
        return found


def _plain(url):
    """Without scheme prefixes that do not matter, fragment, and `file://`."""
    url = url.split("#")[0]
    if "+" in url.split("://")[0]:
        url = url.split("+", 1)[1]
    return url[len("file://") :] if url.startswith("file://") else url


def installed(host, python):
    """Normalised name -> Distribution, for a Python; the first on its path wins, as for an import.

    Raises:
        ModuleFailure: that Python does not run.
    """
    result = host.must([python, "-c", QUESTION], "asking %s what is installed" % python, env={"PYTHONHOME": None, "PYTHONPATH": None})
    found = {}
    for line in result.stdout.splitlines():
        if line.startswith("RINGUP "):
            for one in json.loads(line[len("RINGUP ") :]):
                found.setdefault(normalised(one["name"]), Distribution(one["name"], one["version"], one["needs"], one["direct"]))
    return found


def listed(host, pip):
    """The same from a pip program whose Python is not known; where things came from is not known then."""
    result = host.must(pip + ["list", "--format=json", "--disable-pip-version-check"], "asking pip what is installed")
    rows = json.loads(result.stdout.strip().splitlines()[0] or "[]")
    return {normalised(row["name"]): Distribution(row["name"], row["version"]) for row in rows}
