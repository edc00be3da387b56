"""Where requests to servers may go, however the address is written."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx2
import pytest
from pytest_django.fixtures import Settings

from tools import guard
from tools.guard import Guarded, Refused, problem, refusal
from tools.tests.calling import Caller
from tools.tests.servers import web
from tools.values.server_config import ServerConfig

PRIVATE = (
    "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.1.1", "::1", "fc00::1", "fd12:3456::1",
)  # fmt: skip
WRAPPED = (
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "::ffff:0:7f00:1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:c0a8:101::1", "2001:0:808:808::f5ff:fffe",
    "2001:0:7f00:1::f7f7:f7f7", "2606:4700::5efe:7f00:1",
)  # fmt: skip
NEVER = (
    "169.254.169.254", "169.254.170.2", "fe80::1", "fe80::1%eth0", "100.100.100.200",
    "fd00:ec2::254", "0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.1.1.1", "ff02::1", "240.0.0.1",
    "255.255.255.255", "192.0.2.1", "198.18.0.1", "2001:db8::1", "64:ff9b:1::1", "fec0::1",
    "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "::ffff:0.0.0.0",
)  # fmt: skip
PUBLIC = (
    "8.8.8.8", "1.1.1.1", "172.15.0.1", "100.63.0.1", "2606:4700::1111", "2001:4860:4860::8888",
    "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7",
)  # fmt: skip


@pytest.mark.parametrize("address", [*PRIVATE, *WRAPPED, *NEVER])
def test_what_is_not_of_the_internet_is_refused(address: str) -> None:
    assert refusal(address, allow_private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_the_internet_is_allowed(address: str) -> None:
    assert refusal(address, allow_private=False) is None


@pytest.mark.parametrize("address", PRIVATE)
def test_an_admin_may_allow_private_networks_for_a_server(address: str) -> None:
    assert refusal(address, allow_private=True) is None


@pytest.mark.parametrize("address", NEVER)
def test_that_permission_opens_neither_metadata_services_nor_what_is_no_address(
    address: str,
) -> None:
    assert refusal(address, allow_private=True)


def test_the_setting_opens_exactly_the_networks_that_it_names(settings: Settings) -> None:
    settings.MCP_PRIVATE_NETWORKS = ["10.1.0.0/16", "fe80::/10", "169.254.169.254/32"]
    assert refusal("10.1.2.3", allow_private=False) is None
    assert refusal("::ffff:10.1.2.3", allow_private=False) is None
    assert refusal("fe80::1%eth0", allow_private=False) is None
    assert refusal("169.254.169.254", allow_private=False) is None
    assert refusal("10.2.0.1", allow_private=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/", "http://2130706433/",
        "http://127.1/", "http://127.0.0.1./", "http://127.0.1/", "http://1.2.3.08/",
        "http://user:word@example.org/", "http://example.org\\@127.0.0.1/", "http://a b/",
        "http://127.0.0.1\t/", "http://a\r\nHost: b/", "http:///mcp", "http://%31%32%37.1/",
        "file:///etc/passwd", "gopher://127.0.0.1/", "//example.org/", "http://①②⑦.⓪.⓪.①/",
        "http://[fe80::1%25eth0]/", "mcp",
    ],
)  # fmt: skip
def test_odd_spellings_are_refused_without_a_look_up(url: str) -> None:
    assert problem(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/mcp", "http://example.org:8080/a?b=c#d", "https://8.8.8.8/",
        "http://[2606:4700::1111]:443/mcp", "https://b\N{LATIN SMALL LETTER U WITH DIAERESIS}.de/",
        "http://localhost:3000/mcp", "https://1.example.org/", "https://example.org/%5C",
    ],
)  # fmt: skip
def test_usual_spellings_are_not(url: str) -> None:
    assert problem(url) == ""


class Resolver:
    """Gives the next list of addresses each time it is asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return self.answers.pop(0)


def fetch(url: str, transport: Guarded, times: int = 1) -> list[httpx2.Response]:
    async def run() -> list[httpx2.Response]:
        async with httpx2.AsyncClient(transport=transport) as client:
            return [await client.post(url, json={}) for _ in range(times)]

    return asyncio.run(run())


def test_one_bad_address_of_a_name_speaks_against_all() -> None:
    transport = Guarded(tells_addresses=True, resolve=Resolver(["8.8.8.8", "10.0.0.1"]))
    with pytest.raises(Refused, match=r"10\.0\.0\.1 \(of example.org\) is in a private network"):
        fetch("http://example.org/", transport)


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "::1", "192.0.2.1"])
def test_what_an_inner_name_resolves_to_is_told_in_the_log_only(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Refused) as refused:
        fetch("http://inner.example/", Guarded(resolve=Resolver([address])))
    assert str(refused.value) == "the address of inner.example is not allowed for this server"
    assert f"{address} (of inner.example) is" in caplog.text


def test_the_name_is_judged_again_with_every_request(settings: Settings) -> None:
    """DNS rebinding: what was fine a moment ago leads inside now."""
    settings.MCP_PRIVATE_NETWORKS = ["127.0.0.1/32"]
    with web.serving(web.bad()) as url:
        named = url.replace("127.0.0.1", "rebinding.example").replace("/mcp", "/never-open/mcp")
        resolve = Resolver(["127.0.0.1"], ["127.0.0.2"])
        with pytest.raises(Refused, match=r"rebinding\.example is not allowed"):
            fetch(named, Guarded(resolve=resolve), times=2)
        assert resolve.answers == []


def test_the_connection_goes_to_the_address_that_was_checked_and_the_host_stays() -> None:
    with web.serving(web.echo_host()) as url:
        named = url.replace("127.0.0.1", "pinned.example")
        transport = Guarded(allow_private=True, resolve=Resolver(["127.0.0.1"]))
        (response,) = fetch(named, transport)
    assert response.text == named.split("/")[2]


def test_the_next_address_is_tried_where_nobody_answers() -> None:
    with web.serving(web.echo_host()) as url:
        transport = Guarded(allow_private=True, resolve=Resolver(["127.0.0.9", "127.0.0.1"]))
        (response,) = fetch(url.replace("127.0.0.1", "two.example"), transport)
    assert response.status_code == 200


def test_a_name_without_address_is_a_failed_connection() -> None:
    with pytest.raises(httpx2.ConnectError, match="was not found"):
        fetch("http://nowhere.invalid/", Guarded())


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_server_in_a_private_network_is_not_reached_and_says_why(
    caller: Caller, transport: str
) -> None:
    config = ServerConfig("inside", transport, url="http://127.0.0.1:9/mcp")
    result = caller.call(config, "go")
    assert "cannot be reached: 127.0.0.1 is in a private network" in result.text
    assert not result.unknown
    odd = caller.call(replace(config, url="http://2130706433/mcp"), "go")
    assert "2130706433 is an odd way to write an address" in odd.text


@pytest.mark.parametrize("kind", ["redirect", "redirect-302"])
def test_a_redirect_to_another_origin_is_not_followed(
    caller: Caller, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    resolved = guard.resolved

    async def noted(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return await resolved(host, port)

    defaults = {**(Guarded.__init__.__kwdefaults__ or {}), "resolve": noted}
    monkeypatch.setattr(Guarded.__init__, "__kwdefaults__", defaults)
    with web.serving(web.bad()) as url:
        config = ServerConfig("web", "http", url=url.replace("/mcp", f"/{kind}/mcp"), timeout_s=10)
        result = caller.call(replace(config, allow_private=True), "go")
    assert "answered HTTP 30" in result.text
    assert set(asked) == {"127.0.0.1"}
