"""Private folders in shared places: where uploads and results wait."""

import os
import stat


def private_folder(place):
    """Our own folder in a place, made when it is missing; None where it cannot be had.

    A folder by our name that belongs to another user is refused, not used.
    """
    uid = os.getuid()
    folder = os.path.join(place, "ringup-%d" % uid)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid:
            return None
        if stat.S_IMODE(found.st_mode) != 0o700:
            os.chmod(folder, 0o700)
    except OSError:
        return None
    return folder


def runtime_folders():
    """Our folders for results that wait, best first.

    Not /run/user/UID: logind empties it 10 s after the user's last session, which is just when a result must wait.
    The second is for a disk that is full; a reboot empties all of them.
    """
    places = ("/run", "/dev/shm") if os.getuid() == 0 else ("/tmp", "/dev/shm")
    found = [folder for folder in map(private_folder, places) if folder is not None]
    return found or [_last_resort()]


def _last_resort():
    """A folder that only this process knows: nothing can be collected from it, but tasks work."""
    import tempfile  # 7 ms

    return tempfile.mkdtemp(prefix="ringup-")
