"""Requests that the provider refused as too long: what they say of the model's context window.

The window that a provider names is stored with the model; one that it does not name is estimated
from the length of the request. The least refused window of a turn bounds that turn, whatever window
is set.
"""

from django.utils import timezone

from chat.engine.context.request_context import Context, estimated
from chat.engine.turn.journal import Journal
from chat.llm.errors import ProviderFailure
from chat.llm.length_refusal import MIN_WINDOW, Refusal, refusal_of
from chat.models import LanguageModel, Turn
from languages.stored import stored
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes, generation_attributes, turn_attributes

# The window, as a share of the refused request's tokens, where the provider names none.
_ESTIMATED_SHARE = 0.5
# Another request is sent if it has at most this share of the refused request's tokens.
_MAX_SHARE_OF_REFUSED = 0.98
NOTHING_LEFT = stored(
    "The request is too long for the model, even when all messages are cut. Offer fewer tools, "
    "shorten the system prompt, or choose a model with a larger context window."
)


def record_refusal(
    turn: Turn, model: LanguageModel, context: Context, error: ProviderFailure | None
) -> GenerationAttributes:
    """Stores the window of a refusal for length with the model and with the turn, inside the
    owner's transaction. Answers the attributes of the generation; {} if the error is another
    one."""
    refusal = refusal_of(error)
    if refusal is None:
        return {}
    measured = context if context.guessed else estimated(context, turn)
    window = refusal.window or max(MIN_WINDOW, round(measured.tokens * _ESTIMATED_SHARE))
    _store_window(model, refusal, window)
    _bound_turn(turn, window)
    return {
        "guessed": measured.guessed,
        "sent_tokens": measured.tokens,
        "refused_tokens": refusal.request_tokens or max(refusal.window, measured.guessed),
        "refused_window": window,
    }


def record_refused_summary(turn: Turn, model: LanguageModel, error: ProviderFailure | None) -> None:
    """Stores the window that the provider named when it refused the request for a summary."""
    refusal = refusal_of(error)
    if refusal is not None and refusal.window:
        _store_window(model, refusal, refusal.window)
        _bound_turn(turn, refusal.window)


def refused_window(journal: Journal) -> int:
    """The least window that was refused in this turn; 0 if none was."""
    window = turn_attributes(journal.root).get("refused_window")
    return window if isinstance(window, int) else 0


def count(generations: list[Span]) -> int:
    """How many attempts of a round were too long."""
    return sum(bool(generation_attributes(span).get("too_long")) for span in generations)


def is_shorter(context: Context, refused: Span) -> bool:
    """Whether a request is enough shorter than the refused one to be worth sending."""
    tokens = generation_attributes(refused).get("sent_tokens")
    return not isinstance(tokens, int) or context.tokens < tokens * _MAX_SHARE_OF_REFUSED


def _store_window(model: LanguageModel, refusal: Refusal, window: int) -> None:
    """A window that the provider named stays until it names another one. A refusal by status alone
    is not about tokens: it may come from a proxy."""
    rows = LanguageModel.objects.filter(pk=model.pk)
    if refusal.window:
        rows.update(refused_window=window, refused_is_estimate=False, refused_at=timezone.now())
    elif refusal.is_about_tokens:
        unnamed = rows.filter(refused_window=None) | rows.filter(
            refused_is_estimate=True, refused_window__gt=window
        )
        unnamed.update(refused_window=window, refused_is_estimate=True, refused_at=timezone.now())


def _bound_turn(turn: Turn, window: int) -> None:
    roots = Span.objects.select_for_update().filter(trace=turn.trace_id, kind=Span.Kind.TURN)
    root = roots.get(parent=None)
    least = turn_attributes(root).get("refused_window")
    if not least or window < least:
        turn_attributes(root)["refused_window"] = window
        root.save(update_fields=["attributes"])
