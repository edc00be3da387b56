"""The turns of an imported tree of messages.

    user ─┬─ assistant ─ tool ─ assistant ── user …      a turn for each path of answers: answers
          └─ assistant                                   to a question are turns beside each other

A turn has the messages of its own path, so where paths part after the first answer the messages
before are repeated. Hidden entries count as if their children were in their place. System messages
belong to the question that follows them.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from chat.transfer.draft import Draft, Entry, check_tree, too_long
from limits.transfer import MAX_IMPORTED_MESSAGES

# System messages before a question that are kept besides the last one.
_PROMPTS = 3


@dataclass
class TurnDraft:
    """A question with one path of answers. `parent` is the place of a turn in the list, `original`
    that of the first turn with the same question."""

    question: Entry | None
    answers: list[Entry]
    prompts: list[Entry] = field(default_factory=list)
    parent: int | None = None
    original: int | None = None
    is_shown: bool = False


def arrange(draft: Draft) -> list[TurnDraft]:
    """The turns, a parent before its children. Raises BrokenConversation."""
    check_tree(draft.entries)
    turns = _Arranging(draft).turns()
    _show(turns, _visible_end(draft))
    return turns


def _visible_end(draft: Draft) -> str | None:
    """The end of the shown branch, without hidden entries after it."""
    entries = {one.id: one for one in draft.entries}
    at = draft.shown
    while at is not None and at in entries and entries[at].hidden:
        at = entries[at].parent
    return at


@dataclass(frozen=True)
class _Asked:
    """A question, or answers without one, to be made into turns."""

    first: Entry
    prompts: list[Entry]
    parent: int | None


class _Arranging:
    def __init__(self, draft: Draft) -> None:
        self._turns: list[TurnDraft] = []
        self._messages = 0
        self._children: dict[str | None, list[Entry]] = defaultdict(list)
        for entry in draft.entries:
            self._children[entry.parent].append(entry)

    def turns(self) -> list[TurnDraft]:
        waiting = list(self._asked_below(None, None))
        while waiting:
            following: list[_Asked] = []
            for asked in waiting:
                following += self._answered(asked)
            waiting = following
        return self._turns

    def _answered(self, asked: _Asked) -> Iterator[_Asked]:
        """Makes the turns of a question; what was asked after each."""
        has_question = asked.first.body["role"] == "user"
        question = asked.first if has_question else None
        original: int | None = None
        for path in self._paths(asked.first, has_question=has_question):
            place = len(self._turns)
            self._count(len(path) + 1)
            turn = TurnDraft(question, path, asked.prompts, asked.parent, original)
            self._turns.append(turn)
            original = place if original is None and question is not None else original
            end = path[-1] if path else asked.first
            yield from self._asked_below(end.id, place)

    def _paths(self, first: Entry, *, has_question: bool) -> Iterator[list[Entry]]:
        """The paths of answers: each ends where nothing follows, or a question."""
        ends = []
        above: dict[str, Entry] = {}
        stack = [first]
        while stack:
            entry = stack.pop()
            below = list(self._visible(entry.id))
            answers = [one for one in below if one.body["role"] in ("assistant", "tool")]
            above |= {one.id: entry for one in answers}
            stack += answers[::-1]
            if len(answers) < len(below) or not below:
                ends.append(entry)
        for end in ends:
            path = [end]
            while path[-1] is not first:
                path.append(above[path[-1].id])
            yield path[::-1][1 if has_question else 0 :]

    def _asked_below(self, entry: str | None, turn: int | None) -> Iterator[_Asked]:
        """What begins a turn after this entry: questions, and at the root answers without one."""
        for prompts, one in self._without_prompts(entry):
            is_question = one.body["role"] == "user"
            if is_question or entry is None or prompts:
                yield _Asked(one, prompts, turn)

    def _without_prompts(self, entry: str | None) -> Iterator[tuple[list[Entry], Entry]]:
        stack: list[tuple[list[Entry], Entry]] = []
        stack += [([], one) for one in self._visible(entry)][::-1]
        while stack:
            prompts, one = stack.pop()
            if one.body["role"] != "system":
                yield prompts, one
                continue
            below = list(self._visible(one.id))
            stack += [([*prompts[-_PROMPTS:], one], child) for child in below][::-1]

    def _visible(self, entry: str | None) -> Iterator[Entry]:
        """The children; those of hidden ones in their place."""
        stack = self._children[entry][::-1]
        while stack:
            one = stack.pop()
            if one.hidden:
                stack += self._children[one.id][::-1]
            else:
                yield one

    def _count(self, messages: int) -> None:
        self._messages += messages
        if self._messages > MAX_IMPORTED_MESSAGES:
            raise too_long()


def _show(turns: list[TurnDraft], shown: str | None) -> None:
    """Marks the branch of this entry, else the latest: a path from a root to a leaf."""
    if not turns:
        return
    children: dict[int | None, list[int]] = defaultdict(list)
    for place, turn in enumerate(turns):
        children[turn.parent].append(place)
    at: int | None = next((place for place in _with(turns, shown)), None)
    if at is None:
        at = children[None][-1]
    while below := children[at]:
        at = below[-1]
    while at is not None:
        turns[at].is_shown = True
        at = turns[at].parent


def _with(turns: list[TurnDraft], entry: str | None) -> Iterator[int]:
    """The places of the turns that end with this entry, then of those that have it."""
    ends, others = [], []
    for place, turn in enumerate(turns):
        ids = [one.id for one in turn.answers]
        if entry is not None and ids and ids[-1] == entry:
            ends.append(place)
        elif entry is not None and (entry in ids or (turn.question and turn.question.id == entry)):
            others.append(place)
    yield from ends
    yield from others
