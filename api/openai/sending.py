"""From a `Call` to a turn: in a new conversation, or in the one that it goes on with.

`prepare` reads, `send` writes: between them the event log of the conversation is followed, so that
no event of the turn is missed and none has to be waited for.
"""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from api.models import ProgramTurn
from api.openai import answerers, histories, parameters
from api.openai.answerers import Listed
from api.openai.call import Asked, Call
from api.openai.errors import OpenAIError, refused, unsupported
from api.openai.outcome import Outcome, read
from api.openai.response_items import read_next
from api.openai.response_request import no_response, response_id
from chat.attachments import uploads
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.engine.context import history
from chat.models import Turn
from chat.programs import Program

RUNS_HERE = "an assistant runs its own tools here."


@dataclass(frozen=True)
class Prepared:
    """A call with who answers it, and where: `program` says in which conversation."""

    call: Call
    answerer: Listed
    program: Program
    follows: Turn | None = None

    @property
    def conversation(self) -> uuid.UUID:
        if self.follows is not None:
            return self.follows.conversation.public_id
        return self.program.conversation_id


@dataclass(frozen=True)
class Sent:
    """A turn that has begun. `is_continued`: in a conversation of before."""

    turn: Turn
    row: ProgramTurn
    is_continued: bool = False

    @property
    def headers(self) -> dict[str, str]:
        turn = self.turn
        return {
            "X-Roundtrip-Trace": str(turn.trace.public_id) if turn.trace else "",
            "X-Roundtrip-Conversation": str(turn.conversation.public_id),
            "X-Roundtrip-Turn": str(turn.public_id),
        }


def prepare(user: User, call: Call, given_input: Any = None) -> Prepared:
    """Raises `OpenAIError` and `Rejected`. `given_input` is the input of a response that goes on
    with another."""
    answerer = answerers.find(user, call.model)
    assert answerer.model is not None
    parameters.refuse_untaken(answerer.model, call.parameters, call.passed_on)
    if call.previous is not None:
        return _after_response(user, call, answerer, given_input)
    _refuse_untaken_tools(call, answerer)
    _refuse_images(call.asked, answerer)
    follows = _find(user, call, answerer)
    if follows is not None:
        return Prepared(call, answerer, _program(call, answerer, follows), follows)
    return Prepared(call, answerer, _program(call, answerer, None))


def anew(prepared: Prepared) -> Prepared:
    """The same in a conversation of its own."""
    program = _program(prepared.call, prepared.answerer, None)
    return Prepared(prepared.call, prepared.answerer, program)


def send(user: User, prepared: Prepared) -> Sent:
    """Begins the turn. Raises `Rejected`, and `Overtaken` if the conversation to go on with has
    gone on meanwhile."""
    call, answerer = prepared.call, prepared.answerer
    assert answerer.model is not None
    files = [uploads.upload(user, one.name, one.content) for one in call.asked.files]
    follows = prepared.follows
    message = NewMessage(
        key=str(uuid.uuid4()),
        text=call.asked.text,
        conversation_id=follows.conversation.public_id if follows else None,
        model_id=answerer.model.public_id,
        preset_id=answerer.preset.public_id if answerer.preset and not follows else None,
        attachment_ids=[one.public_id for one in files],
        program=prepared.program,
    )
    with transaction.atomic():
        turn = send_message(user, message)
        row = ProgramTurn.objects.create(
            turn=turn,
            user=user,
            model=call.model[:300],
            history=histories.of_request(_identity(answerer), call.asked),
            is_response=call.is_response,
            is_stored=call.is_stored,
            kept=call.kept,
            with_tools=call.with_tools,
        )
    return Sent(turn, row, follows is not None)


def _find(user: User, call: Call, answerer: Listed) -> Turn | None:
    """The turn that the history of a call goes on with."""
    wanted = histories.before_last_answer(_identity(answerer), call.asked)
    if wanted is None:
        return None
    rows = ProgramTurn.objects.for_user(user).filter(history=wanted).order_by("-id")
    for row in rows.select_related("turn__conversation")[:3]:
        if row.turn.is_open or not _is_last(row.turn):
            continue
        outcome = read(row.turn)
        if histories.is_same_answer(call.asked.earlier[-1], outcome.text, outcome.calls):
            return row.turn
    return None


def _is_last(turn: Turn) -> bool:
    leaf = Turn.objects.leaf(turn.conversation_id)
    return leaf.pk == turn.pk and not leaf.has_open and not leaf.is_compared


def _program(call: Call, answerer: Listed, follows: Turn | None) -> Program:
    asked = call.asked
    return Program(
        after=follows.public_id if follows else None,
        is_plain=answerer.preset is None,
        prompt=asked.prompt,
        earlier=() if follows else asked.earlier,
        results=asked.results,
        parameters=call.parameters,
        passed_on=call.passed_on,
        tools=call.tools,
        tool_choice=call.tool_choice,
    )


def _after_response(user: User, call: Call, answerer: Listed, given_input: Any) -> Prepared:
    assert call.previous is not None
    name = response_id(call.previous)
    rows = ProgramTurn.objects.responses_for(user).filter(turn__public_id=call.previous)
    row = rows.select_related("turn__conversation").first()
    if row is None:
        raise no_response(name, "previous_response_id")
    if row.turn.is_open:
        message = "The previous response is not complete yet."
        raise OpenAIError(400, message, param="previous_response_id", code="response_in_progress")
    outcome = read(row.turn)
    asked = read_next(given_input, outcome.calls)
    prompt = "\n\n".join(filter(None, (call.asked.prompt, asked.prompt)))
    asked = replace(asked, prompt=prompt, earlier=())
    call = replace(call, asked=asked)
    _refuse_untaken_tools(call, answerer)
    _refuse_images(asked, answerer)
    if _goes_on(row.turn, answerer):
        return Prepared(call, answerer, _program(call, answerer, row.turn), row.turn)
    call = replace(call, asked=replace(asked, earlier=_path(row.turn)))
    return Prepared(call, answerer, _program(call, answerer, None))


def _goes_on(turn: Turn, answerer: Listed) -> bool:
    """Whether a turn of this answerer can follow in the same conversation."""
    conversation = turn.conversation
    preset = answerer.preset.pk if answerer.preset else None
    is_plain = bool((conversation.program or {}).get("plain"))
    same = conversation.preset_id == preset and is_plain == (answerer.preset is None)
    return same and _is_last(turn)


def _path(turn: Turn) -> list[Any]:
    """The messages up to the end of a turn, without the system's."""
    return [one for one in history.read(turn).messages if one["role"] != "system"]


def _refuse_untaken_tools(call: Call, answerer: Listed) -> None:
    model = answerer.model
    assert model is not None
    if answerer.preset is not None:
        for name, value in (("tools", call.tools), ("tool_choice", call.tool_choice)):
            if value:
                raise unsupported(name, RUNS_HERE)
        messages = [*call.asked.earlier, *call.asked.results]
        if any(one["role"] == "tool" or one.get("tool_calls") for one in messages):
            raise unsupported("input" if call.is_response else "messages", RUNS_HERE)
    elif call.tools and not model.takes_tools:
        raise unsupported("tools", f"{model} takes none.")


def _refuse_images(asked: Asked, answerer: Listed) -> None:
    """Those of the question are refused by `send_message`."""
    model = answerer.model
    assert model is not None
    for message in asked.earlier:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        if any(part.get("type") == "image_url" for part in parts) and not model.reads_images:
            raise refused("messages", f"{model} does not read images.")


def _identity(answerer: Listed) -> str:
    """Of who answers, whatever it is called now."""
    if answerer.preset is not None:
        return f"assistant {answerer.preset.public_id}"
    return f"model {answerer.model.public_id if answerer.model else ''}"


def find_outcome(user: User, turn: uuid.UUID) -> tuple[ProgramTurn, Outcome]:
    """A stored response. Raises `OpenAIError`."""
    rows = ProgramTurn.objects.responses_for(user).filter(turn__public_id=turn)
    row = rows.select_related("turn__conversation", "turn__trace").first()
    if row is None:
        raise no_response(response_id(turn))
    return row, read(row.turn)
