"""File modes as operators write them: octal ('0644') or symbolic ('u=rw,g=r,o-x')."""

import os
import re
import stat

from .failure import ModuleFailure

OCTAL = re.compile(r"^(0o)?[0-7]{1,4}$|^0[0-7]{4}$")
CLAUSE = re.compile(r"^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$")
STEP = re.compile(r"([-+=])([rwxXstugo]*)")
SHIFTS = {"u": 6, "g": 3, "o": 0}
READ_WRITE_EXECUTE = (("r", 4), ("w", 2), ("x", 1))
#: the bit beside rwx that belongs to each person, and the letter that grants it
SPECIAL = {"u": ("s", stat.S_ISUID), "g": ("s", stat.S_ISGID), "o": ("t", stat.S_ISVTX)}


def parse_mode(text, current, is_folder):
    """Permission bits of a mode, symbolic clauses applied to the current bits.

    Raises:
        ModuleFailure: it is neither octal nor symbolic.
    """
    text = str(text).strip()
    if OCTAL.match(text):
        return int(text.replace("o", ""), 8)
    bits = current
    for clause in text.split(","):
        match = CLAUSE.match(clause)
        if not match:
            raise ModuleFailure("'%s' is not a file mode" % text, hint="quote octal modes ('0644'), or write u=rw,g=r,o=r")
        who, steps = match.groups()
        for operator, letters in STEP.findall(steps):
            bits = _apply_step(bits, who, operator, letters, is_folder)
    return bits


def _apply_step(bits, who, operator, letters, is_folder):
    people = who.replace("a", "ugo") or "ugo"
    value = clear = 0
    for person in people:
        granted = _granted(bits, letters, is_folder)
        letter, special = SPECIAL[person]
        value |= (granted << SHIFTS[person]) | (special if letter in letters else 0)
        clear |= (7 << SHIFTS[person]) | special
    if not who:
        # without a person named, the umask holds back what it always holds back, as chmod does
        value &= ~current_umask()
    if operator == "+":
        return bits | value
    if operator == "-":
        return bits & ~value
    return (bits & ~clear) | value


def _granted(bits, letters, is_folder):
    granted = 0
    for letter, bit in READ_WRITE_EXECUTE:
        if letter in letters:
            granted |= bit
    if "X" in letters and (is_folder or bits & 0o111):
        granted |= 1
    for person, shift in SHIFTS.items():
        if person in letters:
            granted |= (bits >> shift) & 7
    return granted


def current_umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
