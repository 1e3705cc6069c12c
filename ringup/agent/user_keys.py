"""The ssh key that a user's account is made with."""

import os

from .arguments import Arguments, option
from .failure import ModuleFailure


class KeyOptions(Arguments):
    """Options of a user's own key."""

    generate_ssh_key = option("bool", default=False, help="make it an ssh key; one that is there stays, unless force is set")
    ssh_key_bits = option("int", help="length of the key; default: what ssh-keygen takes")
    ssh_key_comment = option("str", help="comment in the key; default: that it was made on this host")
    ssh_key_file = option("path", help="its file, relative to the home folder; default: .ssh/id_TYPE")
    ssh_key_passphrase = option("str", secret=True, help="its passphrase; none without it")
    ssh_key_type = option("str", default="rsa", help="as in ed25519")


def path_of(args, home):
    return os.path.join(home, args.ssh_key_file or ".ssh/id_%s" % args.ssh_key_type)


def compare(args, home, diff):
    """Add the key to a diff when it is to be made."""
    if not args.generate_ssh_key:
        return
    path = path_of(args, home)
    if not os.path.exists(path) or args.force:
        diff.add(path, "present" if os.path.exists(path) else "absent", "a new %s key" % args.ssh_key_type)
    else:
        diff.values["ssh_key_file"] = path


def apply(args, now, host):
    """Make the key, as the user owns it; gives the values about it."""
    if not args.generate_ssh_key:
        return {}
    path = path_of(args, now.pw_dir)
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700)
        os.chown(folder, now.pw_uid, now.pw_gid)
    if args.force or not os.path.exists(path):
        _generate(args, now, path, host)
    shown = host.must(["ssh-keygen", "-l", "-f", path], "reading %s" % path).stdout.strip()
    with open(path + ".pub") as stream:
        public = stream.read().strip()
    return {"ssh_key_file": path, "ssh_fingerprint": shown, "ssh_public_key": public}


def _generate(args, now, path, host):
    for old in (path, path + ".pub"):
        if os.path.lexists(old):
            os.unlink(old)
    comment = args.ssh_key_comment or "made by ringup on %s" % os.uname().nodename
    argv = ["ssh-keygen", "-q", "-t", args.ssh_key_type, "-C", comment, "-f", path]
    argv += [] if args.ssh_key_bits is None else ["-b", str(args.ssh_key_bits)]
    argv += ["-N", args.ssh_key_passphrase or ""]
    result = host.run(argv)
    if result.rc != 0:
        # its arguments may hold a passphrase, so they are no part of the message
        raise ModuleFailure(
            "making the ssh key %s failed: %s" % (path, result.stderr.strip()), hint="is openssh-client installed?", rc=result.rc
        )
    for made in (path, path + ".pub"):
        os.chown(made, now.pw_uid, now.pw_gid)
