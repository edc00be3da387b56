"""Answers that stand side by side until a person has chosen one."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from chat.models import Turn
from languages.shipped import in_language
from tracing.formatting.text import visible


@dataclass(frozen=True)
class LaneView:
    """One of them. `number` counts from 1; `model` is the id of the model, `""` if it was deleted;
    `assistant` is the name of the assistant that answers, "" for none."""

    turn: UUID
    number: int
    name: str
    assistant: str
    model: str
    is_shown: bool

    @property
    def label(self) -> str:
        """The assistant, else the model."""
        return self.assistant or self.name


def lanes(turns: Sequence[Turn]) -> dict[int, list[LaneView]]:
    """By the primary keys of turns; without a query where none is compared. Only the turns of one
    comparison are: the last ones of a branch."""
    compared = [turn for turn in turns if turn.is_compared]
    if not compared:
        return {}
    rows = Turn.objects.compared_with(compared[0]).select_related("model", "preset")
    views = [_lane(turn) for turn in rows]
    return {turn.pk: views for turn in compared}


def _lane(turn: Turn) -> LaneView:
    return LaneView(
        turn.public_id,
        turn.lane + 1,
        visible(str(turn.model)) if turn.model else "",
        visible(in_language(turn.preset.name)) if turn.preset else "",
        str(turn.model.public_id) if turn.model else "",
        turn.is_shown,
    )
