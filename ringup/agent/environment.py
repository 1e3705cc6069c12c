"""What a task's programs see: the login's own variables, one UTF-8 locale, the usual folders on PATH, a known umask and folder."""

import locale
import os

STANDARD_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/snap/bin")
#: bookkeeping of the shell that started the agent
DROPPED = frozenset(("_", "OLDPWD", "PWD", "SHLVL", "LANGUAGE"))
LOCALES = ("C.UTF-8", "en_US.UTF-8", "C")


def settle(home):
    """Give this process the environment, umask and folder in which every task begins. Forks inherit them."""
    fresh = fresh_environment(dict(os.environ), utf8_locale())
    fresh.setdefault("HOME", home)
    os.environ.clear()
    os.environ.update(fresh)
    os.umask(0o022)
    try:
        os.chdir(fresh["HOME"])
    except OSError:
        os.chdir("/")


def fresh_environment(login, language):
    """The environment of tasks.

    Args:
        login: what the login (PAM, /etc/environment, sudo) has set on the host: proxies and site paths stay.
        language: locale for LANG and LC_ALL: programs answer in English, in UTF-8.
    """
    fresh = {name: value for name, value in login.items() if name not in DROPPED and not name.startswith("LC_")}
    folders = [folder for folder in login.get("PATH", "").split(":") if folder]
    fresh["PATH"] = ":".join(folders + [folder for folder in STANDARD_PATH if folder not in folders])
    fresh["LANG"] = fresh["LC_ALL"] = language
    return fresh


def utf8_locale():
    """The first locale that this host has: CentOS 7 knows no C.UTF-8, and perl warns of names that are not there."""
    for name in LOCALES:
        try:
            locale.setlocale(locale.LC_CTYPE, name)
            return name
        except locale.Error:
            continue
    return "C"
