"""Facts that an operator has put on the host: `*.fact` files in JSON or INI, or programs that print one of them."""

import configparser
import json
import os

from .reading import names, text
from .system import is_executable

FOLDERS = ("/etc/ansible/facts.d", "/etc/ringup/facts.d")


def gather(host, folders=FOLDERS, limit_s=10):
    """By file name without `.fact`; one that cannot be read says so in its own place."""
    found = {}
    for folder in folders:
        for entry in names(folder):
            if entry.endswith(".fact"):
                path = os.path.join(folder, entry)
                try:
                    found[entry[: -len(".fact")]] = parsed(printed(path, host, limit_s) if is_executable(path) else text(path))
                except Exception as error:  # noqa: BLE001 - a broken file of the operator's is a value, not the end of all facts
                    found[entry[: -len(".fact")]] = "error loading fact - please check content of %s: %s" % (path, error)
    return {"local": found}


def printed(path, host, limit_s):
    result = host.run([path], timeout_s=limit_s)
    if result.rc != 0:
        raise ValueError("it ended with exit code %d: %s" % (result.rc, result.stderr.strip()))
    return result.stdout


def parsed(content):
    """JSON, or else INI as a dictionary of sections."""
    try:
        return json.loads(content)
    except ValueError:
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(content)
        return {section: dict(parser.items(section)) for section in parser.sections()}
