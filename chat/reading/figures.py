"""What a conversation has taken so far: answers, tokens, time, money."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.models import Conversation, Turn
from db.users import signed_in_user
from tracing.formatting.figures import duration


@dataclass(frozen=True)
class ConversationFigures:
    """Of all answers, those on other branches too, with their subagents; messages that wait have
    none yet. `cost`: US dollars, of the turns whose models have prices, None if there is none; a
    turn's comes some seconds after its end."""

    answers: int
    tokens_in: int
    tokens_out: int
    elapsed: str
    cost: Decimal | None


def conversation_figures(conversation: Conversation) -> ConversationFigures:
    """In one query."""
    spent = ExpressionWrapper(F("ended") - F("started"), output_field=DurationField())
    own = Q(conversation=conversation)
    nested = Q(conversation__archive__parent=conversation.archive_id)
    sums = Turn.objects.filter(own | nested).aggregate(
        answers=Count("pk", filter=own & Q(deleted=None) & ~Q(status=Turn.Status.QUEUED)),
        read=Sum("tokens_in"),
        written=Sum("tokens_out"),
        spent=Sum(spent, filter=own),
        cost=Sum("trace__cost"),
    )
    ms = sums["spent"].total_seconds() * 1000 if sums["spent"] else 0
    return ConversationFigures(
        answers=sums["answers"],
        tokens_in=sums["read"] or 0,
        tokens_out=sums["written"] or 0,
        elapsed=duration(ms) if ms else "",
        cost=sums["cost"],
    )


@never_cache
@login_required
@require_safe
def figures(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A partial for the menu of the context."""
    conversations = Conversation.objects.readable_by(signed_in_user(request))
    conversation = get_object_or_404(conversations, public_id=public_id)
    shown = {"figures": conversation_figures(conversation)}
    return render(request, "chat/_conversation_figures.html", shown)
