"""The frames between controller and agent: one truth, packed with the agent and imported by the controller.

A frame is two big-endian 32-bit lengths, a JSON object (the message), and raw bytes (the blob, often empty). Before its first frame
the agent writes one line, `RINGUP <nonce>`; whatever came before that line is noise of the login shell and is kept for error messages.

    controller -> agent
        task      id, key, module, args, check, diff, environment, timeout_s, uploads, dies_with_controller, received
                  run a module; `key` is unique in the world; uploads: name in the args -> name of the sent file
        file      upload, size                      + blob   a chunk of a file that a later task names; size: of the whole, to find room
        received  received                                   results that have arrived
        cancel    id                                         end the task
        collect   id, key                                    the result of a task that an earlier link started
        lock      holder {run, user, host, pid, since}, wait_s   one run per host at a time
        unlock
        bye       received                                   end when idle
    agent -> controller
        ready     protocol, python, executable, user, uid, home, boot_id, pid
        result    id, result
        progress  id, line
        file      id                                + blob   a chunk of a file that a task gives (fetch)
        collected id, state, result                          done, lost (ended from outside) or unknown (it never began, and never will)
        locked    holder | null                              null: you have it; else who holds it
        alive                                                heartbeat, every HEARTBEAT_S while anything is waited for
        fault     text                                       the agent has broken and ends

`received` lists the ids of results that have arrived. Until a result is in that list the agent does not take it for delivered, and puts it
into its spool when the connection ends: a write into a pipe says nothing of what came out at its other end.
"""

import json
import struct

PROTOCOL = 2
HEARTBEAT_S = 5.0
CHUNK_BYTES = 1 << 18
#: a message larger than this is a fault, not a message
MAXIMUM_MESSAGE_BYTES = 256 << 20
HEADER = struct.Struct("!II")
ANNOUNCEMENT = "RINGUP %s\n"


class ProtocolError(Exception):
    """The other side sent something that is not a frame."""


def encode(message, blob=b""):
    """A frame as bytes. Text that is not UTF-8 must not be in the message: put it in the blob."""
    text = json.dumps(message, separators=(",", ":"), default=str).encode("utf-8", "surrogateescape")
    return HEADER.pack(len(text), len(blob)) + text + blob


class Decoder:
    """Frames out of a byte stream that comes in pieces of any size."""

    def __init__(self):
        self._buffer = bytearray()

    def feed(self, piece):
        """Take more bytes; give the frames they complete as (message, blob) pairs.

        Raises:
            ProtocolError: the bytes cannot be a frame.
        """
        self._buffer += piece
        frames = []
        while len(self._buffer) >= HEADER.size:
            text_bytes, blob_bytes = HEADER.unpack_from(self._buffer)
            if text_bytes > MAXIMUM_MESSAGE_BYTES or blob_bytes > MAXIMUM_MESSAGE_BYTES:
                raise ProtocolError("a frame of %d bytes" % (text_bytes + blob_bytes))
            end = HEADER.size + text_bytes + blob_bytes
            if len(self._buffer) < end:
                break
            body = bytes(self._buffer[HEADER.size : HEADER.size + text_bytes])
            try:
                message = json.loads(body.decode("utf-8", "surrogateescape"))
            except ValueError:
                raise ProtocolError("a frame that is not JSON: %r" % body[:80])
            frames.append((message, bytes(self._buffer[HEADER.size + text_bytes : end])))
            del self._buffer[:end]
        return frames
