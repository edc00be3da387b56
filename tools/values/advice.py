"""What to do about a server that cannot be reached or that refuses, for who registers it.

The first rule that fits the reason counts. Reasons are worded in `tools.mcp`: the rule and the
wording change together, which the tests of real failures hold.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """What of a server's configuration an advice depends on."""

    transport: str
    uses_oauth: bool = False
    has_headers: bool = False


@dataclass(frozen=True)
class Rule:
    """`advice` where `reason` fits, on these transports and with or without headers."""

    reason: re.Pattern[str]
    advice: str
    transport: str = ""
    has_headers: bool | None = None

    def fits(self, reason: str, known: Known) -> bool:
        return (
            self.transport in ("", known.transport)
            and self.has_headers in (None, known.has_headers)
            and self.reason.search(reason) is not None
        )


def advice(reason: str, known: Known) -> str:
    """One or two sentences; empty where nothing better than the reason is known."""
    if known.uses_oauth and re.search(r"HTTP 40[13]\b", reason):
        return "Connect the account again; the scope may not be enough."
    return next((rule.advice for rule in RULES if rule.fits(reason, known)), "")


def _rule(reason: str, advice: str, transport: str = "", headers: bool | None = None) -> Rule:
    return Rule(re.compile(reason, re.IGNORECASE), advice, transport, headers)


TRY_SSE = "Check the path (often /mcp). A server of 2024 needs the connection SSE."
TRY_HTTP = "Check the path (often /sse). Most servers need the connection Streamable HTTP."
RULES = (
    _rule(
        r"HTTP 401\b",
        "The server does not accept the headers that are set. Set the right key, or switch on "
        "signing in with OAuth.",
        headers=True,
    ),
    _rule(
        r"HTTP 401\b",
        "The server wants to know who asks. Add a header with a key, mostly "
        "Authorization: Bearer …, or switch on signing in with OAuth.",
    ),
    _rule(r"HTTP 403\b", "The server refuses this caller. Check the key and what it may do."),
    _rule(r"HTTP 40[45]\b", TRY_SSE, "http"),
    _rule(r"HTTP 40[45]\b", TRY_HTTP, "sse"),
    _rule(r"HTTP (?:400|406|415)\b", f"It may speak another protocol. {TRY_SSE}", "http"),
    _rule(r"HTTP (?:400|406|415)\b", f"It may speak another protocol. {TRY_HTTP}", "sse"),
    _rule(r"HTTP 421\b", "The server does not take requests for this host name. Allow it there."),
    _rule(r"HTTP 429\b", "The server limits requests. Wait a minute, then test again."),
    _rule(r"HTTP 5\d\d\b", "The server itself failed, or what stands before it. See its own log."),
    _rule(r"HTTP 3\d\d\b.* points to", "If that is the server, set this as its URL."),
    _rule(r"HTTP 3\d\d\b", "The server has moved, or wants a sign-in. Check the URL."),
    _rule(r"text/html", f"This is a web page. {TRY_SSE}", "http"),
    _rule(r"text/html", f"This is a web page. {TRY_HTTP}", "sse"),
    _rule(r"not an event stream", TRY_HTTP, "sse"),
    _rule(r"is not MCP|not a JSON-RPC message|202 Accepted", TRY_SSE, "http"),
    _rule(r"nothing listens", "Start the server, or correct host and port in the URL."),
    _rule(r"host .* (?:was not found|has no address)", "Check the spelling of the host."),
    _rule(r"did not answer in time", "Is it running? A first start may download the program: raise "
          "the timeout, then test again.", "stdio"),
    _rule(r"did not answer in time", "Check host and port, or raise the timeout."),
    _rule(r"no way to its|host did not answer", "Check the host, and the network between."),
    _rule(
        r"certificate that is not trusted",
        "Renew it, use the host name that it is for, or let SSL_CERT_FILE name the file of your "
        "own authority.",
    ),
    _rule(r"does not speak TLS", "Write the URL with http:// if the server has no TLS."),
    _rule(r"broke off|without an answer", "If the server has TLS, write the URL with https://. "
          "Otherwise see its own log."),
    _rule(r"in a private network|is not allowed for this server",
          "An admin can allow that: It may be in a private network."),
    _rule(r"header .* cannot carry", "Write the header again, with ASCII characters only."),
    _rule(r"command 'npx?' was not found", "Install Node.js, which brings npx."),
    _rule(r"command 'uvx?' was not found", "Install uv, which brings uvx."),
    _rule(r"command 'docker' was not found", "Install Docker, or run the server without it."),
    _rule(r"command '.*' was not found", "Install it, or write its whole path."),
    _rule(r"is not executable", "Make it executable (chmod +x), or name the program that runs it."),
    _rule(r"command '.*' is a folder", "Name the program in it."),
    _rule(r"working directory .* does not exist", "Create the folder, or correct its path."),
    _rule(r"exited with code 0\b", "It ended before it spoke MCP. Check command and arguments."),
    _rule(r"exited with code|was killed", "Check command, arguments and environment variables."),
    _rule(r"writes to stdout what", "Only MCP may go to stdout; logs belong to stderr."),
)  # fmt: skip
