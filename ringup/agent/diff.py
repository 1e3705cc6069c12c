"""What would change, or has changed: the value between deciding and doing."""


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
