"""Tool calls while a model writes them: the part `calls` of the running text.

One text for all calls of an answer, streamed, stored and sent again like content and reasoning. It
is a sequence of segments `RS number US name US arguments…` (ASCII's separators): arguments are
appended to those of the same number, the latest name counts, and the name `CAN` withdraws a call.
For display only; the calls themselves are in the answer.
"""

from chat.llm.dialects.contract import TextDelta

RS, US, CAN = "\x1e", "\x1f", "\x18"
_NOT_TEXT = str.maketrans(dict.fromkeys((RS, US, CAN), "\ufffd"))


class CallsText:
    """Collects the texts of calls, by their numbers."""

    def __init__(self) -> None:
        self._segments: list[str] = []
        self._latest: tuple[int, str] | None = None

    def write(self, number: int, name: str, text: str) -> None:
        """Appends to a call's arguments; the first text may be empty."""
        if self._latest != (number, name):
            self._latest = number, name
            self._segments.append(f"{RS}{number}{US}{name.translate(_NOT_TEXT)}{US}")
        if text:
            is_plain = RS not in text and US not in text and CAN not in text
            self._segments.append(text if is_plain else text.translate(_NOT_TEXT))

    def drop(self, number: int) -> None:
        """Withdraws a call."""
        self._latest = None
        self._segments.append(f"{RS}{number}{US}{CAN}{US}")

    def take(self) -> list[TextDelta]:
        """The deltas since the last call."""
        if not self._segments:
            return []
        text = "".join(self._segments)
        self._segments.clear()
        return [TextDelta("calls", text)]
