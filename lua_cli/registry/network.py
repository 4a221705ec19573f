"""The network in words: which certificates count, and what went wrong on the way to a server. In: httpx's errors.
Out: ours.
"""

from __future__ import annotations

import functools
import os
import ssl
import time
from urllib.parse import urlsplit

import httpx

from lua_cli.errors import UnavailableError

TRY_AGAIN = "try again; nothing is half done"


def open_client() -> httpx.Client:
    """A client that honours the environment's proxies and certificates and follows no redirect."""
    environ = os.environ
    named = environ.get("SSL_CERT_FILE") or environ.get("REQUESTS_CA_BUNDLE") or ""
    try:
        return httpx.Client(
            verify=_trusted(named, environ.get("SSL_CERT_DIR", "")), follow_redirects=False, trust_env=True
        )
    except ImportError as error:  # a SOCKS proxy in the environment
        raise UnavailableError(
            "a SOCKS proxy is set, and the package for it is not installed", hint="pip install 'httpx[socks]'"
        ) from error
    except (ValueError, httpx.InvalidURL) as error:
        raise UnavailableError(
            "the proxy in the environment is no address", hint="check HTTPS_PROXY and ALL_PROXY"
        ) from error


@functools.cache  # a tenth of a second each
def _trusted(named: str, _folder: str) -> ssl.SSLContext:
    """Who may sign certificates: what the system trusts (SSL_CERT_FILE and SSL_CERT_DIR included), and beside the
    authorities of `named`, or without it the public ones.
    """
    context = ssl.create_default_context()
    try:
        if named:
            context.load_verify_locations(cafile=named)
        else:
            import certifi

            context.load_verify_locations(cafile=certifi.where())
    except (OSError, ssl.SSLError) as error:
        raise UnavailableError(f"the certificates in {named} cannot be read", hint="check SSL_CERT_FILE") from error
    return context


def passing(error: httpx.TransportError) -> bool:
    """Whether trying again may help: not against a certificate, a proxy's refusal or a protocol that is not ours."""
    return not (
        _certificate_problem(error)
        or isinstance(error, httpx.ProxyError | httpx.UnsupportedProtocol | httpx.DecodingError)
    )


def _certificate_problem(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        error = error.__cause__ or error.__context__
    return None


def in_words(error: httpx.TransportError, url: str) -> UnavailableError:
    host = host_of(url)
    problem = _certificate_problem(error)
    if problem is not None:
        return _certificate_words(problem, host)
    if isinstance(error, httpx.ProxyError):
        return UnavailableError(
            f"the proxy refused the way to {host}: {one_line(str(error))}", hint="check HTTPS_PROXY and NO_PROXY"
        )
    if isinstance(error, httpx.TimeoutException):
        return UnavailableError(f"{host} did not answer in time", hint=TRY_AGAIN)
    if isinstance(error, httpx.ConnectError):
        proxy = _proxy_of(url)
        way = f" through the proxy {proxy}" if proxy else ""
        hint = "check HTTPS_PROXY and NO_PROXY" if proxy else "is the server running? check the address and the network"
        return UnavailableError(f"cannot connect to {host}{way}: {one_line(str(error))}", hint=hint)
    return UnavailableError(
        f"the connection to {host} broke: {one_line(str(error)) or type(error).__name__}", hint=TRY_AGAIN
    )


def _certificate_words(problem: ssl.SSLCertVerificationError, host: str) -> UnavailableError:
    said = problem.verify_message
    if problem.verify_code in (9, 10):  # not yet valid, expired
        now = time.strftime("%Y-%m-%d", time.gmtime())
        return UnavailableError(
            f"the certificate of {host} is out of its time: {said}", hint=f"is the clock right? it says {now}"
        )
    if problem.verify_code in (18, 19, 20, 21):  # self-signed, or an issuer that is not known
        return UnavailableError(
            f"the certificate of {host} is signed by an unknown authority: {said}",
            hint="set SSL_CERT_FILE to the certificate of your company's authority",
        )
    return UnavailableError(f"the certificate of {host} is not accepted: {said}", hint="check the address")


def _proxy_of(url: str) -> str:
    """The proxy that the environment names for an address, without user and password; "" for none."""
    from urllib.request import getproxies, proxy_bypass

    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    return "" if not proxy or proxy_bypass(parts.hostname or "") else host_of(proxy)


def is_address(url: str) -> bool:
    """Whether it is one that bytes can be sent to."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def host_of(url: str) -> str:
    """Scheme, host and port: never a user, a password or a query."""
    parts = urlsplit(url)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname}{port}" if parts.hostname else ""


def one_line(text: str) -> str:
    """What a server or a library said, fit for one line of a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:300]).split())
