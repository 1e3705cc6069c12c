"""Reading a URL from the host: proxies, credentials, certificates, and how far it is."""

import base64
import gzip
import hashlib
import http.client
import io
import netrc
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

from .arguments import Arguments, option
from .failure import ModuleFailure

PROGRESS_EVERY_S = 1.0
RUN_AGAIN = "nothing was written: run it again, or raise timeout"


class UrlOptions(Arguments):
    """Options of modules that read a URL."""

    timeout = option("int", default=10, help="limit of one wait for the server, in seconds")
    headers = option("dict", default=None, help="more headers of the request")
    unredirected_headers = option("list", elements="str", default=(), help="names of headers that are not sent to where a redirect leads")
    url_username = option("str", aliases=("username",), help="user name, for servers that ask")
    url_password = option("str", aliases=("password",), secret=True, help="password, for servers that ask")
    force_basic_auth = option("bool", default=False, help="send name and password before being asked")
    use_netrc = option("bool", default=True, help="take name and password from ~/.netrc when none are given")
    use_proxy = option("bool", default=True, help="go through the proxies of the environment")
    validate_certs = option("bool", default=True, help="refuse a server that cannot prove its name")
    client_cert = option("path", help="certificate of this client, PEM")
    client_key = option("path", help="its key, PEM")
    ciphers = option("list", elements="str", help="TLS ciphers, as OpenSSL names them")
    http_agent = option("str", default="ansible-httpget", help="the User-Agent header")
    decompress = option("bool", default=True, help="unpack a gzip-encoded answer")


def shown_url(url):
    """A URL without its password."""
    parts = urllib.parse.urlsplit(url)
    if parts.password is None:
        return url
    return parts._replace(netloc=parts.netloc.replace(":%s@" % parts.password, ":********@", 1)).geturl()


def open_url(url, args, environment, method="GET", newer_than=None):
    """Ask for a URL.

    Args:
        environment: where proxies are looked up.
        newer_than: seconds since the epoch; the server may answer that nothing is newer.
    Returns:
        the open answer, or None when nothing is newer.
    Raises:
        ModuleFailure: no answer, or one that is an error; `status_code` is in its values.
    """
    url, user, password = _credentials(url, args)
    request = urllib.request.Request(url, method=method)
    request.add_header("User-Agent", args.http_agent)
    unredirected = {name.lower() for name in args.unredirected_headers}
    for name, value in (args.headers or {}).items():
        add = request.add_unredirected_header if name.lower() in unredirected else request.add_header
        add(name, str(value))
    if newer_than is not None:
        request.add_header("If-Modified-Since", time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(newer_than)))
    if user is not None and args.force_basic_auth:
        token = base64.b64encode(("%s:%s" % (user, password)).encode("utf-8")).decode("ascii")
        request.add_unredirected_header("Authorization", "Basic " + token)
    try:
        return _opener(url, args, user, password, environment).open(request, timeout=args.timeout)
    except urllib.error.HTTPError as error:
        if error.code == 304:
            return None
        values = {"status_code": error.code, "response": "HTTP Error %d: %s" % (error.code, error.reason)}
        raise ModuleFailure("Request failed: %d %s" % (error.code, error.reason), hint=_advice(error.code), url=shown_url(url), **values)
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise ModuleFailure("Request failed: %s" % reason, hint="can this host reach the server?", url=shown_url(url), status_code=-1)


def _advice(code):
    known = {401: "give url_username and url_password", 403: "the server does not give it to this host", 404: "correct the URL"}
    return known.get(code, "look at the server, or its proxy")


def _credentials(url, args):
    """The URL without its credentials, and the name and password to use (None for none)."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https", "ftp", "file"):
        raise ModuleFailure("'%s' is no URL" % shown_url(url), hint="write http://, https://, ftp:// or file://")
    user, password = args.url_username, args.url_password
    if parts.username is not None:
        netloc = parts.netloc.rpartition("@")[2]
        if user is None:
            user, password = urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or "")
        url = parts._replace(netloc=netloc).geturl()
    if user is None and args.use_netrc and parts.hostname:
        found = _from_netrc(parts.hostname)
        if found is not None:
            user, password = found
    return url, user, password or ""


def _from_netrc(name):
    try:
        found = netrc.netrc().authenticators(name)
    except (OSError, netrc.NetrcParseError):
        return None
    return (found[0], found[2]) if found else None


def _opener(url, args, user, password, environment):
    handlers = [_proxies(url, args, environment), urllib.request.HTTPSHandler(context=_tls(args))]
    if user is not None:
        passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, url, user, password)
        handlers += [urllib.request.HTTPBasicAuthHandler(passwords), urllib.request.HTTPDigestAuthHandler(passwords)]
    return urllib.request.build_opener(*handlers)


def _proxies(url, args, environment):
    merged = dict(os.environ, **{name: str(value) for name, value in environment.items()})
    found = {name.lower()[: -len("_proxy")]: value for name, value in merged.items() if name.lower().endswith("_proxy") and value}
    host = urllib.parse.urlsplit(url).hostname or ""
    if not args.use_proxy or _bypassed(host, found):
        found = {}
    return urllib.request.ProxyHandler(found)


def _bypassed(host, proxies):
    """Does `no_proxy` name the host, one of its domains, or everything?"""
    names = [name.strip().lower().lstrip(".") for name in proxies.get("no", "").split(",")]
    return any(name and (name == "*" or host == name or host.endswith("." + name)) for name in names)


def _tls(args):
    context = ssl.create_default_context()
    if not args.validate_certs:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if args.ciphers:
        context.set_ciphers(":".join(args.ciphers))
    if args.client_cert:
        context.load_cert_chain(args.client_cert, args.client_key)
    return context


class Download:
    """An open answer as a stream that digests what passes, and tells how far it is.

    Attributes:
        received: bytes that came over the network.
    """

    def __init__(self, answer, algorithms, decompress, progress):
        length = answer.headers.get("Content-Length")
        self.expected = int(length) if length and length.isdigit() else None
        self.received = 0
        self._answer = answer
        self._progress = progress
        self._told = time.monotonic()
        self._digests = {name: hashlib.new(name) for name in algorithms}
        packed = decompress and answer.headers.get("Content-Encoding") == "gzip"
        self._content = gzip.GzipFile(fileobj=_Counted(self), mode="rb") if packed else _Counted(self)

    def read(self, size):
        piece = self._content.read(size)
        for digest in self._digests.values():
            digest.update(piece)
        return piece

    def digest(self, algorithm):
        return self._digests[algorithm].hexdigest()

    def receive(self, size):
        try:
            piece = self._answer.read(size)
        except (OSError, http.client.HTTPException) as error:
            raise ModuleFailure("the connection broke after %d bytes: %s" % (self.received, error), hint=RUN_AGAIN)
        self.received += len(piece)
        now = time.monotonic()
        if now - self._told > PROGRESS_EVERY_S:
            self._told = now
            whole = " of %.0f" % (self.expected / 1e6) if self.expected else ""
            self._progress("%.0f%s MB" % (self.received / 1e6, whole))
        return piece

    def complete(self):
        """Judge whether all of it came; raises ModuleFailure when the connection broke off."""
        if self.expected is not None and self.received != self.expected:
            raise ModuleFailure(
                "Incomplete read: %d of %d bytes came" % (self.received, self.expected),
                hint=RUN_AGAIN,
            )


class _Counted(io.RawIOBase):
    """The raw answer as a file object that counts."""

    def __init__(self, download):
        super().__init__()
        self._download = download

    def readable(self):
        return True

    def read(self, size=-1):
        return self._download.receive(size)
