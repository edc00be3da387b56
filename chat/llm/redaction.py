"""Replacing known secrets in what a provider answers: it has the key, and may repeat it anywhere.

A mask is as long as its secret, so that no offset moves: neither those of the chunks that arrived
nor those of the texts that a dialect found in them. A text that arrives in pieces is held back as
long as its end may be the beginning of a secret, which is less than the secret's length.

What is replaced is the secret as it is written. A provider that spells it otherwise, such as
backwards or in Base64, tells it all the same; it knew the secret before.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from chat.llm.dialects.contract import Answer, ShownPart, TextDelta
from chat.llm.dialects.problems import ParseProblem

# A shorter key guards nothing, and replacing it would tear ordinary text apart.
SHORTEST_SECRET = 8
# So many first characters of a secret at the end of a text that was cut are part of it.
SHORTEST_BEGINNING = 4

Say = Callable[[Sequence[TextDelta]], None]


def mask_of(secret: str) -> str:
    """`[redacted…]` with dots to the length of the secret."""
    return f"[{'redacted'.ljust(len(secret) - 2, '.')[: len(secret) - 2]}]"


def known(secrets: Sequence[str]) -> tuple[str, ...]:
    """The secrets that are replaced; longer ones first, as they may contain a shorter one."""
    found = (secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
    return tuple(sorted(found, key=len, reverse=True))


def redact(body: bytes, secrets: Sequence[str]) -> bytes:
    """The body with every known secret replaced; the same object if there was none."""
    for secret in known(secrets):
        if secret.encode() in body:
            body = body.replace(secret.encode(), mask_of(secret).encode())
    return body


def redact_text(text: str, secrets: Sequence[str]) -> str:
    """The same of a text."""
    for secret in known(secrets):
        if secret in text:
            text = text.replace(secret, mask_of(secret))
    return text


def redact_quote(text: str, secrets: Sequence[str]) -> str:
    """A text that quotes the provider in brackets at its end, and may have cut the quote within a
    secret: the beginning of one is replaced too."""
    text = redact_text(text, secrets)
    quote = text.rstrip(").")
    for secret in known(secrets):
        length = beginning(quote, secret)
        if length >= SHORTEST_BEGINNING:
            quote = quote[:-length] + mask_of(secret)[:length]
    return quote + text[len(quote) :]


def beginning(text: str, secret: str) -> int:
    """How many characters at the end of the text are the beginning of the secret, all but whole."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return len(text) - at
        at = text.find(secret[0], at + 1)
    return 0


class Redaction:
    """The secrets of one answer, and whether the provider repeated one of them."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self.secrets = known(secrets)
        self.is_needed = False

    def text(self, text: str) -> str:
        """The text without secrets."""
        for secret in self.secrets:
            if secret in text:
                self.is_needed = True
                text = text.replace(secret, mask_of(secret))
        return text

    def value(self, value: Any) -> Any:
        """A JSON value without secrets."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.value(key): self.value(item) for key, item in value.items()}
        return value

    def answer(self, answer: Answer) -> Answer:
        """What was said, without secrets. What a dialect kept is signed: it goes if it had one, as
        nobody would take it back any more."""
        kept = self.value(answer.kept)
        return replace(
            answer,
            message=self.value(answer.message),
            problems=[self._problem(one) for one in answer.problems],
            notes=self.value(answer.notes),
            kept=kept if kept == answer.kept else {},
            reissued=self.value(answer.reissued),
            origins=[
                replace(one, path=self.text(one.path), call_id=self.value(one.call_id))
                for one in answer.origins
            ],
        )

    def _problem(self, problem: ParseProblem) -> ParseProblem:
        return replace(problem, text=self.text(problem.text), path=self.text(problem.path))


class RedactedStream:
    """Passes deltas on to `say`, without secrets. `finish` says what was held back."""

    def __init__(self, redaction: Redaction, say: Say) -> None:
        self._redaction = redaction
        self._secrets = redaction.secrets
        self._first = {secret[0] for secret in redaction.secrets}
        self._say = say
        self._held: dict[ShownPart, str] = {}

    def say(self, deltas: Sequence[TextDelta]) -> None:
        if self._secrets and (self._held or self._may_begin(deltas)):
            deltas = [self._redacted(delta) for delta in deltas]
        self._say(deltas)

    def finish(self) -> None:
        """After the last delta."""
        held, self._held = self._held, {}
        deltas = [TextDelta(part, text) for part, text in held.items() if text]
        if deltas:
            self._say(deltas)

    def _may_begin(self, deltas: Sequence[TextDelta]) -> bool:
        """Whether a secret can begin in them; for most tokens that is all there is to do."""
        for first in self._first:
            for delta in deltas:
                if first in delta.text:
                    return True
        return False

    def _redacted(self, delta: TextDelta) -> TextDelta:
        held = self._held.pop(delta.part, "")
        text = delta.text if delta.restart else held + delta.text
        text = self._redaction.text(text)
        length = max([beginning(text, secret) for secret in self._secrets])
        if length:
            self._held[delta.part] = text[-length:]
            text = text[:-length]
        return TextDelta(delta.part, text, delta.restart)
