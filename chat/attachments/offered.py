"""Prompts, skills and resources for the composer: to attach, or to begin with.

A resource becomes an attachment. A prompt's messages become the text of the message that is being
written, to be read and changed before it is sent; what is no text in them becomes attachments.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext

from chat.attachments import uploads
from chat.errors import Rejected
from chat.models import Attachment, PromptTemplate, Skill
from chat.prompts.variables import variables_of
from languages.shipped import in_language
from tools.models import Reading, Server
from tracing.formatting.text import visible

Block = dict[str, Any]


@dataclass
class Taken:
    """The result of a reading: text for the composer, attachments, and notes on what is missing."""

    text: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def offers(user: User) -> dict[str, list[Block]]:
    """`{"templates": […], "skills": […], "prompts": […], "resources": […]}`: the prompts that this
    user may insert, the skills that work, and what the servers of this user list, as MCP writes it,
    each with its server's name and id."""
    servers = list(Server.objects.for_user(user).filter(enabled=True).order_by("name"))
    return {
        "templates": [_template(row) for row in _templates(user)],
        "skills": [
            {"name": visible(row.name), "description": visible(in_language(row.description))}
            for row in Skill.objects.working_for(user)
        ],
    } | {
        kind: [
            {**one, "server": server.name, "server_id": str(server.public_id)}
            for server in servers
            for one in getattr(server, kind)
        ]
        for kind in ("prompts", "resources")
    }


def _templates(user: User) -> list[PromptTemplate]:
    """The user's own first."""
    rows = PromptTemplate.objects.for_user(user)
    return sorted(rows, key=lambda row: row.owner_id is None)


def _template(row: PromptTemplate) -> Block:
    """Its variables are written as MCP writes arguments."""
    return {
        "id": str(row.public_id),
        "name": visible(row.name),
        "description": visible(row.description),
        "is_shared": row.owner_id is None,
        "arguments": [
            {
                "name": one.name,
                "default": one.default,
                "is_multiline": one.is_multiline,
            }
            for one in variables_of(row.text)
        ],
    }


def take(user: User, reading: Reading) -> Taken:
    """Turns a server's answer into parts of a message."""
    answer = reading.found or {}
    taken = Taken()
    if reading.kind == Reading.Kind.RESOURCE:
        for contents in answer.get("contents") or []:
            _attach(user, contents, taken)
    else:
        taken.text = "\n\n".join(_texts(user, answer.get("messages") or [], taken))
    return taken


def _texts(user: User, messages: list[Block], taken: Taken) -> Iterator[str]:
    """The texts of a prompt's messages, with the role of each that is not the user's."""
    for message in messages:
        block = message.get("content") or {}
        if block.get("type") == "text":
            text = str(block.get("text") or "")
            yield text if message.get("role") == "user" else f"Assistant: {text}"
        elif block.get("type") == "resource":
            _attach(user, block.get("resource") or {}, taken)
        elif block.get("type") == "image":
            _attach(user, {"uri": "image", "blob": block.get("data")}, taken)
        elif block.get("type") == "resource_link":
            yield str(block.get("uri") or "")
        else:
            taken.notes.append(
                gettext("A part of the type %(type)s is left out.") % {"type": block.get("type")}
            )


def _attach(user: User, contents: Block, taken: Taken) -> None:
    name = str(contents.get("uri") or "resource").rstrip("/").rpartition("/")[2] or "resource"
    try:
        taken.attachments.append(uploads.upload(user, name, _bytes(contents)))
    except Rejected as error:
        taken.notes.append(f"{name}: {error}")


def _bytes(contents: Block) -> bytes:
    if isinstance(text := contents.get("text"), str):
        return text.encode(errors="replace")
    try:
        return base64.b64decode(str(contents.get("blob") or ""), validate=True)
    except (binascii.Error, ValueError):
        raise Rejected(gettext("what the server sent is not base64")) from None
