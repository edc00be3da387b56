"""`mcpServers` JSON, as Claude Desktop, Cursor, VS Code and Qwen-Agent write it, in and out.

    text ─ jsonc ─► document ─ server_configs ─► servers as written ─ parse ─► entries
    an entry ─ server_of (with the values of its placeholders) ─► a row, not saved

An entry keeps secrets as they were pasted; a `${placeholder}` is a value that somebody has to give.
`exported` writes the same JSON with every secret as a placeholder.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from limits.tools import (
    MAX_IMPORTED_SERVERS,
    MAX_IMPORTED_TIMEOUT_S,
    MAX_SERVER_NAME,
    MAX_SERVERS_TEXT,
)
from tools.errors import ToolsError
from tools.models import Server
from tools.servers import jsonc
from tools.servers.server_configs import ADDRESSES, IS_URL, URLS, NoServers, flattened, servers_in

PLACEHOLDER = re.compile(r"\$\{([^{}]+)\}")
KINDS = {
    "stdio": Server.Transport.STDIO,
    "sse": Server.Transport.SSE,
    "http": Server.Transport.HTTP,
    "streamable-http": Server.Transport.HTTP,
    "streamablehttp": Server.Transport.HTTP,
    "streamable_http": Server.Transport.HTTP,
    "local": Server.Transport.STDIO,
    "remote": Server.Transport.HTTP,
}
READ = {
    *ADDRESSES, "args", "env", "cwd", "headers", "type", "transport", "disabled", "enabled",
    "timeout", "source",
}  # fmt: skip


class NotReadable(ToolsError):
    """The text holds no servers; the message says where and why, without repeating the text."""


@dataclass(frozen=True)
class Entry:
    """A server of a pasted configuration. `env` and `headers` may be secret."""

    written_name: str
    name: str
    transport: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    url_was_command: bool = False
    timeout_s: int | None = None
    enabled: bool = True
    placeholders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has_url_as_command(self) -> bool:
        """Whether the command is a URL, so that a person has to choose."""
        return self.is_stdio and IS_URL.match(self.command) is not None

    @property
    def is_stdio(self) -> bool:
        return self.transport == Server.Transport.STDIO

    @property
    def address(self) -> str:
        return self.url or " ".join([self.command, *self.args])


def parse(text: str, taken: Iterable[str] = ()) -> list[Entry]:
    """The servers of a configuration, with names that are slugs and not among those `taken`.

    Raises `NotReadable`.
    """
    if len(text) > MAX_SERVERS_TEXT:
        raise NotReadable(
            gettext("This is longer than %(most)s characters.") % {"most": f"{MAX_SERVERS_TEXT:,}"}
        )
    try:
        servers = servers_in(jsonc.loads(text))
    except (jsonc.NotJson, NoServers) as error:
        raise NotReadable(str(error)) from None
    if not servers:
        raise NotReadable(gettext("There is no server in it. Paste an object with mcpServers."))
    if len(servers) > MAX_IMPORTED_SERVERS:
        raise NotReadable(
            gettext("These are %(count)s servers; the limit is %(most)s at once.")
            % {"count": len(servers), "most": MAX_IMPORTED_SERVERS}
        )
    used = set(taken)
    return [_entry(name, written, used) for name, written in servers.items()]


def with_command_as_url(entry: Entry) -> Entry:
    """The entry whose command is a URL, as a server behind that URL."""
    return replace(
        entry,
        transport=_transport(entry.written_name, {}, entry.command),
        url=entry.command,
        url_was_command=True,
        command="",
        args=(),
        env={},
        cwd="",
        placeholders=_placeholders([entry.command]),
    )


def server_of(entry: Entry, values: Mapping[str, str]) -> Server:
    """The row to save; a variable or header whose placeholder has no value is left out."""

    def filled(text: str) -> str:
        return PLACEHOLDER.sub(lambda found: values.get(found[1], ""), text)

    def pairs(written: Mapping[str, str]) -> dict[str, str]:
        given = {name: value for name, value in written.items() if not _lacks(value, values)}
        return {name: filled(value) for name, value in given.items()}

    return Server(
        name=entry.name,
        transport=entry.transport,
        command=filled(entry.command),
        args=[filled(arg) for arg in entry.args],
        env=pairs(entry.env),
        cwd=filled(entry.cwd),
        url=filled(entry.url),
        headers=pairs(entry.headers),
        enabled=entry.enabled,
        **({"timeout_s": entry.timeout_s} if entry.timeout_s else {}),
    )


def exported(servers: Iterable[Server]) -> dict[str, Any]:
    """The servers as `mcpServers`, to be written as JSON; `${NAME}` stands for each secret."""
    return {"mcpServers": {server.name: _written(server) for server in servers}}


def _written(server: Server) -> dict[str, Any]:
    if server.transport == Server.Transport.STDIO:
        written: dict[str, Any] = {"command": server.command, "args": list(server.args)}
        env = {name: _placeholder(name) for name in sorted(server.env)}
        optional = {"env": env, "cwd": server.cwd}
    else:
        written = {"type": server.transport, "url": server.url}
        headers = {name: _placeholder(_variable(name)) for name in sorted(server.headers)}
        optional = {"headers": headers}
    written |= {name: value for name, value in optional.items() if value}
    if server.timeout_s != Server._meta.get_field("timeout_s").default:
        written["timeout"] = server.timeout_s
    return written if server.enabled else written | {"disabled": True}


def _placeholder(name: str) -> str:
    return "${" + name + "}"


def _variable(header: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", header.upper()).strip("_")


def slug(name: str, used: set[str]) -> str:
    """`name` as a slug that is not among `used`, to which it is added."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:MAX_SERVER_NAME].strip("-")
    base = plain or "server"
    chosen, number = base, 2
    while chosen in used:
        suffix = f"-{number}"
        chosen, number = base[: MAX_SERVER_NAME - len(suffix)].rstrip("-") + suffix, number + 1
    used.add(chosen)
    return chosen


def _entry(name: str, written: Any, used: set[str]) -> Entry:
    if not isinstance(written, dict):
        raise NotReadable(gettext("The server %(name)s is no object.") % {"name": repr(name[:80])})
    written = flattened(written)
    url = next((written[key] for key in URLS if written.get(key)), "")
    command = written.get("command") or ""
    if not isinstance(url, str) or not isinstance(command, str) or bool(url) == bool(command):
        raise NotReadable(
            gettext("The server %(name)s needs either a command or a url.")
            % {"name": repr(name[:80])}
        )
    texts: dict[str, Any] = {
        "args": tuple(_texts(name, "args", written.get("args") or [])),
        "env": _pairs(name, "env", written.get("env") or {}),
        "headers": _pairs(name, "headers", written.get("headers") or {}),
        "cwd": str(written.get("cwd") or ""),
    }
    given = texts | ({"headers": {}} if command else {"args": (), "env": {}, "cwd": ""})
    return Entry(
        written_name=name,
        name=slug(name, used),
        transport=_transport(name, written, url),
        command=command,
        url=url,
        timeout_s=_timeout_s(name, written.get("timeout")),
        enabled=not written.get("disabled") and written.get("enabled") is not False,
        placeholders=_placeholders([command, url, *_all_texts(given)]),
        notes=tuple(_notes(written, command)),
        **given,
    )


def _transport(name: str, written: Mapping[str, Any], url: str) -> str:
    said = written.get("type") or written.get("transport")
    if not url:
        return Server.Transport.STDIO
    if said is None:
        return Server.Transport.SSE if url.rstrip("/").endswith("/sse") else Server.Transport.HTTP
    kind = KINDS.get(str(said).lower())
    if kind is None or kind == Server.Transport.STDIO:
        raise NotReadable(
            gettext("The server %(name)s has a type that is not known: use http or sse.")
            % {"name": repr(name[:80])}
        )
    return kind


def _timeout_s(name: str, written: Any) -> int | None:
    """The timeout in seconds. Programs differ in the unit: large values are milliseconds."""
    if written is None:
        return None
    number = written if isinstance(written, int | float) and not isinstance(written, bool) else 0
    if not (0 < number < math.inf):
        raise NotReadable(
            gettext("The timeout of %(name)s must be a number of seconds above 0.")
            % {"name": repr(name[:80])}
        )
    seconds = number / 1000 if number > MAX_IMPORTED_TIMEOUT_S else number
    return min(math.ceil(seconds), MAX_IMPORTED_TIMEOUT_S)


def _texts(name: str, key: str, found: Any) -> list[str]:
    if not isinstance(found, list) or not all(isinstance(one, str | int | float) for one in found):
        raise NotReadable(
            gettext("The %(key)s of %(name)s must be a list of texts.")
            % {"key": key, "name": repr(name[:80])}
        )
    return [str(one) for one in found]


def _pairs(name: str, key: str, found: Any) -> dict[str, str]:
    plain = isinstance(found, dict) and all(
        isinstance(one, str | int | float | bool) for one in found.values()
    )
    if not plain:
        raise NotReadable(
            gettext("The %(key)s of %(name)s must map names to texts.")
            % {"key": key, "name": repr(name[:80])}
        )
    return {str(of): one if isinstance(one, str) else json.dumps(one) for of, one in found.items()}


def _all_texts(given: Mapping[str, Any]) -> list[str]:
    secrets = [*given["env"].values(), *given["headers"].values()]
    return [*given["args"], given["cwd"], *secrets]


def _placeholders(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in texts for name in PLACEHOLDER.findall(text)))


def _notes(written: Mapping[str, Any], command: str) -> Iterable[str]:
    if ignored := sorted(set(written) - READ - {"name", "description"}):
        yield gettext("Not used: %(ignored)s.") % {
            "ignored": ", ".join(key[:40] for key in ignored[:10])
        }
    if command == "docker":
        yield gettext("It runs Docker on this machine.")
    if (timeout := written.get("timeout")) and timeout > MAX_IMPORTED_TIMEOUT_S:
        yield gettext("The timeout %(timeout)s is taken as milliseconds.") % {"timeout": timeout}


def _lacks(text: str, values: Mapping[str, str]) -> bool:
    return any(not values.get(name) for name in PLACEHOLDER.findall(text))
