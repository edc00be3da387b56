"""All frames of one tab against docs/protocol.md: turns, and the turns inside of them.

The frames of a subagent that is watched come nested, with the numbers of its own conversation, and
are held against a state machine of their own. The `subagent` events of the parent's turn are a
second view of the same turns, which may be late but not contrary.
"""

from tests.chaos.state_machine import FINAL_TURN, Frame, Report, StateMachine


class TabMachine:
    """`take` gets every frame of the tab and calls `report(rule, frame)`."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._shown = StateMachine(report)
        self._nested: dict[str, StateMachine] = {}
        # States of nested turns as their own events have them, and as those of their parents have
        # them: the first final one stays.
        self._own: dict[str, str] = {}
        self._told: dict[str, str] = {}

    def take(self, frame: Frame) -> None:
        if frame["type"] == "nested":
            self._take_nested(frame)
            return
        self._shown.take(frame)
        self._compare(frame)

    def _take_nested(self, frame: Frame) -> None:
        conversation = frame["conversation"]
        machine = self._nested.setdefault(conversation, StateMachine(self._report))
        for inner in frame["frames"]:
            machine.take(inner)
            self._compare(inner)

    def _compare(self, frame: Frame) -> None:
        match frame["type"]:
            case "turn":
                self._note(self._own, self._told, frame["turn"], frame)
            case "subagent":
                self._note(self._told, self._own, frame["subagent"], frame)
            case "snapshot":
                for turn in frame["turns"]:
                    self._note(self._own, self._told, turn["turn"], turn)
                    for subagent in turn.get("subagents", ()):
                        self._note(self._told, self._own, subagent["subagent"], subagent)

    def _note(self, here: dict[str, str], there: dict[str, str], turn: str, frame: Frame) -> None:
        """A state of one view: it goes on from that view's last one, and ends as the other does."""
        state, before, other = frame["state"], here.get(turn, ""), there.get(turn, "")
        if frame.get("type") == "subagent" and before in FINAL_TURN and state != before:
            self._report(f"a subagent that was {before} is {state}", frame)
        if state in FINAL_TURN and other in FINAL_TURN and state != other:
            self._report(f"a subagent ends as {state} here and as {other} there", frame)
        if before not in FINAL_TURN:
            here[turn] = state


def violations(frames: list[Frame]) -> list[str]:
    """The rules that these frames of a tab break, in their order."""
    rules: list[str] = []
    machine = TabMachine(lambda rule, frame: rules.append(f"{rule}: {frame}"))
    for frame in frames:
        machine.take(frame)
    return rules
