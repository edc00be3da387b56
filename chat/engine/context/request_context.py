"""Which messages of a conversation the next request holds: all of them, if there is room.

    stored messages ─ summary ─► path ─ placeholders, caps ─► sent ─ alternating ─► messages

A compaction stays on the branch where it was made: it applies if the message that it goes up to is
on this path. Tokens are estimated, and only where they may matter: a short conversation needs no
query. Where neither placeholders nor a summary make enough room, messages are cut (`fit`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from chat.agent import fitting, own_settings
from chat.agent.alternation import alternating
from chat.agent.compaction import (
    PathMessage,
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
from chat.agent.system_prompt import with_additions
from chat.agent.windows import NOT_KNOWN, ContextWindow, context_window
from chat.attachments.references import references
from chat.engine.context.history import History
from chat.llm.messages import Message, ToolDefinition, text_of
from chat.models import Compaction, LanguageModel, Turn
from db.fields import dump_json
from tracing.journal.cost import token_count
from tracing.models.attributes import CompactionAttributes, GenerationAttributes

# Upper bound of tokens per character.
_MAX_TOKENS_PER_CHARACTER = 1.5
# Characters per token assumed when a result is cut.
_CHARACTERS_PER_TOKEN = 2
# Upper bound of all results of a round, as a multiple of the bound of a single one.
_ROUND_SHARES = 2
# Least share of the window that placeholders have to free, and a summary to replace: each breaks
# the provider's cache, and a summary costs a model call.
_MIN_FREED_SHARE = 0.05
# Estimated tokens of an image; the provider's usage corrects it.
_IMAGE_TOKENS = 1_000
# Bytes per token assumed for other attachments.
_BYTES_PER_TOKEN = 3
# Share of the room that is used after a refusal, because estimates are inexact; the factor for each
# further refusal.
_SHARE_AFTER_REFUSAL = 0.95
_FACTOR_OF_FURTHER_REFUSALS = 0.8


@dataclass(frozen=True)
class Context:
    """The messages of a request at three stages, and their size.

    `path` are the messages with the latest summary, `sent` the same with placeholders and caps,
    `messages` the same in the form of the request. `tokens` is an estimate, 0 if the conversation
    is too short to matter; `guessed` is the estimate before the provider's usage corrected it.
    `answer` counts the tokens of the window that are reserved for the answer. `cuts` are the
    messages that are sent in part, `omitted` counts those that are not sent at all.
    """

    limits: Limits
    path: list[PathMessage]
    sent: list[PathMessage] = field(default_factory=list)
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
        return alternating(message.body for message in self.sent)

    @property
    def room(self) -> int:
        """Upper bound of a request's tokens."""
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
        """The row up to which a summary would replace the messages; 0 if there are too few. If the
        latest messages alone fill the window, fewer of them stay beside the summary."""
        upto = summary_boundary(self.path, self.limits.auto_keeps)
        for keeps in range(self.limits.auto_keeps - 1, 0, -1):
            if not self.is_full or (upto and not self._is_full_with_summary(upto)):
                break
            upto = summary_boundary(self.path, keeps) or upto
        return upto

    def _is_full_with_summary(self, upto: int) -> bool:
        """Whether the window would still be full with an empty summary up to this row."""
        context = replace(self, path=summarised(self.path, "", upto))
        tokens = self.measured(_with_sent(context).sent) + self._corrected(guess(self.tools))
        return tokens > self.limits.auto_share * self.room

    @property
    def older(self) -> list[PathMessage]:
        """The messages that a summary would replace."""
        return older(self.path, self.summary_upto)

    @property
    def is_worth_a_summary(self) -> bool:
        """Whether a summary would free enough to be written without being asked for."""
        return self.measured(self.older) > _MIN_FREED_SHARE * self.limits.context_window

    def measured(self, messages: Iterable[PathMessage]) -> int:
        """Their tokens, corrected as `tokens` is."""
        return self._corrected(_guess([message.body for message in messages]))

    def _corrected(self, guessed: int) -> int:
        """A guess, scaled by the ratio of the provider's usage to the guess for it."""
        return round(guessed * self.tokens / self.guessed) if self.guessed else guessed


def read(
    turn: Turn,
    model: LanguageModel,
    past: History,
    tools: Sequence[ToolDefinition],
    additions: Mapping[str, str] | None = None,
    max_window: int = 0,
) -> Context:
    """The context of the next request; `additions` are texts at the end of the system prompt, by
    key, `max_window` the window that refusals of this turn named or suggest, 0 without any."""
    stored = [PathMessage(pk, body) for pk, body in zip(past.pks, past.messages, strict=True)]
    path, micro_upto = _compacted(turn, with_additions(stored, additions or {}))
    window = context_window(turn.conversation, model).within(max_window)
    numbers = replace(limits(turn.conversation, model), context_window=window.tokens)
    context = Context(numbers, path, [], tools, micro_upto, window=window)
    parameters = own_settings.parameters(turn.conversation, model)
    context = _with_sent(replace(context, answer=answer_tokens(parameters, window)))
    return context if _is_short(context) else estimated(context, turn)


def _compacted(turn: Turn, path: list[PathMessage]) -> tuple[list[PathMessage], int]:
    """The messages with the latest summary of this path, and the row up to which results are
    placeholders."""
    # `journal.read` annotates the turn with whether there is any compaction.
    if not getattr(turn, "is_compacted", True):
        return path, 0
    micro_upto, latest = 0, None
    for kind, upto, summary in Compaction.objects.of_conversation(turn.conversation_id):
        if place(path, upto) is None:
            continue
        if kind == Compaction.Kind.MICRO:
            micro_upto = upto
        else:
            latest = (summary, upto)
    return (summarised(path, *latest) if latest else path), micro_upto


def shortening(context: Context) -> tuple[Context, CompactionAttributes] | None:
    """The context with more results as placeholders, and the attributes of that compaction; None if
    it is not due."""
    if not context.is_half_full:
        return None
    upto = micro_boundary(context.path, context.limits.micro_keeps)
    shortest = context.limits.micro_shortest
    before = shortened(context.path, context.micro_upto, shortest)
    after = shortened(context.path, upto, shortest)
    results = [result for result in after.replaced if result not in before.replaced]
    freed = context.measured(before.messages) - context.measured(after.messages)
    if not results or freed < _MIN_FREED_SHARE * context.room:
        return None
    shorter = replace(_with_sent(replace(context, micro_upto=upto)), tokens=context.tokens - freed)
    shorter = replace(shorter, guessed=_guess_of(shorter))
    attributes: CompactionAttributes = {
        "layer": "micro",
        "results": len(results),
        "replaced": [{"tool": result.tool, "characters": result.length} for result in results],
        "left_out_characters": sum(result.length for result in results),
        "tokens_before": context.tokens,
        "tokens_after": shorter.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    return shorter, attributes


def estimated(context: Context, turn: Turn) -> Context:
    """The context with its tokens, which a short one does not have."""
    guessed = _guess_of(context)
    return replace(context, tokens=corrected(guessed, _reported(turn)), guessed=guessed)


def with_summary(context: Context, summary: str, upto: int) -> Context:
    """The context with this summary of the messages up to the row `upto`, and its tokens."""
    path = summarised(context.path, summary, upto)
    after = _with_sent(replace(context, path=path))
    guessed = _guess_of(after)
    correction = context.tokens / context.guessed if context.guessed else 1
    return replace(after, tokens=round(guessed * correction), guessed=guessed)


def fit(context: Context, refusals: int = 0) -> tuple[Context, bool]:
    """The context cut to the room of the window, and whether it fits; `refusals` counts how often
    the provider has refused this request as too long."""
    if not (context.window.is_known or refusals):
        return context, True
    share = _SHARE_AFTER_REFUSAL * _FACTOR_OF_FURTHER_REFUSALS ** (refusals - 1) if refusals else 1
    room = round(context.room * share)
    if context.tokens <= room:
        return context, True
    tool_tokens = guess(context.tools)

    def size(sent: Sequence[PathMessage]) -> int:
        return context._corrected(_guess([message.body for message in sent]) + tool_tokens)

    fitted = fitting.fitted(context.sent, room, size)
    shorter = replace(context, sent=fitted.messages, omitted=fitted.omitted)
    shorter = replace(shorter, cuts=_cuts(shorter), guessed=_guess_of(shorter))
    return replace(shorter, tokens=context._corrected(shorter.guessed)), fitted.fits


def answer_tokens(parameters: Mapping[str, Any], window: ContextWindow) -> int:
    """Tokens of the window that are reserved for the answer: `max_tokens`, at most half of the
    window."""
    max_tokens = parameters.get("max_tokens")
    if not window.is_known or not isinstance(max_tokens, int):
        return 0
    return max(0, min(max_tokens, window.tokens // 2))


def _with_sent(context: Context) -> Context:
    """The context with `sent`: placeholders, and results cut that alone, or with the others of
    their round, would take too much of the window."""
    short = shortened(context.path, context.micro_upto, context.limits.micro_shortest)
    single = round(context.limits.result_share * context.room * _CHARACTERS_PER_TOKEN)
    sent: list[PathMessage] = []
    for is_tool, members in groupby(short.messages, _is_result):
        group = list(members)
        if is_tool:
            lengths = [len(text_of(result.body.get("content"))) for result in group]
            length = min(single, fair_share(lengths, _ROUND_SHARES * single))
            group = [
                PathMessage(result.pk, fitting.cut_content(result.body, length)) for result in group
            ]
        sent += group
    context = replace(context, sent=sent)
    return replace(context, cuts=_cuts(context))


def _cuts(context: Context) -> list[Cut]:
    short = shortened(context.path, context.micro_upto, context.limits.micro_shortest)
    return fitting.cuts(short.messages, context.sent)


def _is_result(message: PathMessage) -> bool:
    return message.body["role"] == "tool"


def _is_short(context: Context) -> bool:
    """Whether no compaction can be due, even at the upper bound of tokens per character."""
    shares = (context.limits.micro_share, context.limits.auto_share)
    least = min((share for share in shares if share), default=_SHARE_AFTER_REFUSAL)
    room = least * context.room / _MAX_TOKENS_PER_CHARACTER
    characters = 0
    for message in context.messages:
        characters += len(text_of(message.get("content")))
        characters += len(str(message.get("tool_calls") or ""))
        characters += len(message.get("reasoning_content") or "")
        if characters > room:
            return False
    characters += _attachment_tokens(context.messages) * _BYTES_PER_TOKEN
    return characters + len(dump_json(context.tools)) <= room


def _guess_of(context: Context) -> int:
    return _guess([message.body for message in context.sent]) + guess(context.tools)


def _guess(messages: Sequence[Message]) -> int:
    return guess(messages) + _attachment_tokens(messages)


def _attachment_tokens(messages: Iterable[Message]) -> int:
    """Estimated tokens of the attachments that these messages refer to."""
    return sum(
        _IMAGE_TOKENS if attachment.is_image else attachment.size // _BYTES_PER_TOKEN
        for attachment in references(messages)
    )


def _reported(turn: Turn) -> list[tuple[int, int]]:
    """Of the latest requests of this conversation, oldest first: the guessed tokens, and those that
    the provider reported in its usage or in a refusal."""
    model = turn.model.name[:200] if turn.model else ""
    generations: list[GenerationAttributes] = Turn.objects.latest_generations(
        turn.conversation_id, model
    )
    pairs = [(one.get("guessed") or 0, _reported_tokens(one)) for one in reversed(generations)]
    return [(guessed, tokens) for guessed, tokens in pairs if tokens]


def _reported_tokens(generation: GenerationAttributes) -> int:
    prompt_tokens = token_count((generation.get("usage") or {}).get("prompt_tokens"))
    return prompt_tokens or token_count(generation.get("refused_tokens"))
