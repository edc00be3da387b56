"""Reading the text of one file in a process of its own, whose time and memory the operating system
bounds: the parsers are native code, or slow on what was written to be slow.
"""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from limits.files import (
    MAX_DOCUMENT_CPU_S,
    MAX_DOCUMENT_MEMORY_BYTES,
    MAX_DOCUMENT_PAGES,
    MAX_DOCUMENT_PROCESSES,
    MAX_DOCUMENT_S,
    MAX_DOCUMENT_WAIT_S,
    MAX_UNPACKED_DOCUMENT_BYTES,
)

logger = logging.getLogger(__name__)

Kind = Literal["pdf", "docx", "html"]
_FOLDER = Path(__file__).parent
_free = threading.BoundedSemaphore(MAX_DOCUMENT_PROCESSES)


class Unreadable(Exception):
    """`word` says why: `busy` (other files are being read), `too_long` (beyond the limits of time
    and memory), or the problem that the program found."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def read(kind: Kind, content: bytes, most_text: int, **more: Any) -> dict[str, Any]:
    """The program's answer, with at most `most_text` bytes of text; `more` are further arguments of
    it. Raises `Unreadable`. Blocks, at most `MAX_DOCUMENT_WAIT_S` and `MAX_DOCUMENT_S`."""
    if not _free.acquire(timeout=MAX_DOCUMENT_WAIT_S):
        raise Unreadable("busy")
    try:
        done = _run(kind, content, {**_limits(), "text": most_text, **more})
    except subprocess.TimeoutExpired:
        raise Unreadable("too_long") from None
    finally:
        _free.release()
    if done.returncode:
        logger.warning(
            "A %s of %d bytes could not be read: %s", kind, len(content), _last_line(done.stderr)
        )
        raise Unreadable("too_long")
    answer: dict[str, Any] = json.loads(done.stdout)
    if "problem" in answer:
        raise Unreadable(answer["problem"])
    return answer


def _run(
    kind: Kind, content: bytes, arguments: Mapping[str, Any]
) -> "subprocess.CompletedProcess[bytes]":
    program = "html_process.py" if kind == "html" else "document_process.py"
    return subprocess.run(
        [sys.executable, "-I", str(_FOLDER / program), kind, json.dumps(arguments)],
        input=content,
        capture_output=True,
        env={"LC_ALL": "C.UTF-8"},
        timeout=MAX_DOCUMENT_S,
        check=False,
    )


def _limits() -> dict[str, Any]:
    return {
        "pages": MAX_DOCUMENT_PAGES,
        "unpacked": MAX_UNPACKED_DOCUMENT_BYTES,
        "cpu_s": MAX_DOCUMENT_CPU_S,
        "memory": MAX_DOCUMENT_MEMORY_BYTES,
    }


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"
