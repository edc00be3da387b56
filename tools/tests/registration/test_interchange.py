"""`mcpServers` JSON of the programs that write it: what is understood, what is said of faults."""

import json
from typing import Any

import pytest

from tools.models import Server
from tools.servers.interchange import (
    NotReadable,
    exported,
    parse,
    server_of,
    slug,
    with_command_as_url,
)

CLAUDE = {
    "mcpServers": {
        "filesystem": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
            "env": {"DEBUG": "1"},
        }
    }
}
CURSOR = {"mcpServers": {"Remote One": {"url": "https://e.org/mcp", "headers": {"X-Key": "k"}}}}
VS_CODE = {
    "inputs": [{"type": "promptString", "id": "key", "password": True}],
    "servers": {
        "perplexity": {
            "type": "stdio",
            "command": "npx",
            "args": ["-y", "server-perplexity"],
            "env": {"KEY": "${input:key}"},
        }
    },
}
QWEN_AGENT = [
    {"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}},
    "code_interpreter",
]


def names(document: Any) -> list[str]:
    return [entry.name for entry in parse(json.dumps(document))]


@pytest.mark.parametrize(
    ("document", "name", "address"),
    [
        (CLAUDE, "filesystem", "npx -y @modelcontextprotocol/server-filesystem /tmp"),
        (CURSOR, "remote-one", "https://e.org/mcp"),
        (VS_CODE, "perplexity", "npx -y server-perplexity"),
        (QWEN_AGENT, "time", "uvx mcp-server-time"),
        ({"mcp": VS_CODE}, "perplexity", "npx -y server-perplexity"),
        ({"command": "uvx", "args": ["mcp-server-git"]}, "mcp-server-git", "uvx mcp-server-git"),
        ({"url": "https://mcp.example.org/x"}, "mcp-example-org", "https://mcp.example.org/x"),
        ({"one": {"command": "a"}}, "one", "a"),
    ],
)
def test_each_program_is_understood(document: Any, name: str, address: str) -> None:
    (entry,) = parse(json.dumps(document))
    assert (entry.name, entry.address) == (name, address)


@pytest.mark.parametrize(
    ("written", "transport"),
    [
        ({"type": "sse", "url": "https://e.org/x"}, "sse"),
        ({"type": "streamable-http", "url": "https://e.org/sse"}, "http"),
        ({"transport": "streamableHttp", "url": "https://e.org/x"}, "http"),
        ({"url": "https://e.org/sse"}, "sse"),
        ({"url": "https://e.org/mcp"}, "http"),
    ],
)
def test_the_transport_is_what_is_said_else_what_the_url_looks_like(
    written: dict[str, str], transport: str
) -> None:
    assert parse(json.dumps({"mcpServers": {"a": written}}))[0].transport == transport


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{'mcpServers': {}}", "Line 1, column 2: texts and names need double quotes"),
        ('{"mcpServers": {"a": {"command": "x"}', "Line 1"),
        ("", "There is nothing to read"),
        ("[1]", "There is no server in it"),
        ("3", "This is JSON, but no object"),
        ('{"a": {"command": "x", "timeout": "soon"}}', "timeout of 'a' must be a number"),
        ('{"mcpServers": {"a": {}}}', "'a' needs either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "args": "-y"}}}', "must be a list of texts"),
        ('{"mcpServers": {"a": {"command": "x", "env": ["A=1"]}}}', "must map names to texts"),
        ('{"mcpServers": {"a": {"url": "http://y", "type": "grpc"}}}', "is not known"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "there twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(NotReadable, match=r".*") as fault:
        parse(text)
    assert sentence in str(fault.value)


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ({"command": {"path": "npx", "args": ["-y", "z"], "env": {"A": "b"}}}, "npx -y z"),
        ({"source": "custom", "command": "npx", "args": ["z"]}, "npx z"),
        ({"type": "local", "command": ["npx", "-y", "z"]}, "npx -y z"),
        ({"transport": {"type": "stdio", "command": "npx", "args": ["z"]}}, "npx z"),
        ({"transport": {"type": "sse", "url": "https://e.org/x"}}, "https://e.org/x"),
        ({"type": "remote", "url": "https://e.org/x"}, "https://e.org/x"),
    ],
)
def test_a_nested_address_is_lifted_out(written: dict[str, Any], address: str) -> None:
    (entry,) = parse(json.dumps({"context_servers": {"a": written}}))
    assert (entry.address, entry.notes) == (address, ())


def test_the_environment_of_a_nested_command_is_kept() -> None:
    written = {"command": {"path": "npx", "env": {"A": "b"}}, "settings": {}}
    (entry,) = parse(json.dumps({"context_servers": {"a": written}}))
    assert (dict(entry.env), entry.notes) == ({"A": "b"}, ("Not used: settings.",))


@pytest.mark.parametrize(
    "document",
    [
        {"editor.fontSize": 14, "mcp.servers": {"one": {"command": "a"}}},
        {"amp.mcpServers": {"one": {"command": "a"}}},
        {"mcp": {"enabled": True}, "mcp.servers": {"one": {"command": "a"}}},
        {"mcp": {"one": {"type": "local", "command": ["a"]}}},
        {"mcpServers": [{"name": "one", "command": "a"}]},
        {"mcpServers": {"one": {"command": "a"}}, "servers": {}},
    ],
)
def test_servers_are_looked_for_where_programs_keep_them(document: Any) -> None:
    assert names(document) == ["one"]


def test_a_server_may_be_named_like_a_list_of_servers() -> None:
    assert names({"mcpServers": {"mcp": {"command": "a"}, "b": {"command": "c"}}}) == ["mcp", "b"]


@pytest.mark.parametrize(
    ("written", "seconds"), [(90, 90), (60000, 60), (5500, 6), (0.5, 1), (10**9, 3600), (None, 60)]
)
def test_a_timeout_is_used_and_exported(written: float | None, seconds: int) -> None:
    (entry,) = parse(json.dumps({"a": {"command": "x", "timeout": written}}))
    server = server_of(entry, {})
    assert server.timeout_s == seconds
    (again,) = parse(json.dumps(exported([server])))
    assert server_of(again, {}).timeout_s == seconds


def test_a_url_as_a_command_can_become_the_url() -> None:
    (entry,) = parse('{"a": {"command": "https://e.org/sse", "args": ["-y"]}}')
    assert entry.has_url_as_command
    server = server_of(with_command_as_url(entry), {})
    assert (server.transport, server.url, server.command) == ("sse", "https://e.org/sse", "")


def test_names_become_slugs_and_stay_apart() -> None:
    document = {
        "mcpServers": {name: {"command": "x"} for name in ("My Server", "my-server", "时间")}
    }
    found = [entry.name for entry in parse(json.dumps(document), taken=["my-server-2"])]
    assert found == ["my-server", "my-server-3", "server"]


def test_a_long_name_stays_short_beside_another() -> None:
    used = {"a" * 40}
    assert slug("a" * 300, used) == "a" * 38 + "-2"


def test_placeholders_are_asked_for_and_filled_in() -> None:
    (entry,) = parse(json.dumps(VS_CODE))
    assert entry.placeholders == ("input:key",)
    assert server_of(entry, {"input:key": "secret"}).env == {"KEY": "secret"}


def test_a_variable_without_a_value_is_left_out() -> None:
    (entry,) = parse(json.dumps(VS_CODE))
    assert server_of(entry, {}).env == {}


def test_what_is_not_used_is_told() -> None:
    (entry,) = parse('{"mcpServers": {"a": {"command": "x", "autoApprove": ["*"]}}}')
    assert entry.notes == ("Not used: autoApprove.",)


def test_an_export_has_placeholders_for_secrets_and_can_be_imported() -> None:
    servers = [
        Server(name="files", command="npx", args=["-y", "x"], env={"TOKEN": "s3cret-value"}),
        Server(
            name="far", transport="sse", url="https://e.org/x", headers={"X-Key": "s3cret-value"}
        ),
    ]
    written = json.dumps(exported(servers))
    assert "s3cret-value" not in written
    files, far = parse(written)
    assert files.placeholders == ("TOKEN",)
    assert (far.transport, far.placeholders) == ("sse", ("X_KEY",))


def test_a_server_that_is_off_stays_off_both_ways() -> None:
    written = exported([Server(name="a", command="x", enabled=False)])
    assert parse(json.dumps(written))[0].enabled is False
