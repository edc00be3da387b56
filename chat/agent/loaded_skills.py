"""Which skills a conversation has loaded, and where its tools see their files.

A loaded skill's folder is `/skills/<name>` for the tools of the workspace, read-only, for as long
as the skill is offered. The conversation's messages say what was loaded: they stay when spans are
removed, and a fork has them too. A subagent has what its parent has loaded.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from django.db.models import Q

from chat.agent.skills import offered
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Conversation, LanguageModel, Message
from tools.local.agent import LOAD_SKILL
from tools.values.folders import Folder

INSIDE = "/skills"
# The tools that see folders beside the workspace.
SEEING = ("bash", "read_file", "list_files")


def folders(conversation: Conversation, model: LanguageModel | None) -> list[Folder]:
    """The folders of the skills that were loaded here, or in a conversation around this one."""
    names = {name for one in _with_parents(conversation) for name in loaded(one)}
    if not names:
        return []
    chosen = [skill for skill in offered(conversation, model) if skill.name in names]
    there = [skill for skill in chosen if Path(skill.source).is_dir()]
    return [Folder(Path(skill.source), f"{INSIDE}/{skill.name}") for skill in there]


def loaded(conversation: Conversation) -> set[str]:
    """The names of the skills whose instructions this conversation holds."""
    asking = Q(role=Message.Role.ASSISTANT, body__contains=LOAD_SKILL.name)
    answering = Q(role=Message.Role.TOOL, body__contains="<skill name=")
    rows = Message.objects.filter(asking | answering, conversation=conversation)
    asked: dict[str, str] = {}
    done: set[str] = set()
    for body in rows.order_by("pk").values_list("body", flat=True):
        if body["role"] == "assistant":
            asked |= _asked(body)
        elif not body.get("is_error") and body.get("tool_call_id") in asked:
            done.add(asked[body["tool_call_id"]])
    return done


def _with_parents(conversation: Conversation) -> Iterator[Conversation]:
    yield conversation
    while conversation.parent_call is not None:
        conversation = conversation.parent_call.trace.turn.conversation
        yield conversation


def _asked(body: CanonicalMessage) -> dict[str, str]:
    """The calls of `load_skill` in a message: which name each asked for."""
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
