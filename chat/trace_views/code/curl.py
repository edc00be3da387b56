"""A request as a command for a POSIX shell.

curl sends the exact body: as an argument in single quotes; through a pipe from `printf`, a shell
built-in, where it is too long for an argument; as base64 where a terminal would alter the bytes.
"""

import base64
import re

from chat.trace_views.code.recorded_request import RecordedRequest, is_masked
from limits.replay import MAX_CURL_ARGUMENT_BYTES

# Characters that a terminal interprets.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]")
_REST_OF_LINE = " \\\n  "


def curl(sent: RecordedRequest) -> str:
    """The command, without a line break at its end."""
    parts = [f"curl --no-buffer {quoted(sent.url)}"]
    if sent.method != "POST":
        parts.append(f"--request {quoted(sent.method)}")
    parts += [f"--header {_header(sent, name, value)}" for name, value in sent.headers]
    text = _plain_text(sent.body)
    if text is not None and _fits(text):
        return _REST_OF_LINE.join([*parts, f"--data-binary {quoted(text)}"])
    whole = _REST_OF_LINE.join([*parts, "--data-binary @-"])
    if text is not None:
        return f"printf %s {quoted(text)} | {whole}"
    coded = base64.b64encode(sent.body).decode()
    return f"printf %s {quoted(coded)} | base64 -d | {whole}"


def quoted(text: str) -> str:
    """The text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _header(sent: RecordedRequest, name: str, value: str) -> str:
    if not is_masked(value):
        # To curl a header that ends in a colon means none.
        return quoted(f"{name}: {value}" if value else f"{name};")
    scheme = "Bearer " if name.lower() == "authorization" else ""
    return f'"{name}: {scheme}${sent.key_variable}"'


def _plain_text(body: bytes) -> str | None:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _fits(text: str) -> bool:
    """Whether it can be an argument. One that begins with `@` names a file."""
    return len(text.encode()) <= MAX_CURL_ARGUMENT_BYTES and not text.startswith("@")
