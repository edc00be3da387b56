"""What of a conversation the next request holds: all of it, as long as it has room.

    stored messages ─ summary ─► kept ─ placeholders, caps ─► messages

Whether there is room is estimated, and only where it may matter: a short one costs nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.compaction import Kept, micro_boundary, shortened, summarised, summary_boundary
from chat.agent.estimating import corrected, guess
from chat.agent.limits import Limits, limits
from chat.agent.skills import with_skills
from chat.engine.history import History
from chat.llm.messages import Message, ToolDefinition, text_of
from chat.models import Compaction, LanguageModel, Turn
from tracing.models import Span
from tracing.prepared import Given, Select

_COMPACTIONS = Select(
    lambda: (
        Compaction.objects.filter(conversation=Given("conversation"))
        .order_by("id")
        .values_list("kind", "upto_id", "summary")
    )
)
# Tokens that a character may be at most.
_DENSEST = 1.5
# What a step of shortening has to free, as a share of the window: each breaks the provider's cache.
_WORTH = 0.05


@dataclass(frozen=True)
class Context:
    """`kept` is what stays beside the summary, `messages` what is sent; `tokens` is an estimate, 0
    where the conversation is too short to matter."""

    limits: Limits
    kept: list[Kept]
    messages: list[Message]
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
    micro_upto = 0
    for kind, upto, summary in _COMPACTIONS.all(conversation=turn.conversation_id):
        if kind == Compaction.Kind.MICRO:
            micro_upto = upto
        else:
            kept = summarised(kept, summary, upto)
    context = Context(limits(turn.conversation, model), kept, [], micro_upto)
    return _estimated(_sent(context), turn, tools)


def step_of_shortening(context: Context) -> tuple[Context, dict[str, Any]] | None:
    """The context with more results as placeholders, and what was done; None if it is not due."""
    if not context.is_half_full:
        return None
    upto = micro_boundary(context.kept, context.limits.micro_keeps)
    after = shortened(context.kept, upto, context.limits.micro_shortest)
    known = shortened(context.kept, context.micro_upto, context.limits.micro_shortest).replaced
    fresh = [one for one in after.replaced if one not in known]
    freed = guess("x" * size for _, size in fresh)
    if not fresh or freed < _WORTH * context.limits.context_window:
        return None
    shorter = replace(_sent(replace(context, micro_upto=upto)), tokens=context.tokens - freed)
    done = {
        "layer": "micro",
        "results": len(fresh),
        "left_out_characters": sum(size for _, size in fresh),
        "tokens_before": context.tokens,
        "tokens_after": shorter.tokens,
        "context_window": context.limits.context_window,
    }
    return shorter, done


def _sent(context: Context) -> Context:
    short = shortened(context.kept, context.micro_upto, context.limits.micro_shortest)
    most = round(context.limits.result_share * context.limits.context_window * 2)
    return replace(context, messages=[_capped(one.body, most) for one in short.messages])


def _capped(body: Message, most: int) -> Message:
    """A single result that would fill the window by itself is cut, so that a request can be sent
    again after it; `read_result` reads on."""
    content = body.get("content")
    if body["role"] != "tool" or not isinstance(content, str) or len(content) <= most:
        return body
    cut = body.copy()
    note = f"\n\n[… {len(content):,} characters in all; the middle was cut to fit the model …]\n\n"
    cut["content"] = content[: most * 3 // 4] + note + content[-most // 4 :]
    return cut


def _estimated(context: Context, turn: Turn, tools: Sequence[ToolDefinition]) -> Context:
    characters = sum(len(text_of(one.get("content"))) for one in context.messages)
    calls = sum(len(str(one.get("tool_calls") or "")) for one in context.messages)
    least = min(context.limits.micro_share or 1, context.limits.auto_share or 1)
    if (characters + calls) * _DENSEST < least * context.limits.context_window:
        return context
    guessed = guess(context.messages) + guess(tools)
    return replace(context, tokens=corrected(guessed, _reported(turn)), guessed=guessed)


def _reported(turn: Turn) -> list[tuple[int, int]]:
    """What was guessed for the latest requests of this conversation, and what was reported."""
    spans = Span.objects.filter(
        trace__archive=turn.conversation.archive_id,
        kind=Span.Kind.GENERATION,
        status=Span.Status.SUCCEEDED,
        name=turn.model.name[:200] if turn.model else "",
    )
    noted = spans.order_by("-id").values_list("attributes", flat=True)[:5]
    found = [(one.get("guessed") or 0, (one.get("usage") or {})) for one in reversed(noted)]
    return [(guessed, int(usage.get("prompt_tokens") or 0)) for guessed, usage in found]
