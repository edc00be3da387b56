"""Each way in which a server cannot be reached: a sentence that says why, and one of what to do."""

import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.errors import Failure, FailureKind
from tools.mcp.listing import look
from tools.mcp.transports.exit_message import last_words
from tools.tests.calling import Caller
from tools.tests.servers.broken import answering, http
from tools.values.advice import Known, advice
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.process

# The person's part; a card has a button for it.
WITHOUT_ADVICE = {FailureKind.OTHER, FailureKind.NO_ACCOUNT, FailureKind.ACCOUNT_ENDED}
CUT = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
MOVED = http("302 Found", b"", "text/plain", "location: https://u:p@e.org/x?key=s3cret")
PAGE = http("200 OK", b"<html>", "text/html")


def at(port: int, transport: str = "http", **changes: Any) -> ServerConfig:
    url = f"http://127.0.0.1:{port}/mcp"
    return ServerConfig("s", transport, allow_private=True, **{"url": url, **changes})


def program(*line: str, **changes: Any) -> ServerConfig:
    return ServerConfig("s", "stdio", command=line[0], args=line[1:], **changes)


def told(config: ServerConfig) -> tuple[str, str]:
    """The reason and the advice that a person reads."""
    failure = look(config).failure
    assert failure is not None
    known = Known(config.transport, config.command, has_headers=bool(config.headers))
    return failure.reason, advice(failure, known)


@pytest.mark.parametrize(
    ("reply", "transport", "reason", "what_to_do"),
    [
        (http("401 Unauthorized"), "http", "answered HTTP 401", "Add a header with a key"),
        (http("403 Forbidden"), "sse", "answered HTTP 403", "Check the key and what it may do"),
        (http("404 Not Found"), "http", "answered HTTP 404", "needs the connection SSE"),
        (http("404 Not Found"), "sse", "answered HTTP 404", "need the connection Streamable HTTP"),
        (http("429 x"), "http", "answered HTTP 429", "Wait a minute"),
        (http("502 x"), "sse", "answered HTTP 502", "See its own log"),
        (MOVED, "http", "302 Found and points to https://e.org/x", "set this as its URL"),
        (MOVED, "sse", "302 Found and points to https://e.org/x", "set this as its URL"),
        (PAGE, "http", "answered with text/html, which is not MCP", "This is a web page"),
        (PAGE, "sse", "text/html, which is not an event stream", "This is a web page"),
        (http("200 OK", b"{}", "application/json"), "http", "not a JSON-RPC", "Check the path"),
        (http("202 Accepted"), "http", "took the request and gave no answer", "Check the path"),
        (b"", "http", "closed the connection without an answer", "https://"),
        (CUT, "http", "closed the connection in the middle of its answer", ""),
    ],
)
def test_an_answer_that_is_no_mcp_says_what_to_do(
    caller: Caller, reply: bytes, transport: str, reason: str, what_to_do: str
) -> None:
    with answering(reply) as port:
        sentence, advised = told(at(port, transport))
    assert reason in sentence
    assert what_to_do in advised
    assert "s3cret" not in sentence


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_broken_connection_is_a_sentence_and_no_class_name(
    caller: Caller, transport: str
) -> None:
    with answering(b"", resets=True) as port:
        sentence, advised = told(at(port, transport))
    assert sentence == "broke off the connection"
    assert "https://" in advised


def test_nobody_listens(caller: Caller) -> None:
    with answering(b"") as port:
        pass
    sentence, advised = told(at(port))
    assert sentence == "refused the connection: nothing listens at that port"
    assert "Start the server" in advised


def test_a_host_that_is_not_there(caller: Caller) -> None:
    sentence, advised = told(at(1, url="http://nowhere.invalid/mcp"))
    assert sentence == "cannot be reached: the host nowhere.invalid was not found"
    assert "spelling" in advised


def test_tls_where_there_is_none(caller: Caller) -> None:
    with answering(PAGE) as port:
        sentence, advised = told(at(port, url=f"https://127.0.0.1:{port}/mcp"))
    assert sentence == "does not speak TLS at that port"
    assert "http://" in advised


def test_a_certificate_of_its_own_making(caller: Caller, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=e.org"],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with answering(PAGE, tls=tls) as port:
        sentence, advised = told(at(port, url=f"https://127.0.0.1:{port}/mcp"))
    assert sentence == "has a certificate that is not trusted: self-signed certificate"
    assert "SSL_CERT_FILE" in advised


def test_a_header_that_cannot_be_sent_is_not_repeated(caller: Caller) -> None:
    with answering(PAGE) as port:
        sentence, advised = told(at(port, headers=(("X", "s3cret-ü"),)))
    assert "a header has a character" in sentence
    assert "s3cret" not in sentence
    assert "ASCII" in advised


def test_headers_that_are_not_taken_are_to_be_checked() -> None:
    failure = Failure("answered HTTP 401 Unauthorized", FailureKind.HTTP_STATUS, 401)
    assert "does not accept the headers" in advice(failure, Known("http", has_headers=True))
    assert "Connect the account" in advice(failure, Known("http", uses_oauth=True))


@pytest.mark.parametrize("command", ["npx", "uvx", "docker"])
def test_a_known_program_that_is_missing_says_how_to_get_it(command: str) -> None:
    failure = Failure("the command was not found", FailureKind.COMMAND_NOT_FOUND)
    assert advice(failure, Known("stdio", command)).startswith("Install ")


def test_words_of_a_server_decide_nothing() -> None:
    exited = Failure("exited with code 1: HTTP 429, text/html", FailureKind.EXITED, 1)
    assert advice(exited, Known("stdio")).startswith("Check command, arguments")


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - WITHOUT_ADVICE))
def test_each_kind_has_an_advice(kind: FailureKind) -> None:
    failure = Failure("any words", kind, 404 if kind is FailureKind.HTTP_STATUS else None)
    assert any(advice(failure, Known(transport)) for transport in ("stdio", "http", "sse"))


@pytest.mark.parametrize(
    ("line", "reason", "what_to_do"),
    [
        (["npx-that-is-not-there"], "was not found", "write its whole path"),
        ([__file__], "is not executable", "chmod +x"),
        (["/etc"], "is a folder", "Name the program in it"),
        (["true"], "exited with code 0", "ended before it spoke MCP"),
        (["sh", "-c", "echo a >&2; echo 'no --foo' >&2; exit 2"], "code 2: no --foo", "arguments"),
        ([sys.executable, "-c", "import nothere"], "No module named 'nothere'", "Check command"),
        (["sh", "-c", "kill -9 $$"], "was killed by SIGKILL", "Check command"),
    ],
)
def test_a_program_that_is_no_server_says_what_to_do(
    caller: Caller, line: list[str], reason: str, what_to_do: str
) -> None:
    sentence, advised = told(program(*line))
    assert reason in sentence
    assert what_to_do in advised


def test_a_folder_that_is_not_there(caller: Caller) -> None:
    sentence, advised = told(program("cat", cwd="/no/such"))
    assert sentence == "the working directory '/no/such' does not exist"
    assert "Create the folder" in advised


NODE = (
    "  throw err;\n\nError: Cannot find module 'x'\n    at y\n  code: 'Z'\n}\n\nNode.js v20.1.0\n"
)
NPM = "npm error code E404\nnpm error 404 Not Found - GET x\nnpm error A complete log of this: y\n"


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        ("", ""),
        ("one\n\x1b[31mtwo\x1b[0m\n  \n}\n", "two"),
        (NODE, "Error: Cannot find module 'x'"),
        (NPM, "npm error 404 Not Found - GET x"),
        ("x" * 1000, "x" * 300 + "…"),
    ],
)
def test_the_line_that_says_why_a_program_ended(stderr: str, line: str) -> None:
    assert last_words(stderr) == line
