"""The messages in line, deletion and undo: each change answers what is below the thread then."""

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST, require_safe

from chat.commands import deletion, queue
from chat.errors import Rejected
from chat.models import Conversation, ConversationQuerySet, Turn, TurnQuerySet
from chat.presentation.queue import foot
from chat.presentation.viewers import viewer_of
from chat.views import page
from db.public_ids import parse_public_id
from db.users import signed_in_user


@page
@require_safe
def thread_foot(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """The queue of a conversation, and the deletions that can be undone."""
    readable = Conversation.objects.readable_by(signed_in_user(request))
    return _foot(request, get_object_or_404(readable, public_id=public_id))


@page
@require_POST
def edit(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Sets the `text` of a waiting message."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    return _change(request, public_id, lambda user: queue.edit(user, public_id, text))


@page
@require_POST
def move(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Moves a waiting message before another one; without `before` to the end."""
    before = parse_public_id(request.POST.get("before"))
    return _change(request, public_id, lambda user: queue.move(user, public_id, before))


@page
@require_POST
def send_now(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Stops the running turn and goes on with this message."""
    return _change(request, public_id, lambda user: queue.send_now(user, public_id))


@page
@require_POST
def steer(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Has the message put into the running turn; with `wait` it waits for its end again."""
    act = queue.wait_again if request.POST.get("wait") else queue.steer
    return _change(request, public_id, lambda user: act(user, public_id))


@page
@require_POST
def withdraw(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Takes a waiting message out of the line."""
    return _change(request, public_id, lambda user: deletion.withdraw(user, public_id))


@page
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Deletes a message with all that follows it; for the conversation's owner."""
    get_object_or_404(_turns(Conversation.objects.for_user(request.user)), public_id=public_id)
    return _change(request, public_id, lambda user: deletion.delete(user, public_id))


@page
@require_POST
def restore(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """Undoes a deletion."""
    return _change(request, public_id, lambda user: deletion.restore(user, public_id))


def _change(
    request: HttpRequest, public_id: UUID, change: Callable[[User], object]
) -> HttpResponseBase:
    """409 with a sentence if it comes too late; 404 for a turn where the user may not write."""
    user = signed_in_user(request)
    turns = _turns(Conversation.objects.writable_by(user))
    turn = get_object_or_404(turns, public_id=public_id)
    try:
        change(user)
    except Rejected as error:
        return JsonResponse({"error": str(error)}, status=409)
    return _foot(request, Conversation.objects.by_key(turn.conversation_id))


def _turns(conversations: ConversationQuerySet) -> TurnQuerySet:
    """All turns, those that were deleted too."""
    return Turn.objects.filter(conversation__in=conversations)


def _foot(request: HttpRequest, conversation: Conversation) -> HttpResponse:
    viewer = viewer_of(request.user, conversation)
    context = {"foot": foot(conversation, viewer), "conversation": conversation, "viewer": viewer}
    return render(request, "chat/_foot.html", context)
