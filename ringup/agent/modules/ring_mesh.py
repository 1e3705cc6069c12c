"""Can every host of the ring be reached from this one: real connections, both ways, at the same time on all hosts."""

import errno
import os
import selectors
import socket
import time

from ..arguments import Arguments, option


class Args(Arguments):
    """Listen on the ring address and connect to every peer (used by verify_ring)."""

    address = option("str", required=True, help="ring address of this host")
    port = option("int", required=True, help="port that this host listens on")
    peers = option("dict", required=True, help="name of each other host -> its [address, port]")
    limit_s = option("float", default=5.0, help="limit of one connection, from the moment all hosts listen")


class Attempt:
    """One connection being made to a peer."""

    def __init__(self, name, address, port):
        self.name = name
        self.target = (address, port)
        self.socket = None
        self.retry_at = 0.0
        self.last_error = None


def read(args, host):
    family = socket.AF_INET6 if ":" in args.address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((args.address, args.port))
    listener.listen(len(args.peers) + 1)
    listener.setblocking(False)
    waiting = {name: Attempt(name, address, port) for name, (address, port) in args.peers.items()}
    greeted = set()
    accepted = []
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    deadline = time.monotonic() + args.limit_s
    answers = {}
    try:
        # a host leaves only when it was greeted by all, or its early leaving would refuse the slower ones
        while (waiting or len(greeted) < len(args.peers)) and time.monotonic() < deadline:
            for attempt in list(waiting.values()):
                begin_or_retry(attempt, family, args.address, selector)
            for key, _ in selector.select(timeout=0.05):
                if key.fileobj is listener:
                    peer, _ = listener.accept()
                    accepted.append(peer)
                    greeted.add(len(accepted))
                else:
                    finish(key.data, waiting, answers, selector)
    finally:
        selector.close()
        for peer in accepted:
            peer.close()
        listener.close()
    for attempt in waiting.values():
        answers[attempt.name] = attempt.last_error or "no answer within %g s" % args.limit_s
    return {"changed": False, "peers": answers, "heard": len(accepted)}


def begin_or_retry(attempt, family, address, selector):
    """Start a connection that is not under way; a refused one is tried again, since the peer may not listen yet."""
    if attempt.socket is not None or time.monotonic() < attempt.retry_at:
        return
    attempt.socket = socket.socket(family, socket.SOCK_STREAM)
    attempt.socket.setblocking(False)
    attempt.socket.bind((address, 0))
    code = attempt.socket.connect_ex(attempt.target)
    if code in (0, errno.EINPROGRESS):
        selector.register(attempt.socket, selectors.EVENT_WRITE, attempt)
    else:
        drop(attempt, code)


def finish(attempt, waiting, answers, selector):
    code = attempt.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    selector.unregister(attempt.socket)
    if code:
        drop(attempt, code)
        return
    attempt.socket.close()
    answers[attempt.name] = "ok"
    del waiting[attempt.name]


def drop(attempt, code):
    attempt.socket.close()
    attempt.socket = None
    attempt.last_error = os.strerror(code)
    attempt.retry_at = time.monotonic() + 0.1
