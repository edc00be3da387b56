"""Where programs keep servers in their configuration, and one server's members in one object.

Claude Desktop, Cursor, Cline: `mcpServers`. VS Code: `servers`, `mcp.servers` and `mcp`. Zed:
`context_servers`, with the program in a `command` object. opencode: `mcp`, with the command line as
a list. Continue: lists, with the address in a `transport` object. Qwen-Agent: a list of tools.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

LISTS = (
    "mcpServers",
    "servers",
    "mcp_servers",
    "context_servers",
    "modelContextProtocolServers",
    "mcp",
)
URLS = ("url", "serverUrl", "httpUrl")
ADDRESSES = ("command", *URLS)
IS_URL = re.compile(r"https?://", re.IGNORECASE)


class NoServers(ValueError):
    """The document cannot hold servers; the message is a sentence."""


def servers_in(document: Any) -> dict[str, Any]:
    """Names and servers as they are written. Raises `NoServers` for what is no object or list."""
    if isinstance(document, list):
        return _listed(document)
    if not isinstance(document, dict):
        raise NoServers(gettext("This is JSON, but no object. Paste an object with mcpServers."))
    for key, part in document.items():
        if servers := _kept_under(key.rpartition(".")[2], part):
            return servers
    if _is_server(document):
        return {str(document.get("name") or _guessed_name(flattened(document))): document}
    if isinstance(document.get("experimental"), dict):
        return servers_in(document["experimental"])
    return {name: part for name, part in document.items() if _is_server(part)}


def _kept_under(key: str, part: Any) -> dict[str, Any]:
    """The servers in `part`, if programs keep servers under `key`; nothing else."""
    if key not in LISTS or _is_server(part):
        return {}
    if isinstance(part, list):
        return _listed(part)
    if not isinstance(part, dict):
        return {}
    if any(name.rpartition(".")[2] in LISTS for name in part) and (inner := servers_in(part)):
        return inner
    # `mcp` also holds settings; in the other places each member is meant to be a server.
    return {name: one for name, one in part.items() if key != "mcp" or _is_server(one)}


def flattened(written: Mapping[str, Any]) -> dict[str, Any]:
    """One server with `command` as a text, and `args`, `env` and `url` beside it."""
    members = dict(written)
    for key in ("transport", "command"):
        if isinstance(members.get(key), dict):
            members |= _lifted(members.pop(key))
    if isinstance(members.get("command"), list) and members["command"]:
        members["command"], *first = members["command"]
        members["args"] = [*first, *(members.get("args") or [])]
    if "environment" in members:
        members.setdefault("env", members.pop("environment"))
    return members


def _lifted(inner: Mapping[str, Any]) -> dict[str, Any]:
    program = inner.get("path") or inner.get("program") or inner.get("command")
    rest = {key: value for key, value in inner.items() if key not in ("path", "program")}
    return rest | ({"command": program} if program else {})


def _listed(parts: list[Any]) -> dict[str, Any]:
    """The servers of a list, whose items are servers or objects that contain some."""
    servers: dict[str, Any] = {}
    for part in parts:
        for name, written in (servers_in(part) if isinstance(part, dict) else {}).items():
            free = name if name not in servers else f"{name}-{len(servers) + 1}"
            servers[free] = written
    return servers


def _is_server(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if isinstance(part.get("command"), dict | list):
        return bool(part["command"])
    members = flattened(part)
    return any(isinstance(members.get(name), str) for name in ADDRESSES)


def _guessed_name(members: Mapping[str, Any]) -> str:
    """A name for a server that came without one: its package, or its host."""
    url = next((str(members[name]) for name in URLS if members.get(name)), "")
    command = str(members.get("command") or "")
    if url or IS_URL.match(command):
        return re.sub(r"^\w+://|[/:?].*$", "", url or command)
    given = members["args"] if isinstance(members.get("args"), list) else []
    texts = [str(arg) for arg in given if not str(arg).startswith("-")]
    return (texts[0] if texts else command).rpartition("/")[2]
