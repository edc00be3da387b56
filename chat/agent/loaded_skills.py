"""The skills that a conversation has loaded, and their folders in its sandbox.

The folder of a loaded skill is `/skills/<name>` for the tools of the workspace, read-only, as long
as the skill is offered. What is loaded is read from the conversation's messages, which stay when
spans are removed, and which a fork has too. A subagent has the skills that its parent has loaded.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from django.db.models import Q

from chat.agent.skills import offered
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Conversation, LanguageModel, Message
from db.users import AnyUser
from tools.local.agent import LOAD_SKILL
from tools.values.folders import Folder

INSIDE = "/skills"
# Tools that have these folders beside the workspace.
TOOLS_WITH_SKILLS = ("bash", "read_file", "list_files")


def folders(conversation: Conversation, model: LanguageModel | None, user: AnyUser) -> list[Folder]:
    """The folders of the skills that this conversation or one of its parents has loaded."""
    names = {name for each in _with_parents(conversation) for name in loaded(each)}
    if not names:
        return []
    return [
        Folder(Path(skill.source), f"{INSIDE}/{skill.name}")
        for skill in offered(conversation, model, user)
        if skill.name in names and Path(skill.source).is_dir()
    ]


def loaded(conversation: Conversation) -> set[str]:
    """The names of the skills whose instructions are in this conversation's messages, on whichever
    branch: like its workspace, its tasks and the tools that were found, they are of the whole
    conversation."""
    calls = Q(role=Message.Role.ASSISTANT, body__contains=LOAD_SKILL.name)
    results = Q(role=Message.Role.TOOL, body__contains="<skill name=")
    rows = Message.objects.filter(calls | results, conversation=conversation)
    name_by_call: dict[str, str] = {}
    names: set[str] = set()
    for body in rows.order_by("pk").values_list("body", flat=True):
        if body["role"] == "assistant":
            name_by_call |= _names_by_call(body)
        elif not body.get("is_error") and body.get("tool_call_id") in name_by_call:
            names.add(name_by_call[body["tool_call_id"]])
    return names


def _with_parents(conversation: Conversation) -> Iterator[Conversation]:
    yield conversation
    while conversation.parent_call is not None:
        conversation = conversation.parent_call.trace.turn.conversation
        yield conversation


def _names_by_call(body: CanonicalMessage) -> dict[str, str]:
    """The calls of `load_skill` in a message: the skill's name by the call's id."""
    return {
        call["id"]: _name(call["function"]["arguments"])
        for call in body.get("tool_calls") or ()
        if call["function"]["name"] == LOAD_SKILL.name
    }


def _name(arguments: str) -> str:
    try:
        return str(json.loads(arguments)["name"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
