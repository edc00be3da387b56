"""What the frames of a socket ask for: rows found by the ids that they name, and the commands."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext

from chat.commands.answer import ANSWERS, answer_question
from chat.commands.decide import decide_call
from chat.commands.send import send_message
from chat.commands.stop import stop_turn
from chat.errors import Rejected
from chat.live.frames import new_message
from chat.models import Conversation, PersonalSettings, Question, Turn, of_owner_or_author
from chat.models.conversations import PARENT_CONVERSATION
from db.public_ids import parse_public_id
from tracing.models import Span

Frame = dict[str, Any]


def readable_conversation(user: User, public_id: object) -> Conversation | None:
    parsed_id = parse_public_id(public_id)
    conversations = Conversation.objects.readable_by(user)
    return conversations.filter(public_id=parsed_id).first() if parsed_id else None


def readable_nested(user: User, public_id: object) -> Conversation | None:
    """With the conversation whose call began it."""
    parsed_id = parse_public_id(public_id)
    nested = Conversation.objects.nested_readable_by(user).select_related(PARENT_CONVERSATION)
    return nested.filter(public_id=parsed_id).first() if parsed_id else None


def send(user: User, frame: Frame, cookies: Mapping[str, str]) -> tuple[Turn, bool]:
    """The turn, and whether its conversation began with it."""
    message = new_message(frame, PersonalSettings.zone_of(user, cookies))
    return send_message(user, message), message.conversation_id is None


def stop(user: User, public_id: object) -> None:
    parsed_id = parse_public_id(public_id)
    if parsed_id is not None:
        stop_turn(user, parsed_id)


def answer(user: User, frame: Frame) -> None:
    question_id = parse_public_id(frame.get("question"))
    questions = Question.objects.answerable_by(user)
    question = questions.filter(public_id=question_id).first() if question_id else None
    action = frame.get("action")
    if question is not None and isinstance(action, str) and action in ANSWERS:
        answer_question(question, action, frame.get("content"), user)


def decide(user: User, frame: Frame) -> None:
    decidable = Span.objects.filter(of_owner_or_author(user, "trace__turn"), kind=Span.Kind.TOOL)
    call_id = parse_public_id(frame.get("call"))
    call = decidable.filter(public_id=call_id).first() if call_id else None
    decision, arguments = frame.get("decision"), frame.get("arguments")
    if call is None or decision not in ("approve", "deny"):
        return
    if arguments is not None and not isinstance(arguments, str):
        raise Rejected(gettext("The arguments of a decision are JSON text."))
    decide_call(
        call,
        approve=decision == "approve",
        reason=str(frame.get("reason") or ""),
        for_conversation=frame.get("scope") == "conversation",
        arguments=arguments,
        user=user,
    )
