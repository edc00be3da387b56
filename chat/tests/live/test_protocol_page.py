"""`docs/protocol.md` describes the frames that there are, each with an example."""

import json
import re
from pathlib import Path

from chat.live.consumer import ChatConsumer

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
REDUCER = Path(__file__).parents[3] / "static/js/chat/connection/state.js"


def section(title: str) -> str:
    """What stands below a heading of the second level."""
    return re.split(r"^## ", PAGE.partition(f"\n## {title}\n")[2], maxsplit=1, flags=re.M)[0]


def headings(title: str) -> set[str]:
    """The frames that a section describes."""
    lines = re.findall(r"^### (.+)$", section(title), re.M)
    return {name for line in lines for name in re.findall(r"`(\w+)`", line)}


def examples(text: str) -> list[dict[str, object]]:
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]


def test_every_frame_of_a_client_is_described() -> None:
    assert headings("What a client sends") == set(ChatConsumer.handlers)


def test_every_frame_that_is_described_has_an_example() -> None:
    for title in ("What a client sends", "What the server answers", "Events"):
        types = {example["type"] for example in examples(section(title))}
        assert types == headings(title)


def test_every_event_that_the_page_applies_is_described() -> None:
    events = REDUCER.read_text(encoding="utf-8").partition("\nconst EVENTS = {\n")[2]
    applied = re.findall(r"^  (\w+)\(", events.partition("\n};")[0], re.M)
    assert set(applied) == headings("Events")
