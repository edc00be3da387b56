"""What of a conversation the next request holds: all of it, as long as it has room.

    stored messages ─ summary ─► kept ─ placeholders, caps ─► messages

What was left out once stays out, on the branch where it was: a row counts if the message that it
goes up to is on this path. Whether there is room is estimated, and only where it may matter: a
short conversation costs no query.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

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
from chat.agent.limits import Limits, limits
from chat.agent.skills import with_skills
from chat.attachments.references import references
from chat.engine.history import History
from chat.llm.messages import ContentPart, Message, ToolDefinition, text_of
from chat.models import Compaction, LanguageModel, Turn
from tracing.cost import counted
from tracing.fields import dump_json
from tracing.models import Span
from tracing.prepared import Given, Select

_COMPACTIONS = Select(
    lambda: (
        Compaction.objects.filter(conversation=Given("conversation"))
        .order_by("id")
        .values_list("kind", "upto_id", "summary")
    )
)
_REPORTED = Select(
    lambda: (
        Span.objects.filter(
            trace__turn__conversation=Given("conversation"),
            kind=Span.Kind.GENERATION,
            status=Span.Status.SUCCEEDED,
            name=Given("model"),
        )
        .order_by("-trace", "-id")
        .values_list("attributes", flat=True)[:5]
    )
)
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


@dataclass(frozen=True)
class Context:
    """`kept` is what stays beside the summary, `messages` what is sent; `tokens` is an estimate, 0
    where the conversation is too short to matter, and `guessed` what it was before the provider's
    figures corrected it."""

    limits: Limits
    kept: list[Kept]
    messages: list[Message]
    tools: Sequence[ToolDefinition] = field(default=(), repr=False)
    micro_upto: int = 0
    tokens: int = 0
    guessed: int = 0

    @property
    def is_half_full(self) -> bool:
        share = self.limits.micro_share
        return bool(share) and self.tokens > share * self.limits.context_window

    @property
    def is_full(self) -> bool:
        share = self.limits.auto_share
        return bool(share) and self.tokens > share * self.limits.context_window

    @property
    def summary_upto(self) -> int:
        """The row up to which a summary would stand for the messages; 0 if there is too little."""
        return summary_boundary(self.kept, self.limits.auto_keeps)

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
        guessed = _guess([kept.body for kept in messages])
        return round(guessed * self.tokens / self.guessed) if self.guessed else guessed


def read(
    turn: Turn,
    model: LanguageModel,
    past: History,
    tools: Sequence[ToolDefinition],
    skills: str = "",
) -> Context:
    """The context of the next request; `skills` is what the system prompt says of them."""
    stored = [Kept(pk, body) for pk, body in zip(past.pks, past.messages, strict=True)]
    kept = with_skills(stored, skills)
    kept, micro_upto = _compacted(turn, kept)
    context = Context(limits(turn.conversation, model), kept, [], tools, micro_upto)
    sent = _sent(context)
    return sent if _is_short(sent) else estimated(sent, turn)


def _compacted(turn: Turn, kept: list[Kept]) -> tuple[list[Kept], int]:
    """What stays beside the latest summary of this path, and the row up to which results are
    placeholders."""
    # `journal.read` has seen whether there are any.
    if not getattr(turn, "is_compacted", True):
        return kept, 0
    micro_upto, latest = 0, None
    for kind, upto, summary in _COMPACTIONS.all(conversation=turn.conversation_id):
        if place(kept, upto) is None:
            continue
        if kind == Compaction.Kind.MICRO:
            micro_upto = upto
        else:
            latest = (summary, upto)
    return (summarised(kept, *latest) if latest else kept), micro_upto


def step_of_shortening(context: Context) -> tuple[Context, dict[str, Any]] | None:
    """The context with more results as placeholders, and what was done; None if it is not due."""
    if not context.is_half_full:
        return None
    upto = micro_boundary(context.kept, context.limits.micro_keeps)
    shortest = context.limits.micro_shortest
    before = shortened(context.kept, context.micro_upto, shortest)
    after = shortened(context.kept, upto, shortest)
    fresh = [one for one in after.replaced if one not in before.replaced]
    freed = context.measured(before.messages) - context.measured(after.messages)
    if not fresh or freed < _WORTH * context.limits.context_window:
        return None
    shorter = replace(_sent(replace(context, micro_upto=upto)), tokens=context.tokens - freed)
    shorter = replace(shorter, guessed=_guess(shorter.messages) + guess(context.tools))
    done = {
        "layer": "micro",
        "results": len(fresh),
        "replaced": [{"tool": one.tool, "characters": one.length} for one in fresh],
        "left_out_characters": sum(one.length for one in fresh),
        "tokens_before": context.tokens,
        "tokens_after": shorter.tokens,
        "context_window": context.limits.context_window,
    }
    return shorter, done


def estimated(context: Context, turn: Turn) -> Context:
    """With its tokens, which a short one has not."""
    guessed = _guess(context.messages) + guess(context.tools)
    return replace(context, tokens=corrected(guessed, _reported(turn)), guessed=guessed)


def with_summary(context: Context, summary: str, upto: int) -> Context:
    """What would be sent with this summary, and its tokens by the same measure."""
    kept = summarised(context.kept, summary, upto)
    after = _sent(replace(context, kept=kept))
    guessed = _guess(after.messages) + guess(context.tools)
    off = context.tokens / context.guessed if context.guessed else 1
    return replace(after, tokens=round(guessed * off), guessed=guessed)


def _sent(context: Context) -> Context:
    short = shortened(context.kept, context.micro_upto, context.limits.micro_shortest)
    single = round(context.limits.result_share * context.limits.context_window * _SPARSEST)
    messages: list[Message] = []
    for is_tool, bodies in groupby((one.body for one in short.messages), _is_result):
        group = list(bodies)
        if is_tool:
            lengths = [len(text_of(body.get("content"))) for body in group]
            most = min(single, fair_share(lengths, _ROUND_SHARES * single))
            group = [_capped(body, most) for body in group]
        messages += group
    return replace(context, messages=messages)


def _is_result(body: Message) -> bool:
    return body["role"] == "tool"


def _capped(body: Message, most: int) -> Message:
    """A result that would fill the window by itself, or with the others of its round, is cut, so
    that a request can be sent again after it."""
    content = body.get("content")
    if not content or len(text_of(content)) <= most:
        return body
    cut = body.copy()
    if isinstance(content, str):
        cut["content"] = _cut(content, most)
    else:
        rest: list[ContentPart] = [part for part in content if part.get("type") != "text"]
        cut["content"] = [{"type": "text", "text": _cut(text_of(content), most)}, *rest]
    return cut


def _cut(text: str, most: int) -> str:
    note = f"\n\n[… {len(text):,} characters in all; the middle was cut to fit the model …]\n\n"
    return text[: most * 3 // 4] + note + text[len(text) - most // 4 :]


def _is_short(context: Context) -> bool:
    """Whether no layer can be due, however many tokens its characters are."""
    shares = (context.limits.micro_share, context.limits.auto_share)
    least = min((share for share in shares if share), default=0)
    if not least:
        return True
    room = least * context.limits.context_window / _DENSEST
    characters = 0
    for one in context.messages:
        characters += len(text_of(one.get("content"))) + len(str(one.get("tool_calls") or ""))
        characters += len(one.get("reasoning_content") or "")
        if characters > room:
            return False
    beside = _of_attachments(context.messages) * _BYTES_A_TOKEN
    return characters + beside + len(dump_json(context.tools)) <= room


def _guess(messages: Sequence[Message]) -> int:
    return guess(messages) + _of_attachments(messages)


def _of_attachments(messages: Iterable[Message]) -> int:
    """Tokens of what takes the place of the references in these messages."""
    return sum(
        _IMAGE_TOKENS if one.is_image else one.size // _BYTES_A_TOKEN
        for one in references(messages)
    )


def _reported(turn: Turn) -> list[tuple[int, int]]:
    """What was guessed for the latest requests of this conversation, and what was reported."""
    model = turn.model.name[:200] if turn.model else ""
    noted = _REPORTED.all(conversation=turn.conversation_id, model=model)
    found = [(one.get("guessed") or 0, (one.get("usage") or {})) for one in reversed(noted)]
    return [(guessed, counted(usage.get("prompt_tokens"))) for guessed, usage in found]
