"""What is known of a rack between commands: one file per rack, written before anything it names is made."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

from ringup.errors import LabError
from ringup.lab.plan import Rack, RackSpec, Thing, plan

Phase = Literal["making", "up", "going"]
VERSION = 1
LOCK_LIMIT_S = 120.0
LOCK_POLL_S = 0.1
MACHINE = "_machine"  # no rack can be called that

# Claims are per boot of the machine, like the namespaces and bridges that they speak of.
CLAIMS = Path("/run/ringup-lab")


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """A rack's state file.

    Attributes:
        rack: what it consists of.
        phase: `making` until all hosts answered, `going` from the first step of its removal.
        things: what may exist on the machine because of it, in the order of making.
        inventory_file: the inventory that was written for it, if one was asked for.
    """

    rack: Rack
    phase: Phase
    things: tuple[Thing, ...]
    inventory_file: Path | None = None

    def in_phase(self, phase: Phase) -> State:
        return dataclasses.replace(self, phase=phase)


def home() -> Path:
    """Where racks live: `RINGUP_LAB_HOME`, else `/var/lib/ringup/lab`."""
    return Path(os.environ.get("RINGUP_LAB_HOME") or "/var/lib/ringup/lab").absolute()


def file_of(folder: Path) -> Path:
    return folder / "rack.json"


def claim_of(name: str) -> Path:
    """The file that says that a rack of this name exists on the machine: its index and folder."""
    return CLAIMS / f"{name}.claim"


def write(state: State) -> None:
    """Write a state file durably: it is there, whole, before the call returns."""
    rack = state.rack
    fields = {
        "version": VERSION,
        "phase": state.phase,
        "index": rack.index,
        "spec": dataclasses.asdict(rack.spec),
        "inventory_file": str(state.inventory_file) if state.inventory_file else None,
        "things": [dataclasses.asdict(thing) for thing in state.things],
    }
    rack.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace(file_of(rack.folder), json.dumps(fields, indent=1) + "\n")


def replace(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file of private state: never half of it, never readable by others."""
    scratch = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def read(name: str) -> State | None:
    """The state of a rack; None when there is none, or when it died before anything was made.

    Raises:
        LabError: the file is not one of ours.
    """
    path = file_of(home() / name)
    try:
        fields = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise LabError("a rack's state and keys are for root only", where=str(path), hint="run the same command with sudo") from error
    except ValueError as error:
        raise LabError(f"the state file is no JSON: {error}", where=str(path), hint="remove the rack by hand, then this folder") from error
    if fields.get("version") != VERSION:
        raise LabError(
            f"the state file has version {fields.get('version')!r}, expected {VERSION}",
            where=str(path),
            hint="take the rack down with the ringup that made it",
        )
    return _state(fields)


def _state(fields: dict[str, Any]) -> State:
    rack = plan(RackSpec(**fields["spec"]), fields["index"], home())
    written = fields.get("inventory_file")
    things = tuple(Thing(**thing) for thing in fields["things"])
    return State(rack, cast(Phase, fields["phase"]), things, Path(written) if written else None)


def phase_of(folder: Path) -> Phase | None:
    """Only the phase, for a supervisor that asks whether it should still be there."""
    try:
        return cast(Phase, json.loads(file_of(folder).read_text())["phase"])
    except (OSError, ValueError, KeyError):
        return None


def names() -> tuple[str, ...]:
    """All racks that have a folder, sorted."""
    return tuple(sorted(path.name for path in home().iterdir() if path.is_dir())) if home().is_dir() else ()


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """One command at a time on a rack; `MACHINE` in place of a name is for what racks share.

    Raises:
        LabError: another command holds it for longer than two minutes.
    """
    CLAIMS.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (CLAIMS / f"{name}.lock").open("a+") as file:
        end = time.monotonic() + LOCK_LIMIT_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    file.seek(0)
                    raise LabError(
                        f"another command works on the rack {name} for more than {LOCK_LIMIT_S:.0f} s",
                        where=f"process {file.read().strip() or '?'}",
                        hint="wait for it, or end it and run lab.down",
                    ) from None
                time.sleep(LOCK_POLL_S)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
