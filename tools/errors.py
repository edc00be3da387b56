"""What can go wrong with tools.

    ToolsError
    ├── ToolError         a tool says why it cannot answer; the model reads the text
    │   ├── NotThere      a file or folder of a workspace does not exist
    │   └── Failed        the message is the whole result, without "Error:" before it
    └── ConnectionFailed  an MCP session could not be opened, or ended: a `Failure`, and stderr

A failing tool is a result: `execution.execute_tool` turns all of these into one. People read the
reason of a `Failure`; the program decides by its kind and status, which are stored beside the text.
"""

from dataclasses import dataclass
from enum import StrEnum

from languages.stored import stored

# For people, where the fault is in this program: nothing that they asked for is to blame.
OUR_FAULT = stored("Roundtrip itself failed; the log of the tools worker says why")


class FailureKind(StrEnum):
    """Why a server could not be used, as far as the program reacts to it. Stored: values stay."""

    OTHER = "other"
    # HTTP. `status` of the failure is the HTTP status.
    HTTP_STATUS = "http_status"
    REDIRECT = "redirect"  # not followed, and its target is known
    WEB_PAGE = "web_page"  # HTML in place of MCP
    NOT_EVENT_STREAM = "not_event_stream"
    NOT_MCP = "not_mcp"
    NO_ANSWER = "no_answer"  # a request was accepted like a notification
    BAD_HEADER = "bad_header"  # a configured header that HTTP cannot carry
    # The way to the server.
    ADDRESS_NOT_ALLOWED = "address_not_allowed"  # an admin can allow it
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_BROKEN = "connection_broken"
    CONNECT_TIMEOUT = "connect_timeout"
    HOST_NOT_FOUND = "host_not_found"
    NO_ROUTE = "no_route"
    NO_TLS = "no_tls"
    UNTRUSTED_CERTIFICATE = "untrusted_certificate"
    TIMEOUT = "timeout"
    # Programs. `status` is the exit code.
    COMMAND_NOT_FOUND = "command_not_found"
    COMMAND_NOT_EXECUTABLE = "command_not_executable"
    COMMAND_IS_FOLDER = "command_is_folder"
    NO_WORKING_DIRECTORY = "no_working_directory"
    EXITED = "exited"
    KILLED = "killed"
    STDOUT_NOT_MCP = "stdout_not_mcp"
    # OAuth.
    NO_ACCOUNT = "no_account"
    ACCOUNT_ENDED = "account_ended"


@dataclass(frozen=True)
class Failure:
    """Why a server could not be used.

    `reason` is the predicate of a sentence about the server (`exited with code 1`), or a clause
    (`the command 'x' was not found`). `status` is an HTTP status or an exit code.
    """

    reason: str
    kind: FailureKind = FailureKind.OTHER
    status: int | None = None

    @classmethod
    def stored(cls, reason: str, kind: str, status: int | None) -> "Failure | None":
        """From the columns of a row; None of an error that has no kind."""
        known = kind in frozenset(FailureKind)
        return cls(reason, FailureKind(kind), status) if known else None


class ToolsError(Exception):
    """Base of what this app raises."""


class ToolError(ToolsError):
    """A local tool cannot answer; the message is written for the model."""


class NotThere(ToolError):
    """There is no such file or folder in the workspace."""


class Failed(ToolError):
    """The message is the whole result: the output of a command that failed, say."""


class ConnectionFailed(ToolsError):
    """No session with a server: why, and what the server wrote to stderr."""

    def __init__(
        self,
        reason: str,
        kind: FailureKind = FailureKind.OTHER,
        status: int | None = None,
        *,
        stderr: str = "",
    ) -> None:
        super().__init__(reason)
        self.failure = Failure(reason, kind, status)
        self.stderr = stderr

    @classmethod
    def of(cls, failure: Failure, stderr: str = "") -> "ConnectionFailed":
        return cls(failure.reason, failure.kind, failure.status, stderr=stderr)

    @property
    def reason(self) -> str:
        return self.failure.reason
