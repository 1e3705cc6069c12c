"""Public keys as authorized_keys holds them: options, type, key, comment."""

#: types that sshd knows. Source: OpenSSH 9.8, sshkey.c and the manual of ssh-keygen
KINDS = frozenset(
    (
        "ssh-ed25519",
        "ssh-rsa",
        "ssh-dss",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com",
        "sk-ecdsa-sha2-nistp256@openssh.com",
        "ssh-ed25519-cert-v01@openssh.com",
        "ssh-rsa-cert-v01@openssh.com",
        "ecdsa-sha2-nistp256-cert-v01@openssh.com",
        "ecdsa-sha2-nistp384-cert-v01@openssh.com",
        "ecdsa-sha2-nistp521-cert-v01@openssh.com",
    )
)


class PublicKey:
    """One key.

    Attributes:
        options: what stands in front of it, as written; empty for none.
        kind, blob: its type and the key itself in base64.
        comment: what stands behind it; empty for none.
    """

    def __init__(self, options, kind, blob, comment):
        self.options = options
        self.kind = kind
        self.blob = blob
        self.comment = comment

    @property
    def identity(self):
        """What makes two lines the same key."""
        return self.kind, self.blob

    @classmethod
    def of(cls, line):
        """The key of a line; None for comments, empty lines and what is no key."""
        text = line.strip()
        if not text or text.startswith("#"):
            return None
        options = ""
        if text.split(None, 1)[0] not in KINDS:
            options, text = _cut_options(text)
        fields = text.split(None, 2)
        if len(fields) < 2 or fields[0] not in KINDS:
            return None
        return cls(options, fields[0], fields[1], fields[2] if len(fields) > 2 else "")

    def line(self):
        return " ".join(part for part in (self.options, self.kind, self.blob, self.comment) if part)


def _cut_options(text):
    """The options at the start of a line and the rest; white space inside quotes belongs to an option."""
    quoted = False
    for index, letter in enumerate(text):
        if letter == '"' and text[index - 1 : index] != "\\":
            quoted = not quoted
        elif letter.isspace() and not quoted:
            return text[:index], text[index:].strip()
    return text, ""


def parse_keys(text):
    """Every key of a text, one a line, in order."""
    return [key for key in map(PublicKey.of, text.splitlines()) if key is not None]
