"""What is shown of tool calls while a model writes them: the part `calls` of the running text.

One text for all calls of an answer, since it is streamed, kept and sent again like the others. It
is a run of segments, each `RS number US name US arguments…` (ASCII's separators): the arguments
follow those of the same number, and the name is the latest. The name `CAN` says that the call was
none after all. Only for the eye; what a call is says the answer.
"""

from chat.llm.dialects.contract import TextDelta

RS, US, CAN = "\x1e", "\x1f", "\x18"
_NOT_TEXT = str.maketrans(dict.fromkeys((RS, US, CAN), "\ufffd"))


class CallsText:
    """Gathers what is written of calls, by their numbers."""

    def __init__(self) -> None:
        self._fresh: list[str] = []
        self._latest: tuple[int, str] | None = None

    def write(self, number: int, name: str, text: str) -> None:
        """More of a call's arguments; the first time it may be nothing yet."""
        if self._latest != (number, name):
            self._latest = number, name
            self._fresh.append(f"{RS}{number}{US}{name.translate(_NOT_TEXT)}{US}")
        if text:
            is_plain = RS not in text and US not in text and CAN not in text
            self._fresh.append(text if is_plain else text.translate(_NOT_TEXT))

    def drop(self, number: int) -> None:
        """It was no call."""
        self._latest = None
        self._fresh.append(f"{RS}{number}{US}{CAN}{US}")

    def take(self) -> list[TextDelta]:
        """What is new since this was asked for the last time."""
        if not self._fresh:
            return []
        text = "".join(self._fresh)
        self._fresh.clear()
        return [TextDelta("calls", text)]
