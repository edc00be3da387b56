"""Asks the running product; `tests.phoenix` runs this in its settings.

A JSON object with `questions` comes in: pairs of a model's name and a text, each a conversation of
its own, or the same one with `together`. What became of their turns goes out.
"""

import benchmarks.seeding  # isort: skip  # sets Django up
import json
import sys
import time
import uuid
from typing import Any

from django.contrib.auth.models import User

from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import Conversation, LanguageModel, Turn

assert benchmarks.seeding.django_is_set_up
PATIENCE_S = 90.0


def ask(user: User, model: str, text: str, conversation: Conversation | None) -> Turn:
    asked = send_message(
        user,
        NewMessage(
            key=str(uuid.uuid4()),
            text=text,
            model_id=LanguageModel.objects.get(name=model).public_id,
            conversation_id=conversation.public_id if conversation else None,
        ),
    )
    until = time.monotonic() + PATIENCE_S
    while asked.is_open and time.monotonic() < until:
        time.sleep(0.2)
        asked.refresh_from_db()
    return asked


def described(turn: Turn) -> dict[str, Any]:
    assert turn.trace is not None
    return {
        "trace": turn.trace.public_id.hex,
        "conversation": str(turn.conversation.public_id),
        "status": turn.status,
        "error": turn.error,
        "question": turn.question and turn.question.body["content"],
        "answer": turn.answer and turn.answer.body["content"],
    }


def main() -> None:
    wanted = json.load(sys.stdin)
    user = User.objects.get(username="owner")
    conversation, found = None, []
    for model, text in wanted["questions"]:
        turn = ask(user, model, text, conversation if wanted.get("together") else None)
        conversation = turn.conversation
        found.append(described(turn))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
