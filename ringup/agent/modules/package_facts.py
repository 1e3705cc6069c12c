"""What is installed, as the fact `packages`."""

import shutil

from ..arguments import Arguments, option
from ..failure import ModuleFailure

FORMATS = {
    "apt": ("dpkg-query", ["--show", "--showformat", "${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\t${Section}\n"]),
    "rpm": ("rpm", ["-qa", "--queryformat", "ii \t%{NAME}\t%{VERSION}\t%{ARCH}\t%{RELEASE}\t%{EPOCH}\n"]),
}
SAME_AS = {"dnf": "rpm", "dnf5": "rpm", "yum": "rpm", "zypper": "rpm"}


class Args(Arguments):
    """Read the installed packages into the fact packages."""

    manager = option("list", elements="str", default=("auto",), help="apt, rpm (dnf, yum, zypper), or auto")
    strategy = option("str", choices=("first", "all"), default="first", help="the first package manager that is there, or all")


def read(args, host):
    asked = [SAME_AS.get(name, name) for name in args.manager]
    if "auto" in asked:
        asked = list(FORMATS)
    unknown = sorted(set(asked) - set(FORMATS))
    if unknown:
        raise ModuleFailure("package manager '%s' is not known" % unknown[0], hint="known: %s" % ", ".join(list(FORMATS) + sorted(SAME_AS)))
    packages = {}  # type: dict[str, list]
    there = [name for name in dict.fromkeys(asked) if shutil.which(FORMATS[name][0])]
    if not there:
        raise ModuleFailure("Could not detect a supported package manager from the following list: %s" % ", ".join(asked))
    for name in there:
        found = _installed(name, host)
        for row in found:
            packages.setdefault(row["name"], []).append(row)
        if found and args.strategy == "first":
            break
    return {"ansible_facts": {"packages": packages}}


def _installed(source, host):
    program, arguments = FORMATS[source]
    text = host.must([program] + arguments, "reading installed packages", env={"LC_ALL": "C.UTF-8"}).stdout
    rows = [line.split("\t") for line in text.splitlines() if line[1:2] == "i"]
    if source == "apt":
        return [{"name": row[1], "version": row[2], "arch": row[3], "category": row[4], "source": "apt"} for row in rows]
    return [
        {
            "name": row[1],
            "version": row[2],
            "arch": row[3],
            "release": row[4],
            "epoch": None if row[5] == "(none)" else int(row[5]),
            "source": "rpm",
        }
        for row in rows
    ]
