"""Where pip has been told to look for packages on this host, so that uv looks there too: it does not read pip's configuration."""

import configparser
import os

#: pip's option -> uv's flag; options that may have several values have them separated by white space
FLAGS = (
    ("index-url", "--index-url"),
    ("extra-index-url", "--extra-index-url"),
    ("find-links", "--find-links"),
    ("trusted-host", "--allow-insecure-host"),
)
SECTIONS = ("global", "install")


def files(virtualenv=None):
    """pip's configuration files, least important first (pip: Configuration)."""
    home = os.path.expanduser("~")
    found = [os.path.join(folder, "pip/pip.conf") for folder in os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")]
    found += ["/etc/pip.conf", os.path.join(home, ".pip/pip.conf")]
    found.append(os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "pip/pip.conf"))
    if virtualenv:
        found.append(os.path.join(virtualenv, "pip.conf"))
    return found


def pip_settings(environment, virtualenv=None):
    """pip's options that say where packages are: from its files, then from PIP_ variables.

    Args:
        environment: variables that the installer will see.
    """
    found = {}
    chosen = environment.get("PIP_CONFIG_FILE")
    for path in [] if chosen == os.devnull else files(virtualenv) + ([chosen] if chosen else []):
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip itself says so when it is asked
        for section in SECTIONS:
            if parser.has_section(section):
                found.update(parser.items(section))
    for name, value in environment.items():
        if name.startswith("PIP_") and value:
            found[name[len("PIP_") :].lower().replace("_", "-")] = value
    return found


def uv_flags(environment, virtualenv=None):
    """The same for uv's command line, where uv has not been told anything of its own."""
    if any(name in environment for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS")):
        return []
    told = pip_settings(environment, virtualenv)
    flags = []
    for name, flag in FLAGS:
        for value in told.get(name, "").split():
            flags += [flag, value]
    if told.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        flags.append("--no-index")
    return flags


def uv_environment(environment, virtualenv=None):
    """Variables that make uv trust the certificates that pip trusts."""
    certificate = pip_settings(environment, virtualenv).get("cert")
    return {"SSL_CERT_FILE": certificate} if certificate and "SSL_CERT_FILE" not in environment else {}
