"""Tasks with a side on the controller: one file each. `specs()` gives them all; `call.py` says what one is."""

from ringup.actions.call import ActionCall, Connection, Fleet, ModuleCaller, RawAnswer, Upload
from ringup.actions.registry import ActionSpec, specs
from ringup.actions.words import vocabulary

__all__ = ["ActionCall", "ActionSpec", "Connection", "Fleet", "ModuleCaller", "RawAnswer", "Upload", "specs", "vocabulary"]
