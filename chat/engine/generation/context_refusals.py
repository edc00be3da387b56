"""A request that the provider found too long: what it tells of the model's window, and whether a
shorter one is tried.

The window that a provider names is kept with the model; one that it does not name is estimated by
what was sent. What was refused in a turn bounds that turn, whatever window was set.
"""

from django.utils import timezone

from chat.engine.context.request_context import Context, estimated
from chat.engine.turn.journal import Journal
from chat.llm.errors import ProviderFailure
from chat.llm.too_long import LEAST_WINDOW, Refusal, refusal
from chat.models import LanguageModel, Turn
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes, generation_attributes, turn_attributes

# Of what was sent, where the provider names no window.
_ESTIMATED_SHARE = 0.5
# A shorter request has to be shorter by as much.
_SHORTER = 0.98
NOTHING_LEFT = (
    "The request is too long for the model, even when all messages are cut. Offer fewer tools, "
    "shorten the system prompt, or choose a model with a larger context window."
)


def noted(
    turn: Turn, model: LanguageModel, context: Context, error: ProviderFailure | None
) -> GenerationAttributes:
    """What a generation's span says of a refusal for length; nothing if the error is another one.
    Inside the owner's transaction: keeps the window with the model, and with the turn."""
    found = refusal(error)
    if found is None:
        return {}
    sent = context if context.guessed else estimated(context, turn)
    window = found.window or max(LEAST_WINDOW, round(sent.tokens * _ESTIMATED_SHARE))
    _keep(model, found, window)
    _bound(turn, window)
    return {
        "guessed": sent.guessed,
        "sent_tokens": sent.tokens,
        "refused_tokens": found.asked or max(found.window, sent.guessed),
        "refused_window": window,
    }


def learn(turn: Turn, model: LanguageModel, error: ProviderFailure | None) -> None:
    """Keeps the window that the provider named when it refused another request than an answer's:
    the one for a summary."""
    found = refusal(error)
    if found is not None and found.window:
        _keep(model, found, found.window)
        _bound(turn, found.window)


def refused_window(journal: Journal) -> int:
    """What bounds the requests of this turn; 0 if nothing was refused."""
    window = turn_attributes(journal.root).get("refused_window")
    return window if isinstance(window, int) else 0


def count(generations: list[Span]) -> int:
    """How many attempts of a round were too long."""
    return sum(bool(generation_attributes(span).get("too_long")) for span in generations)


def is_shorter(context: Context, refused: Span) -> bool:
    """Whether a request is worth sending after one that was refused."""
    before = generation_attributes(refused).get("sent_tokens")
    return not isinstance(before, int) or context.tokens < before * _SHORTER


def _keep(model: LanguageModel, found: Refusal, window: int) -> None:
    """A window that was named stays until another is named. A bare status says nothing of tokens:
    it may be a proxy's."""
    rows = LanguageModel.objects.filter(pk=model.pk)
    if found.window:
        rows.update(refused_window=window, refused_is_estimate=False, refused_at=timezone.now())
    elif found.is_about_tokens:
        unnamed = rows.filter(refused_window=None) | rows.filter(
            refused_is_estimate=True, refused_window__gt=window
        )
        unnamed.update(refused_window=window, refused_is_estimate=True, refused_at=timezone.now())


def _bound(turn: Turn, window: int) -> None:
    roots = Span.objects.select_for_update().filter(trace=turn.trace_id, kind=Span.Kind.TURN)
    root = roots.get(parent=None)
    before = turn_attributes(root).get("refused_window")
    if not before or window < before:
        turn_attributes(root)["refused_window"] = window
        root.save(update_fields=["attributes"])
