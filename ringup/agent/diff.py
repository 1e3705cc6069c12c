"""What would change, or has changed: the value between deciding and doing."""

import os

#: content larger than this is shown by its size and digest only
SHOWN_BYTES = 100 * 1024


def shown_content(content):
    """A file's bytes as a diff shows them: text, or size and digest for what is binary or large; None (no file) is empty."""
    if content is None:
        return ""
    if len(content) <= SHOWN_BYTES and b"\0" not in content:
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            pass
    import hashlib  # 4 ms: it brings OpenSSL

    return "(%d bytes, sha1 %s)\n" % (len(content), hashlib.sha1(content).hexdigest())


def shown_file(path):
    """`shown_content` of a file, without reading a large one into memory; empty when there is none."""
    try:
        size = os.stat(path).st_size
        with open(path, "rb") as stream:
            if size <= SHOWN_BYTES:
                return shown_content(stream.read())
            import hashlib

            digest = hashlib.sha1()
            for chunk in iter(lambda: stream.read(1 << 20), b""):
                digest.update(chunk)
    except FileNotFoundError:
        return ""
    import hashlib  # 4 ms: it brings OpenSSL

    return "(%d bytes, sha1 %s)\n" % (size, digest.hexdigest())


class Change:
    """One thing that is not as wanted.

    Attributes:
        what: the subject as an operator names it: a path, a package, a unit, "mode of /etc/motd".
        before, after: texts or plain values, as shown by `--diff`.
        secret: shown without its values.
    """

    def __init__(self, what, before=None, after=None, secret=False):
        self.what = what
        self.before = before
        self.after = after
        self.secret = secret

    def as_dict(self):
        if self.secret:
            return {"before_header": self.what, "after_header": self.what, "before": "(hidden)\n", "after": "(hidden, changed)\n"}
        return {"before_header": self.what, "after_header": self.what, "before": _shown(self.before), "after": _shown(self.after)}


def _shown(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else "%s\n" % (value,)


class Diff:
    """The changes a module would make; false when the host is as wanted.

    Attributes:
        changes: list of Change.
        values: more result values that playbooks may test (`dest`, `checksum`, `state` ...), true whether or not something changes.
        plan: whatever `check` wants to hand to `apply`, never sent to the controller.
    """

    def __init__(self, changes=(), values=None, plan=None):
        self.changes = list(changes)
        self.values = dict(values or {})
        self.plan = plan

    def add(self, what, before=None, after=None, secret=False):
        self.changes.append(Change(what, before, after, secret))

    def __bool__(self):
        return bool(self.changes)
