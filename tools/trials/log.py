"""What happens while something is tried from a page, as it happens.

An entry is `{"at": milliseconds since the trial began, "kind": …, "text": a line, "detail": more}`;
the kinds are `step`, `sent`, `received`, `stderr`, `done` and `failed`. The page polls it, so that
it is written at most a few times a second, and is bounded.
"""

import time
from typing import Protocol, TypedDict

from db.fields import storable
from languages.stored import stored
from limits.tools import MAX_TRIAL_DETAIL, MAX_TRIAL_ENTRIES, MAX_TRIAL_STDERR
from tools.models import Trial
from tools.values.call import Frame
from tracing.formatting.json_text import indented


class Entry(TypedDict):
    at: int
    kind: str
    text: str
    detail: str


class _Stderr(Protocol):
    written: int

    def since(self, mark: int = 0) -> str: ...


class TrialLog:
    """The log of one trial; `write` stores it if it has grown."""

    def __init__(self, trial_pk: int) -> None:
        self.entries: list[Entry] = []
        self._trial_pk = trial_pk
        self._began = time.time()
        self._frames = 0
        self._stderr_mark = 0
        self._stored = 0

    def say(self, kind: str, text: str, detail: str = "", at: float | None = None) -> None:
        """Adds an entry; `at` is in seconds since the epoch."""
        if len(self.entries) >= MAX_TRIAL_ENTRIES and kind not in ("done", "failed"):
            return
        since = max((at or time.time()) - self._began, 0)
        self.entries.append(
            {
                "at": round(since * 1000),
                "kind": kind,
                "text": storable(text),
                "detail": storable(detail[:MAX_TRIAL_DETAIL]),
            }
        )

    def frames(self, frames: list[Frame]) -> None:
        """Adds the frames that have come since the last time."""
        fresh, self._frames = frames[self._frames :], max(self._frames, len(frames))
        for frame in fresh:
            detail = indented(frame["message"])
            self.say(frame["direction"], _headline(frame), detail, frame["at"])

    def stderr(self, stderr: _Stderr) -> None:
        """Adds what was written to stderr since the last time."""
        length = stderr.written
        if length > self._stderr_mark:
            text = stderr.since(self._stderr_mark)[-MAX_TRIAL_STDERR:].strip("\n")
            self._stderr_mark = length
            if text:
                first, _, more = text.partition("\n")
                self.say("stderr", first, text if more else "")

    def write(self) -> None:
        if len(self.entries) > self._stored:
            self._stored = len(self.entries)
            Trial.objects.filter(pk=self._trial_pk).update(log=self.entries)


def _headline(frame: Frame) -> str:
    """One line about a frame: the request, or the answer."""
    message = frame["message"]
    match message:
        case {"method": str(method), "params": {"name": str(name)}}:
            return f"{method} {name}"
        case {"method": str(method)}:
            return method
        case {"error": {"code": code, "message": str(text)}}:
            return f"error {code}: {text}"
        case {"result": {"protocolVersion": str(revision), "serverInfo": dict(about)}}:
            version = f"{about.get('name', '')} {about.get('version', '')}".strip()
            return (
                stored("speaks %(revision)s, is %(version)s", revision=revision, version=version)
                if version
                else stored("speaks %(revision)s", revision=revision)
            )
        case {"result": {"tools": list(tools)}}:
            return f"{len(tools)} tool{'' if len(tools) == 1 else 's'}"
        case {"result": dict(found)}:
            # Many servers write isError into every result: false is not shown.
            members = sorted(name for name, value in found.items() if value is not False)
            return (
                stored("result with %(members)s", members=", ".join(members[:6]))
                if members
                else "result"
            )
    return str(frame["direction"])
