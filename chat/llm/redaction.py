"""Redacts known secrets in responses: a provider has the key, and may repeat it anywhere.

A mask is as long as its secret, so that offsets of chunks and of origins stay valid. Text that
arrives in pieces is held back while its end may be the beginning of a secret.

Only the literal secret is redacted, not encodings of it such as Base64.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from chat.llm.dialects.contract import Answer, ShownPart, TextDelta
from chat.llm.dialects.problems import ParseProblem

# A shorter key protects nothing, and its redaction would damage ordinary text.
MIN_SECRET_LENGTH = 8
# Characters of a secret at the end of a truncated text that are redacted too.
MIN_PREFIX_LENGTH = 4

Say = Callable[[Sequence[TextDelta]], None]


def mask_of(secret: str) -> str:
    """`[redacted…]` with dots to the length of the secret."""
    return f"[{'redacted'.ljust(len(secret) - 2, '.')[: len(secret) - 2]}]"


def redactable_secrets(secrets: Sequence[str]) -> tuple[str, ...]:
    """The secrets that are redacted, longer ones first: they may contain a shorter one."""
    redactable = (secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH)
    return tuple(sorted(redactable, key=len, reverse=True))


def redact(body: bytes, secrets: Sequence[str]) -> bytes:
    """The body with secrets masked; the same object if it has none."""
    for secret in redactable_secrets(secrets):
        if secret.encode() in body:
            body = body.replace(secret.encode(), mask_of(secret).encode())
    return body


def redact_text(text: str, secrets: Sequence[str]) -> str:
    """The text with secrets masked."""
    for secret in redactable_secrets(secrets):
        if secret in text:
            text = text.replace(secret, mask_of(secret))
    return text


def redact_quote(text: str, secrets: Sequence[str]) -> str:
    """As `redact_text`, for a text that ends with a quote in brackets: a secret that is truncated
    at the end of the quote is masked too."""
    text = redact_text(text, secrets)
    quote = text.rstrip(").")
    for secret in redactable_secrets(secrets):
        length = prefix_length(quote, secret)
        if length >= MIN_PREFIX_LENGTH:
            quote = quote[:-length] + mask_of(secret)[:length]
    return quote + text[len(quote) :]


def prefix_length(text: str, secret: str) -> int:
    """The length of the longest end of the text that is a proper prefix of the secret."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return len(text) - at
        at = text.find(secret[0], at + 1)
    return 0


class Redaction:
    """Redacts one answer. `is_needed`: the provider repeated a secret."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self.secrets = redactable_secrets(secrets)
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
        """The answer without secrets. `kept` is dropped if it has one: it is signed, and the
        provider would refuse it if changed."""
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
    """Passes deltas on to `say` without secrets; `finish` passes on what is held back."""

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
        """Whether a secret may begin in these deltas."""
        for first in self._first:
            for delta in deltas:
                if first in delta.text:
                    return True
        return False

    def _redacted(self, delta: TextDelta) -> TextDelta:
        held = self._held.pop(delta.part, "")
        text = delta.text if delta.restart else held + delta.text
        text = self._redaction.text(text)
        length = max([prefix_length(text, secret) for secret in self._secrets])
        if length:
            self._held[delta.part] = text[-length:]
            text = text[:-length]
        return TextDelta(delta.part, text, delta.restart)
