"""The buttons of an answer with which people rate it."""

from http import HTTPStatus
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from chat.errors import Rejected
from chat.feedback import rating
from chat.models import Turn
from chat.views import page


@page
@require_POST
def rate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Sets the feedback by `rating` and `note`; an empty rating removes it. Answers with the
    buttons, or 409 and a sentence."""
    turns = Turn.objects.for_user(request.user).select_related("trace", "conversation")
    turn = get_object_or_404(turns, public_id=public_id)
    given = request.POST.get("rating", "")
    feedback = None
    try:
        if given:
            feedback = rating.rate(request.user, turn, given, request.POST.get("note", ""))
        else:
            rating.remove(turn)
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.CONFLICT)
    asks_why = bool(given) and "note" not in request.POST
    context = {"turn": turn, "feedback": feedback, "asks_why": asks_why}
    return render(request, "chat/_feedback.html", context)
