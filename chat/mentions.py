"""What `@` in the composer can name: assistants, tools, files of the workspace. Models are on the
page already."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from chat import offering, project_folders
from chat.files.walking import walk
from chat.models import Conversation, Preset, ProjectFile
from chat.placement import copies
from db.users import AnyUser, signed_in_user
from languages.shipped import in_language
from limits.chat import MAX_MENTIONED_FILES, MAX_MENTIONED_TOOLS
from tools.errors import ToolError
from tools.rights import signed_in
from tools.workspace.paths import shown
from tracing.formatting.text import clip, visible

ABOUT_CHARACTERS = 200


@signed_in
@require_safe
def mentions(request: HttpRequest, public_id: UUID | None = None) -> JsonResponse:
    """`{"assistants": […], "tools": […], "files": […]}` for a conversation, or for a new one."""
    conversation = None
    if public_id is not None:
        writable = Conversation.objects.writable_by(request.user)
        related = writable.select_related("model__preset", "preset", "owner")
        conversation = get_object_or_404(related, public_id=public_id)
    return JsonResponse(
        {
            "assistants": _assistants(request, conversation),
            "tools": _tools(request, conversation),
            "files": _files(request.user, conversation),
        }
    )


def _assistants(request: HttpRequest, conversation: Conversation | None) -> list[dict[str, str]]:
    """None for who is not the owner of the conversation."""
    if conversation is not None and conversation.owner_id != request.user.pk:
        return []
    rows = Preset.objects.for_user(request.user).only("public_id", "name", "description")
    return [
        {
            "id": str(row.public_id),
            "name": visible(in_language(row.name)),
            "about": _about(in_language(row.description)),
        }
        for row in rows
    ]


def _tools(request: HttpRequest, conversation: Conversation | None) -> list[dict[str, str]]:
    """Those that the conversation offers to its model; before there is one, all that may be."""
    if conversation is None:
        tools = offering.offered(None, signed_in_user(request), None)
    else:
        tools = offering.of(conversation, conversation.model, conversation.owner)
    return [
        {
            "name": visible(tool.name),
            "server": visible(tool.server),
            "about": _about(in_language(tool.description)),
        }
        for tool in tools[:MAX_MENTIONED_TOOLS]
    ]


def _files(user: AnyUser, conversation: Conversation | None) -> list[str]:
    if conversation is None:
        return []
    try:
        folder = copies.names(conversation.public_id)
    except ToolError:  # out of reach
        return _project_files(user, conversation)
    entries: Any = walk(folder, most=MAX_MENTIONED_FILES)
    own = [visible(shown(entry.path)) for entry in entries if entry.kind == "file"]
    return [*_project_files(user, conversation), *own]


def _project_files(user: AnyUser, conversation: Conversation) -> list[str]:
    if conversation.project_id is None:
        return []
    rows = ProjectFile.objects.for_user(user).filter(project=conversation.project_id)
    rows = rows.only("name", "document")
    return [visible(f"{project_folders.NAME}/{row.workspace_name}") for row in rows]


def _about(text: str) -> str:
    return clip(visible(" ".join(text.split())), ABOUT_CHARACTERS).text
