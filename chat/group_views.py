"""The panel in which an owner shares a conversation with groups."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from chat.commands import group_sharing
from chat.errors import Rejected
from chat.models import Conversation
from chat.presentation.group_shares import share_panel
from chat.views import page
from db.public_ids import parse_public_id
from db.users import signed_in_user


@page
@require_http_methods(["GET", "HEAD", "POST"])
def groups(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The panel. A POST with `group` shares the conversation with it, to write with `write`; with
    `end` (a share's id) that share ends. 422 with a sentence if it is refused."""
    user = signed_in_user(request)
    conversation = get_object_or_404(Conversation.objects.for_user(user), public_id=public_id)
    told = error = ""
    if request.method == "POST":
        try:
            told = _change(request, conversation)
        except Rejected as refusal:
            error = str(refusal)
    context = {"conversation": conversation, "told": told, "error": error}
    context |= {"panel": share_panel(user, conversation)}
    return render(request, "chat/_share_groups.html", context, status=422 if error else 200)


def _change(request: HttpRequest, conversation: Conversation) -> str:
    """Answers a sentence on what is so now. Raises `Rejected`."""
    if "end" in request.POST:
        group_sharing.end(conversation, parse_public_id(request.POST["end"]))
        return _("The share has ended. Its members no longer see this conversation.")
    group = request.POST.get("group", "")
    if not group.isascii() or not group.isdigit() or len(group) > 9:
        raise Rejected(_("Choose a group."))
    to_write = bool(request.POST.get("write"))
    group_sharing.share(signed_in_user(request), conversation, int(group), to_write=to_write)
    if to_write:
        return _("Shared. The members of the group can read and write.")
    return _("Shared. The members of the group can read.")
