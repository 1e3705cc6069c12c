"""Every error an operator can meet, and who can mend it.

    RingupError                       exit code 1
    +-- UsageError                    3   the command line asks for something that cannot be
    +-- InputError                    4   a file is wrong: inventory, playbook, role, template, variables
    |   +-- InventoryError
    |   +-- PlaybookError
    |   +-- TemplateError                 raised at load or while a task is rendered
    |       +-- UndefinedVariable
    +-- ConnectionFailed              4   a host could not be reached or did not let us in
    |   +-- HostKeyUnknown
    |   +-- HostKeyChanged
    |   +-- AuthenticationFailed
    |   +-- ConnectTimeout
    |   +-- LinkLost                      the connection went away after it had been open
    |   +-- NoInterpreter                 the host has no usable Python
    |   +-- BecomeFailed                  sudo refused
    |   +-- HostLocked                    another run holds the host
    +-- TaskFailed                    2   an action could not do its work on one host
    +-- StackConflict                 1   no matched set of driver, CUDA, PyTorch and NCCL exists
    +-- RingError                     2   the ring could not be tested
    +-- LabError                      1   the rehearsal rack could not be made or found

An error says what happened (`message`), where (`where`: file:line:column, or a host), and what to do now (`hint`).
It is raised where the facts are known and shown in one place: `ringup.display.errors`.
"""

from __future__ import annotations

from ringup.source import Source


class RingupError(Exception):
    """Root of all errors that are shown to an operator without a traceback.

    Args:
        message: what happened, with the value seen and the value expected. No trailing full stop.
        where: the place: a `Source` in a file, or the name of a host, task or option.
        hint: a sentence an operator can act on: the next thing to type, look at or change.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: Source | str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where is not None else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{hint}"


class UsageError(RingupError):
    exit_code = 3


class InputError(RingupError):
    exit_code = 4


class InventoryError(InputError):
    pass


class PlaybookError(InputError):
    pass


class TemplateError(InputError):
    pass


class UndefinedVariable(TemplateError):
    pass


class ConnectionFailed(RingupError):
    exit_code = 4


class HostKeyUnknown(ConnectionFailed):
    pass


class HostKeyChanged(ConnectionFailed):
    pass


class AuthenticationFailed(ConnectionFailed):
    pass


class ConnectTimeout(ConnectionFailed):
    pass


class LinkLost(ConnectionFailed):
    pass


class NoInterpreter(ConnectionFailed):
    pass


class BecomeFailed(ConnectionFailed):
    pass


class HostLocked(ConnectionFailed):
    pass


class TaskFailed(RingupError):
    exit_code = 2


class StackConflict(RingupError):
    pass


class RingError(RingupError):
    exit_code = 2


class LabError(RingupError):
    pass
