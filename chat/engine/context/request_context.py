"""What of a conversation the next request holds: all of it, as long as it has room.

    stored messages ─ summary ─► kept ─ placeholders, caps ─► sent ─ alternating ─► messages

What was left out once stays out, on the branch where it was: a row counts if the message that it
goes up to is on this path. Whether there is room is estimated, and only where it may matter: a
short conversation costs no query. Where neither placeholders nor a summary make enough room,
messages are cut until the request fits (`fit`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from chat.agent import fitting
from chat.agent.alternation import alternating
from chat.agent.compaction import (
    Kept,
    fair_share,
    micro_boundary,
    older,
    place,
    shortened,
    summarised,
    summary_boundary,
)
from chat.agent.estimating import corrected, guess
from chat.agent.fitting import Cut
from chat.agent.limits import Limits, limits
from chat.agent.skills import with_skills
from chat.agent.windows import NOT_KNOWN, ContextWindow, context_window
from chat.attachments.references import references
from chat.engine.context.history import History
from chat.llm.messages import Message, ToolDefinition, text_of
from chat.models import Compaction, LanguageModel, Turn
from db.fields import dump_json
from tracing.journal.cost import counted
from tracing.models.attributes import CompactionAttributes

# Tokens that a character may be at most, and characters of a token that a cut reckons with.
_DENSEST = 1.5
_SPARSEST = 2
# What all results of a round may have together, in what a single one may have.
_ROUND_SHARES = 2
# What a step of shortening has to free, and a summary to stand for, as a share of the window: each
# breaks the provider's cache, and a summary costs a model call.
_WORTH = 0.05
# What an image counts for; a provider's own figure corrects it.
_IMAGE_TOKENS = 1_000
_BYTES_A_TOKEN = 3
# The share of the room that is used after a refusal, since an estimate may be off; each further
# refusal makes it smaller.
_USED = 0.95
_USED_AFTER_ANOTHER = 0.8


@dataclass(frozen=True)
class Context:
    """`kept` is what stays beside the summary, `sent` that with placeholders and caps, `messages`
    the same as it is sent; `tokens` is an estimate, 0 where the conversation is too short to
    matter, and `guessed` what it was before the provider's figures corrected it. `answer` is how
    many tokens of the window are set aside for the answer. `cuts` are the messages that are not
    sent whole, `omitted` counts those that are not sent at all."""

    limits: Limits
    kept: list[Kept]
    sent: list[Kept] = field(default_factory=list)
    tools: Sequence[ToolDefinition] = field(default=(), repr=False)
    micro_upto: int = 0
    tokens: int = 0
    guessed: int = 0
    window: ContextWindow = NOT_KNOWN
    answer: int = 0
    cuts: Sequence[Cut] = ()
    omitted: int = 0

    @cached_property
    def messages(self) -> list[Message]:
        return alternating(one.body for one in self.sent)

    @property
    def room(self) -> int:
        """Tokens that a request may have."""
        return self.limits.context_window - self.answer

    @property
    def is_half_full(self) -> bool:
        share = self.limits.micro_share
        return bool(share) and self.tokens > share * self.room

    @property
    def is_full(self) -> bool:
        share = self.limits.auto_share
        return bool(share) and self.tokens > share * self.room

    @cached_property
    def summary_upto(self) -> int:
        """The row up to which a summary would stand for the messages; 0 if there is too little.
        Where the latest messages alone fill the window, fewer of them stay beside it."""
        upto = summary_boundary(self.kept, self.limits.auto_keeps)
        for keeps in range(self.limits.auto_keeps - 1, 0, -1):
            if not self.is_full or (upto and not self._is_full_beside(upto)):
                break
            upto = summary_boundary(self.kept, keeps) or upto
        return upto

    def _is_full_beside(self, upto: int) -> bool:
        """Whether what a summary up to this row leaves is as good as full."""
        beside = replace(self, kept=summarised(self.kept, "", upto))
        left = self.measured(_sent(beside).sent) + self._scaled(guess(self.tools))
        return left > self.limits.auto_share * self.room

    @property
    def older(self) -> list[Kept]:
        """What a summary would stand for."""
        return older(self.kept, self.summary_upto)

    @property
    def is_worth_a_summary(self) -> bool:
        """Whether one that is not asked for would free enough."""
        return self.measured(self.older) > _WORTH * self.limits.context_window

    def measured(self, messages: Iterable[Kept]) -> int:
        """Their tokens, by the same measure as `tokens`."""
        return self._scaled(_guess([kept.body for kept in messages]))

    def _scaled(self, guessed: int) -> int:
        """By what the provider's figures were off."""
        return round(guessed * self.tokens / self.guessed) if self.guessed else guessed


def read(
    turn: Turn,
    model: LanguageModel,
    past: History,
    tools: Sequence[ToolDefinition],
    skills: str = "",
    refused: int = 0,
) -> Context:
    """The context of the next request; `skills` is what the system prompt says of them, `refused`
    the window that the provider named in this turn, or was taken for."""
    stored = [Kept(pk, body) for pk, body in zip(past.pks, past.messages, strict=True)]
    kept = with_skills(stored, skills)
    kept, micro_upto = _compacted(turn, kept)
    window = context_window(turn.conversation, model).within(refused)
    numbers = replace(limits(turn.conversation, model), context_window=window.tokens)
    context = Context(numbers, kept, [], tools, micro_upto, window=window)
    sent = _sent(replace(context, answer=answer_tokens(model, window)))
    return sent if _is_short(sent) else estimated(sent, turn)


def _compacted(turn: Turn, kept: list[Kept]) -> tuple[list[Kept], int]:
    """What stays beside the latest summary of this path, and the row up to which results are
    placeholders."""
    # `journal.read` has seen whether there are any.
    if not getattr(turn, "is_compacted", True):
        return kept, 0
    micro_upto, latest = 0, None
    for kind, upto, summary in Compaction.objects.of_conversation(turn.conversation_id):
        if place(kept, upto) is None:
            continue
        if kind == Compaction.Kind.MICRO:
            micro_upto = upto
        else:
            latest = (summary, upto)
    return (summarised(kept, *latest) if latest else kept), micro_upto


def step_of_shortening(context: Context) -> tuple[Context, CompactionAttributes] | None:
    """The context with more results as placeholders, and what was done; None if it is not due."""
    if not context.is_half_full:
        return None
    upto = micro_boundary(context.kept, context.limits.micro_keeps)
    shortest = context.limits.micro_shortest
    before = shortened(context.kept, context.micro_upto, shortest)
    after = shortened(context.kept, upto, shortest)
    fresh = [one for one in after.replaced if one not in before.replaced]
    freed = context.measured(before.messages) - context.measured(after.messages)
    if not fresh or freed < _WORTH * context.room:
        return None
    shorter = replace(_sent(replace(context, micro_upto=upto)), tokens=context.tokens - freed)
    shorter = replace(shorter, guessed=_guess_of(shorter))
    done: CompactionAttributes = {
        "layer": "micro",
        "results": len(fresh),
        "replaced": [{"tool": one.tool, "characters": one.length} for one in fresh],
        "left_out_characters": sum(one.length for one in fresh),
        "tokens_before": context.tokens,
        "tokens_after": shorter.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    return shorter, done


def estimated(context: Context, turn: Turn) -> Context:
    """With its tokens, which a short one has not."""
    guessed = _guess_of(context)
    return replace(context, tokens=corrected(guessed, _reported(turn)), guessed=guessed)


def with_summary(context: Context, summary: str, upto: int) -> Context:
    """What would be sent with this summary, and its tokens by the same measure."""
    kept = summarised(context.kept, summary, upto)
    after = _sent(replace(context, kept=kept))
    guessed = _guess_of(after)
    off = context.tokens / context.guessed if context.guessed else 1
    return replace(after, tokens=round(guessed * off), guessed=guessed)


def fit(context: Context, refusals: int = 0) -> tuple[Context, bool]:
    """The context cut so that it has room in the window, and whether it has; `refusals` counts how
    often the provider has refused this request as too long."""
    if not (context.window.is_known or refusals):
        return context, True
    share = _USED * _USED_AFTER_ANOTHER ** (refusals - 1) if refusals else 1
    room = round(context.room * share)
    if context.tokens <= room:
        return context, True
    tools = guess(context.tools)
    found = fitting.fitted(
        context.sent, room, lambda sent: context._scaled(_guess([k.body for k in sent]) + tools)
    )
    shorter = replace(context, sent=found.messages, omitted=found.omitted)
    shorter = replace(shorter, cuts=_cuts(shorter), guessed=_guess_of(shorter))
    return replace(shorter, tokens=context._scaled(shorter.guessed)), found.fits


def answer_tokens(model: LanguageModel, window: ContextWindow) -> int:
    """Tokens of the window that the model's settings ask for as room for the answer; at most half
    of it."""
    asked = model.parameters.get("max_tokens")
    if not window.is_known or not isinstance(asked, int):
        return 0
    return max(0, min(asked, window.tokens // 2))


def _sent(context: Context) -> Context:
    """With placeholders, and with a result cut that would fill the window by itself, or with the
    others of its round."""
    short = shortened(context.kept, context.micro_upto, context.limits.micro_shortest)
    single = round(context.limits.result_share * context.room * _SPARSEST)
    sent: list[Kept] = []
    for is_tool, members in groupby(short.messages, _is_result):
        group = list(members)
        if is_tool:
            lengths = [len(text_of(kept.body.get("content"))) for kept in group]
            most = min(single, fair_share(lengths, _ROUND_SHARES * single))
            group = [Kept(kept.pk, fitting.cut_content(kept.body, most)) for kept in group]
        sent += group
    done = replace(context, sent=sent)
    return replace(done, cuts=_cuts(done))


def _cuts(context: Context) -> list[Cut]:
    short = shortened(context.kept, context.micro_upto, context.limits.micro_shortest)
    return fitting.cuts(short.messages, context.sent)


def _is_result(kept: Kept) -> bool:
    return kept.body["role"] == "tool"


def _is_short(context: Context) -> bool:
    """Whether no layer can be due, however many tokens its characters are."""
    shares = (context.limits.micro_share, context.limits.auto_share)
    least = min((share for share in shares if share), default=_USED)
    room = least * context.room / _DENSEST
    characters = 0
    for one in context.messages:
        characters += len(text_of(one.get("content"))) + len(str(one.get("tool_calls") or ""))
        characters += len(one.get("reasoning_content") or "")
        if characters > room:
            return False
    beside = _of_attachments(context.messages) * _BYTES_A_TOKEN
    return characters + beside + len(dump_json(context.tools)) <= room


def _guess_of(context: Context) -> int:
    return _guess([kept.body for kept in context.sent]) + guess(context.tools)


def _guess(messages: Sequence[Message]) -> int:
    return guess(messages) + _of_attachments(messages)


def _of_attachments(messages: Iterable[Message]) -> int:
    """Tokens of what takes the place of the references in these messages."""
    return sum(
        _IMAGE_TOKENS if one.is_image else one.size // _BYTES_A_TOKEN
        for one in references(messages)
    )


def _reported(turn: Turn) -> list[tuple[int, int]]:
    """What was guessed for the latest requests of this conversation, and what was reported, of one
    that was too long in the refusal."""
    model = turn.model.name[:200] if turn.model else ""
    noted = Turn.objects.latest_generations(turn.conversation_id, model)
    found = [(one.get("guessed") or 0, _tokens_of(one)) for one in reversed(noted)]
    return [(guessed, tokens) for guessed, tokens in found if tokens]


def _tokens_of(noted: dict[str, Any]) -> int:
    used = counted((noted.get("usage") or {}).get("prompt_tokens"))
    return used or counted(noted.get("refused_tokens"))
