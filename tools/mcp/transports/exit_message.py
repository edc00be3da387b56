"""The line of a program's stderr that says why it ended."""

import re

from limits.mcp import MAX_STDERR_LINE

NODE_VERSION = re.compile(r"Node\.js v\d")
ERROR_LINE = re.compile(r"(?:Uncaught )?\w*(?:Error|Exception)\b")
NPM_ERROR = re.compile(r"npm (?:error|ERR!) (?!code |errno |syscall |path |A complete log)")
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours
SETPRIV = "setpriv: failed to execute "


def last_words(text: str) -> str:
    """The last line with a letter in it; of Node and npm, which write on, the line of the error."""
    lines = [line.strip() for line in ESCAPES.sub("", text).splitlines()]
    lines = [line for line in lines if re.search(r"\w", line)]
    if not lines:
        return ""
    chosen = lines[-1]
    if NODE_VERSION.match(chosen):
        chosen = next((line for line in reversed(lines) if ERROR_LINE.match(line)), chosen)
    elif npm := [line for line in lines if NPM_ERROR.match(line)]:
        chosen = npm[0]
    chosen = chosen.removeprefix(SETPRIV)
    return chosen if len(chosen) <= MAX_STDERR_LINE else chosen[:MAX_STDERR_LINE] + "…"
