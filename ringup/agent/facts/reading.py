"""Small files of /proc, /sys and /etc, read so that one that is missing is an answer and not an error."""

import os


def text(path, default=""):
    """A file's text without white space around it."""
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return default


def number(path, default=None):
    """A file that holds one number."""
    try:
        return int(text(path))
    except ValueError:
        return default


def names(folder):
    """Entries of a folder in order; none where there is no folder."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def assignments(path):
    """`NAME="value"` lines, as of os-release and lsb-release."""
    found = {}
    for line in text(path).splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.lstrip().startswith("#"):
            found[name.strip()] = value.strip().strip("\"'")
    return found
