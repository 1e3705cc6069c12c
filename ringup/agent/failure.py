"""How a module says that it cannot do what was asked."""


class ModuleFailure(Exception):
    """The host cannot be brought to what was asked.

    Args:
        message: what happened, with the value seen.
        hint: what to do now.
        values: more result values (`rc`, `stdout`, `stderr` ...).
    """

    def __init__(self, message, hint=None, **values):
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.values = values
