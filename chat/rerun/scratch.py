"""Creates the rows of a recorded turn in a temporary database."""

import uuid
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User

from chat.agent import todos
from chat.cassettes.recorded import CassetteGeneration, CassetteTurn, Opening
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.errors import BrokenCassette
from chat.models import Conversation, LanguageModel, Message, Preset, Provider
from chat.models import Turn as TurnRow
from db.fields import dump_json
from tools import local
from tools.models import Policy, Server, ServerTool
from tracing.models import Archive

# Local tools that are available here; all others are offered with their recorded definitions.
LOCAL = frozenset(
    tool.name
    for tool in (*local.TOOLS, local.READ_RESULT)
    if not (tool.off_by_default or tool.missing())
)
# Without compaction and without a choice of tools: the recording has their results.
ROOMY = {"micro_share": 0, "auto_share": 0, "tools_sent": 0}
ANYTHING = "anything that has a text"
NAME = "replay"


def begin(recorded: CassetteTurn, url: str) -> TurnRow:
    """Sends the turn's question to a model at this URL. Raises `BrokenCassette`."""
    opening, first = _beginning(recorded)
    user, _ = User.objects.get_or_create(username=NAME)
    model = _model(first, opening, url)
    conversation = Conversation.objects.create(
        owner=user,
        archive=Archive.objects.create(owner=user),
        model=model,
        named_by=Conversation.NamedBy.FIRST_WORDS,  # nobody is asked for its title
        limits=ROOMY,
        todos=todos.list_after(opening.messages),
    )
    old, new = f"{first.model} at {first.host}", f"{first.model} at {url.partition('//')[2]}"
    *past, question = [_kept_by(message, old, new) for message in opening.messages]
    _remember(conversation, past)
    turn = send_message(
        user,
        NewMessage(
            key=str(uuid.uuid4()),
            text=ANYTHING,
            conversation_id=conversation.public_id,
            model_id=model.public_id,
        ),
    )
    assert turn.question is not None
    Message.objects.filter(pk=turn.question.pk).update(body=question)
    return turn


def offer(turn: TurnRow, tools: list[dict[str, Any]]) -> None:
    """Offers the recorded tools of the next round."""
    assert turn.model is not None, "it was made by `begin`"
    turn.model.preset = _preset(tools)
    turn.model.save(update_fields=["preset"])


def _beginning(recorded: CassetteTurn) -> tuple[Opening, CassetteGeneration]:
    if not recorded.generations:
        raise BrokenCassette(f"The turn {recorded.name!r} has no recorded request.")
    opening = recorded.opening
    if opening is None or not opening.messages or opening.messages[-1]["role"] != "user":
        raise BrokenCassette(
            f"The turn {recorded.name!r} cannot be replayed: its opening has no question."
        )
    return opening, recorded.generations[0]


def _model(first: CassetteGeneration, opening: Opening, url: str) -> LanguageModel:
    """A model with the recorded settings."""
    settings = first.settings
    provider = Provider.objects.create(
        name=f"{NAME} {uuid.uuid4()}",
        kind=Provider.Kind(first.protocol),
        base_url=f"{url}/v1",
        service=settings.get("service") or "",
    )
    known = settings.get("usage_in_streams")
    return LanguageModel.objects.create(
        provider=provider,
        name=first.model,
        dialect=first.dialect,
        preset=_preset(opening.tools),
        parameters=first.parameters,
        takes_tools=settings.get("takes_tools", True),
        takes_images=settings.get("takes_images", False),
        returns_reasoning=settings.get("returns_reasoning") or "never",
        context_window=settings.get("context_window"),
        probed={} if known is None else {"usage_in_streams": known},
    )


def _preset(tools: list[dict[str, Any]]) -> Preset:
    """A preset with the recorded tools; local ones have their current definitions."""
    functions = [tool.get("function", {}) for tool in tools]
    names = [str(function.get("name")) for function in functions]
    ServerTool.objects.filter(server__name=NAME).delete()
    server, _ = Server.objects.get_or_create(name=NAME, defaults={"command": "false"})
    for position, function in enumerate(functions):
        if function.get("name") not in LOCAL:
            _tool(server, position, function)
    return Preset.objects.create(
        name=f"{NAME} {uuid.uuid4()}", tools=names, policies=[["*", Policy.ALLOW.value]]
    )


def _tool(server: Server, position: int, function: dict[str, Any]) -> None:
    digest = sha256(dump_json(function).encode()).hexdigest()
    ServerTool.objects.create(
        server=server,
        name=function["name"],
        offered_name=function["name"],
        position=position,
        description=function.get("description", ""),
        input_schema=function.get("parameters", {}),
        hash=digest,
        approved_hash=digest,
    )


def _kept_by(message: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """The message with `kept_by` of the recorded model replaced by that of this one."""
    return {**message, "kept_by": new} if message.get("kept_by") == old else message


def _remember(conversation: Conversation, past: list[dict[str, Any]]) -> None:
    parent = None
    for body in past:
        parent = Message.objects.create(
            conversation=conversation, parent=parent, role=body["role"], body=body
        )
