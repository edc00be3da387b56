"""What to do about a server that cannot be reached or that refuses, for who registers it.

The first rule that fits the failure's kind, its status and the server's configuration counts.
"""

from collections.abc import Container
from dataclasses import dataclass

from languages.stored import stored
from tools.errors import Failure, FailureKind

Kind = FailureKind


@dataclass(frozen=True)
class Known:
    """What of a server's configuration an advice depends on."""

    transport: str
    command: str = ""
    uses_oauth: bool = False
    has_headers: bool = False


@dataclass(frozen=True)
class Rule:
    """`advice` for failures of this kind; None stands for any status, transport or command."""

    kind: FailureKind
    advice: str
    statuses: Container[int | None] | None = None
    transport: str | None = None
    commands: tuple[str, ...] | None = None
    needs_headers: bool = False

    def fits(self, failure: Failure, known: Known) -> bool:
        return (
            failure.kind is self.kind
            and (self.statuses is None or failure.status in self.statuses)
            and self.transport in (None, known.transport)
            and (self.commands is None or known.command in self.commands)
            and (known.has_headers or not self.needs_headers)
        )


def advice(failure: Failure, known: Known) -> str:
    """One or two sentences; empty where nothing better than the reason is known."""
    if known.uses_oauth and failure.kind is Kind.HTTP_STATUS and failure.status in (401, 403):
        return stored("Connect the account again; the scope may not be enough.")
    return next((rule.advice for rule in RULES if rule.fits(failure, known)), "")


def _status(
    statuses: Container[int | None],
    advice: str,
    transport: str | None = None,
    *,
    needs_headers: bool = False,
) -> Rule:
    return Rule(Kind.HTTP_STATUS, advice, statuses, transport, needs_headers=needs_headers)


def _no_command(advice: str, *commands: str) -> Rule:
    return Rule(Kind.COMMAND_NOT_FOUND, advice, commands=commands or None)


TRY_SSE = stored("Check the path (often /mcp). A server of 2024 needs the connection SSE.")
TRY_HTTP = stored("Check the path (often /sse). Most servers need the connection Streamable HTTP.")
RULES = (
    _status(
        (401,),
        stored(
            "The server does not accept the headers that are set. Set the right key, or switch on "
            "signing in with OAuth."
        ),
        needs_headers=True,
    ),
    _status(
        (401,),
        stored(
            "The server wants to know who asks. Add a header with a key, mostly "
            "Authorization: Bearer …, or switch on signing in with OAuth."
        ),
    ),
    _status((403,), stored("The server refuses this caller. Check the key and what it may do.")),
    _status((404, 405), TRY_SSE, "http"),
    _status((404, 405), TRY_HTTP, "sse"),
    _status(
        (400, 406, 415),
        stored("It may speak another protocol. %(try_sse)s", try_sse=TRY_SSE),
        "http",
    ),
    _status(
        (400, 406, 415),
        stored("It may speak another protocol. %(try_http)s", try_http=TRY_HTTP),
        "sse",
    ),
    _status(
        (421,), stored("The server does not take requests for this host name. Allow it there.")
    ),
    _status((429,), stored("The server limits requests. Wait a minute, then test again.")),
    _status(
        range(500, 600), stored("The server itself failed, or a proxy before it. See its own log.")
    ),
    _status(range(300, 400), stored("The server has moved, or wants a sign-in. Check the URL.")),
    Rule(Kind.REDIRECT, stored("If that is the server, set this as its URL.")),
    Rule(
        Kind.WEB_PAGE, stored("This is a web page. %(try_sse)s", try_sse=TRY_SSE), transport="http"
    ),
    Rule(
        Kind.WEB_PAGE,
        stored("This is a web page. %(try_http)s", try_http=TRY_HTTP),
        transport="sse",
    ),
    Rule(Kind.NOT_EVENT_STREAM, TRY_HTTP, transport="sse"),
    Rule(Kind.NOT_MCP, TRY_SSE, transport="http"),
    Rule(Kind.NO_ANSWER, TRY_SSE, transport="http"),
    Rule(Kind.CONNECTION_REFUSED, stored("Start the server, or correct host and port in the URL.")),
    Rule(Kind.HOST_NOT_FOUND, stored("Check the spelling of the host.")),
    Rule(
        Kind.TIMEOUT,
        stored(
            "Is it running? A first start may download the program: raise the timeout, then test "
            "again."
        ),
        transport="stdio",
    ),
    Rule(Kind.TIMEOUT, stored("Check host and port, or raise the timeout.")),
    Rule(Kind.CONNECT_TIMEOUT, stored("Check the host, and the network between.")),
    Rule(Kind.NO_ROUTE, stored("Check the host, and the network between.")),
    Rule(
        Kind.UNTRUSTED_CERTIFICATE,
        stored(
            "Renew it, use the host name that it is for, or let SSL_CERT_FILE name the "
            "file of your "
            "own authority."
        ),
    ),
    Rule(Kind.NO_TLS, stored("Write the URL with http:// if the server has no TLS.")),
    Rule(
        Kind.CONNECTION_BROKEN,
        stored("If the server has TLS, write the URL with https://. Otherwise see its own log."),
    ),
    Rule(
        Kind.ADDRESS_NOT_ALLOWED,
        stored("An admin can allow that: It may be in a private network."),
    ),
    Rule(Kind.BAD_HEADER, stored("Write the header again, with ASCII characters only.")),
    _no_command(stored("Install Node.js, which brings npx."), "npx"),
    _no_command(stored("Install uv, which brings uvx."), "uv", "uvx"),
    _no_command(stored("Install Docker, or run the server without it."), "docker"),
    _no_command(stored("Install it, or write its whole path.")),
    Rule(
        Kind.COMMAND_NOT_EXECUTABLE,
        stored("Make it executable (chmod +x), or name the program that runs it."),
    ),
    Rule(Kind.COMMAND_IS_FOLDER, stored("Name the program in it.")),
    Rule(Kind.NO_WORKING_DIRECTORY, stored("Create the folder, or correct its path.")),
    Rule(
        Kind.EXITED,
        stored("It ended before it spoke MCP. Check command and arguments."),
        statuses=(0,),
    ),
    Rule(Kind.EXITED, stored("Check command, arguments and environment variables.")),
    Rule(Kind.KILLED, stored("Check command, arguments and environment variables.")),
    Rule(Kind.STDOUT_NOT_MCP, stored("Only MCP may go to stdout; logs belong to stderr.")),
)
