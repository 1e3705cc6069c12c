"""Versions and specifiers of Python packages (PEP 440), without the `packaging` library that a host may not have."""

import re

VERSION = re.compile(
    r"^\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre_word>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre>\d*))?"
    r"(?P<post_part>-(?P<post_bare>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post>\d*))?"
    r"(?P<dev_part>[-_.]?dev[-_.]?(?P<dev>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"^\s*(===|==|~=|!=|<=|>=|<|>)\s*([^\s<>=~!][^\s<>=~]*)\s*$")
PRE_WORDS = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class Version:
    """A version, comparable by PEP 440's order.

    Attributes:
        epoch, release: numbers; trailing zeros of the release do not count in comparisons.
        pre: (letter, number) or None. post, dev: number or None.
        local: parts of the local label, as `+cu128`; empty for none.
    """

    def __init__(self, text):
        match = VERSION.match(text)
        if match is None:
            raise ValueError("'%s' is no version" % text)
        self.epoch = int(match.group("epoch") or 0)
        self.release = tuple(int(part) for part in match.group("release").split("."))
        word = (match.group("pre_word") or "").lower()
        self.pre = (PRE_WORDS.get(word, word), int(match.group("pre") or 0)) if word else None
        self.post = int(match.group("post_bare") or match.group("post") or 0) if match.group("post_part") else None
        self.dev = int(match.group("dev") or 0) if match.group("dev_part") else None
        self.local = tuple(re.split(r"[-_.]", (match.group("local") or "").lower())) if match.group("local") else ()

    def key(self, with_local=True):
        """What sorts as PEP 440 says: dev < pre < final < post; a local label after the same version without one."""
        final = ("", 0) if self.dev is not None and self.post is None else ("z", 0)
        pre = self.pre or final
        post = -1 if self.post is None else self.post
        dev = float("inf") if self.dev is None else self.dev
        local = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in self.local) if with_local else ()
        return self.base() + (pre, post, dev, local)

    def base(self):
        """Epoch and release alone, without trailing zeros."""
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        return (self.epoch, release)

    @property
    def is_prerelease(self):
        return self.pre is not None or self.dev is not None


def split_specifiers(text):
    """`>=1,<2` as [(operator, version)].

    Raises:
        ValueError: a part is no specifier.
    """
    found = []
    for part in text.split(","):
        if not part.strip():
            continue
        match = CLAUSE.match(part)
        if match is None:
            raise ValueError("'%s' is no version specifier" % part.strip())
        found.append((match.group(1), match.group(2)))
    return found


def satisfies(version, specifiers):
    """Is an installed version what every specifier asks for? Pre-releases count, since they are already there.

    A specifier without a local label takes every build of its version: 2.13.0+cpu is `==2.13.0`.
    """
    return all(_holds(version, operator, wanted) for operator, wanted in specifiers)


def _holds(text, operator, wanted):
    if operator == "===":
        return text.strip().lower() == wanted.lower()
    have = Version(text)
    if operator in ("==", "!="):
        return _equal(have, wanted) == (operator == "==")
    if operator == "~=":
        return _compatible(have, wanted)
    return ORDER[operator](have, Version(wanted))


def _equal(have, wanted):
    if wanted.endswith(".*"):
        prefix = Version(wanted[:-2])
        length = len(prefix.release)
        release = have.release + (0,) * (length - len(have.release))
        return have.epoch == prefix.epoch and release[:length] == prefix.release
    with_local = "+" in wanted
    return have.key(with_local) == Version(wanted).key(with_local)


def _compatible(have, wanted):
    version = Version(wanted)
    if len(version.release) < 2:
        raise ValueError("~=%s needs at least two numbers" % wanted)
    prefix = "%d!%s.*" % (version.epoch, ".".join(str(part) for part in version.release[:-1]))
    return have.key(False) >= version.key(False) and _equal(have, prefix)


def _below(have, wanted):
    # <2.0 does not mean 2.0rc1: what sorts from the earliest pre-release of 2.0 on is kept out
    earliest = wanted.base() + (("", 0), -1, 0) if wanted.post is None else wanted.key(False)[:4] + (0,)
    is_its_prerelease = have.is_prerelease and have.key(False) >= earliest
    return have.key() < wanted.key() and (wanted.is_prerelease or not is_its_prerelease)


def _above(have, wanted):
    if have.key() <= wanted.key():
        return False
    # >1.0 means neither 1.0.post1 nor 1.0+cpu
    is_its_post = have.post is not None and wanted.post is None and wanted.dev is None
    if is_its_post and have.base() == wanted.base() and have.pre == wanted.pre:
        return False
    return not (have.local and have.key(False) == wanted.key())


ORDER = {
    "<": _below,
    ">": _above,
    "<=": lambda have, wanted: have.key(False) <= wanted.key(False),
    ">=": lambda have, wanted: have.key(False) >= wanted.key(False),
}
