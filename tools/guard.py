"""A guard against servers that send us elsewhere (SSRF), as a transport that sees every request.

Each request, a followed redirect and OAuth's included, goes to an address that was checked: the
name is resolved, all its addresses are judged, and the connection is made to one of those, not to
the name, which may mean something else a moment later. `Host` and TLS keep the name.

What a name of the operator's network resolves to is told in the log, and to admins who try a
connection; a sentence for others has no address that they did not write.

Not in a private network, but never allowed by `allow_private` either, are the link-local addresses,
where clouds keep a machine's credentials: only `networks` opens them, for MCP servers and images
the setting `MCP_PRIVATE_NETWORKS`.
Sources: IANA's special-purpose address registries; RFC 4291, 4380, 6052 on addresses in addresses.
"""

import asyncio
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from ssl import SSLContext

import httpx2
from django.conf import settings

from languages.stored import stored
from limits.mcp import MAX_ADDRESSES
from tools.errors import Failure, FailureKind

logger = logging.getLogger(__name__)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

PORTS = {"http": 80, "https": 443}
# A host whose last part is a number is an IPv4 address to some resolvers: `0x7f.1`, `2130706433`.
NUMERIC = re.compile(r"(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)\.?$")
NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f\\]")


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


PRIVATE = _networks(
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8",
    "::1/128", "fc00::/7",
)  # fmt: skip
LINK_LOCAL = _networks("169.254.0.0/16", "fe80::/10")
METADATA = _networks("100.100.100.200/32", "fd00:ec2::254/128")  # of clouds, beside link-local
# Beyond what `ipaddress` knows, which differs from one Python to the next.
RESERVED = _networks(
    "0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "::/128", "64:ff9b:1::/48", "100::/64",
    "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
)  # fmt: skip
# Prefixes whose addresses contain an IPv4 address, and the bits to its right.
WITH_IPV4 = (
    (ip_network("::/96"), 0),
    (ip_network("::ffff:0:0/96"), 0),
    (ip_network("::ffff:0:0:0/96"), 0),
    (ip_network("64:ff9b::/96"), 0),
    (ip_network("2002::/16"), 80),
)
TEREDO = ip_network("2001::/32")


class Forbidden(StrEnum):
    """Why no request may go to an address, as a part of a sentence about the address."""

    LINK_LOCAL = stored("is a link-local address")
    METADATA = stored("is where a cloud keeps a machine's credentials")
    PRIVATE = stored("is in a private network")
    NOT_INTERNET = stored("is not an address of the internet")


class Refused(httpx2.TransportError):
    """A request that was not sent; the message says why, as a part of a sentence."""

    def __init__(
        self, why: str, kind: FailureKind = FailureKind.OTHER, *, request: httpx2.Request
    ) -> None:
        super().__init__(why, request=request)
        self.failure = Failure(stored("cannot be reached: %(why)s", why=why), kind)


class HostNotFound(httpx2.ConnectError):
    """The host of a URL has no address."""


def problem(url: str) -> str:
    """What speaks against the spelling of `url`, as a part of a sentence; empty if nothing.

    Looks nothing up: an address is judged when a request goes there.
    """
    if NOT_IN_URLS.search(url):
        return stored("the URL has a backslash, a space or a control character in it")
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        return stored("the URL is not valid: %(error)s", error=error)
    return _problem(parsed)


def _problem(url: httpx2.URL) -> str:
    if url.scheme not in PORTS:
        return stored("the URL does not begin with http:// or https://")
    if url.userinfo:
        return "the URL has a user name or password in it; use a header"
    host = url.raw_host.decode("ascii")
    if not host or "%" in host:
        return stored("the URL has no valid host")
    if url.port is not None and not 0 < url.port < 65536:
        return stored("the URL has no valid port")
    if NUMERIC.search(host) and ":" not in host:
        try:
            IPv4Address(host)
        except ValueError:
            return stored("%(host)s is an odd way to write an address", host=host)
    return ""


def refusal(
    address: str, *, allow_private: bool, networks: Sequence[str] | None = None
) -> Forbidden | None:
    """Why no request may go to `address`; None if it may. `networks` are allowed whatever they
    are; None: those of the setting."""
    outer = ip_address(address.partition("%")[0])
    allowed = _networks(*(_networks_of_setting() if networks is None else networks))
    for one in (outer, *_inside(outer)):
        if any(one in network for network in allowed):
            continue
        if why := _forbidden(one, allow_private=allow_private):
            return why
    return None


def _forbidden(address: Address, *, allow_private: bool) -> Forbidden | None:
    if any(address in network for network in LINK_LOCAL):
        return Forbidden.LINK_LOCAL
    if any(address in network for network in METADATA):
        return Forbidden.METADATA
    if any(address in network for network in PRIVATE):
        return None if allow_private else Forbidden.PRIVATE
    if address.is_multicast or any(address in network for network in RESERVED):
        return Forbidden.NOT_INTERNET
    if isinstance(address, IPv6Address) and (_inside(address) or address.is_global):
        return None  # what is inside is judged on its own
    return None if address.is_global else Forbidden.NOT_INTERNET


def _inside(address: Address) -> list[Address]:
    """The IPv4 addresses that a gateway would take an IPv6 address for."""
    if isinstance(address, IPv4Address) or address.packed[:15] == bytes(15):
        return []
    number = int(address)
    embedded: list[Address] = [
        IPv4Address(number >> shift & 0xFFFFFFFF)
        for network, shift in WITH_IPV4
        if address in network
    ]
    if address in TEREDO:
        embedded += [IPv4Address(number >> 64 & 0xFFFFFFFF), IPv4Address(~number & 0xFFFFFFFF)]
    if number >> 32 & 0xFCFFFFFF == 0x00005EFE:  # ISATAP
        embedded.append(IPv4Address(number & 0xFFFFFFFF))
    return embedded


def _networks_of_setting() -> Sequence[str]:
    return getattr(settings, "MCP_PRIVATE_NETWORKS", ())


async def resolved(host: str, port: int) -> Sequence[str]:
    """The addresses of `host` in the system's order of preference. Raises `OSError`."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in entries))


class Guarded(httpx2.AsyncBaseTransport):
    """Sends each request to a checked address of its host, or raises `Refused`."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        tells_addresses: bool = False,
        networks: Sequence[str] | None = None,
        resolve: Resolve = resolved,
    ) -> None:
        self._allow_private = allow_private
        self._networks = networks
        self._tells_addresses = tells_addresses
        self._resolve = resolve
        # One a host: hosts at one address must not share a TLS connection, whose certificate was
        # checked for one of them.
        self._pools: dict[tuple[str, str, int], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if why := _problem(request.url):
            raise Refused(why, request=request)
        host = request.url.raw_host.decode("ascii")
        port = request.url.port or PORTS[request.url.scheme]
        addresses = await self._checked(host, port, request)
        pool = self._pool((request.url.scheme, host, port))
        failure: httpx2.TransportError
        failure = HostNotFound(
            stored("the host %(host)s has no address", host=host), request=request
        )
        for address in addresses[:MAX_ADDRESSES]:
            try:
                response = await pool.handle_async_request(_pinned(request, host, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
            else:
                is_redirect = response.has_redirect_location
                return await _without_body(response) if is_redirect else response
        raise failure

    async def _checked(self, host: str, port: int, request: httpx2.Request) -> Sequence[str]:
        """The addresses of `host`. One that is refused speaks against all: names that point
        inside and outside are how a check is got around."""
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise HostNotFound(
                stored("the host %(host)s was not found", host=host), request=request
            ) from error
        for address in addresses:
            why = refusal(address, allow_private=self._allow_private, networks=self._networks)
            if why is not None:
                raise self._refused(host, address, why, request)
        return addresses

    def _refused(self, host: str, address: str, why: Forbidden, request: httpx2.Request) -> Refused:
        is_private = why is Forbidden.PRIVATE
        kind = FailureKind.ADDRESS_NOT_ALLOWED if is_private else FailureKind.OTHER
        if address == host.strip("[]"):
            sentence = stored(
                "%(address)s %(why)s, where this server may not be", address=address, why=why
            )
            return Refused(sentence, kind, request=request)
        sentence = stored(
            "%(address)s (of %(host)s) %(why)s, where this server may not be",
            address=address,
            host=host,
            why=why,
        )
        logger.warning("A request was not sent: %s", sentence)
        if self._tells_addresses:
            return Refused(sentence, kind, request=request)
        # The kind of the address stays untold, too.
        sentence = stored("the address of %(host)s is not allowed for this server", host=host)
        return Refused(sentence, FailureKind.ADDRESS_NOT_ALLOWED, request=request)

    def _pool(self, origin: tuple[str, str, int]) -> httpx2.AsyncHTTPTransport:
        if origin not in self._pools:
            self._pools[origin] = httpx2.AsyncHTTPTransport(verify=_tls())
        return self._pools[origin]

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()


def _pinned(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    """`request` with an address for a host: `Host` is a header already, TLS is told the name."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


async def _without_body(redirect: httpx2.Response) -> httpx2.Response:
    """The redirect alone: a client that follows it would first read its body to the end and
    unpack it, however long that is."""
    await redirect.aclose()
    of_body = ("content-encoding", "content-length", "transfer-encoding")
    headers = [one for one in redirect.headers.multi_items() if one[0].lower() not in of_body]
    return httpx2.Response(redirect.status_code, headers=headers, extensions=redirect.extensions)


@lru_cache(maxsize=1)
def _tls() -> SSLContext:
    """One for all: it takes 20 ms to make."""
    return httpx2.create_ssl_context()
