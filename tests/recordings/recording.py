"""Has the conversations of `scripts` with a running product, in its settings.

`{"base_url": …, "conversations": {name: [questions]}}` comes in, `{name: the cassette's text}` goes
out.
"""

import json
import os
import sys
import time
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
django_is_set_up = True  # for those who import this first, to use models after

from django.db.models import Q

from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Preset, Provider, Turn
from chat.setup import ensure_owner
from tests.recordings.model import NAME
from tools import local
from tools.models import LocalTool, Policy
from tracing.export import cassettes
from tracing.models import Trace

ASSISTANT = "Coding assistant"
SECONDS = 120.0


def conversation(name: str, questions: list[str], model: LanguageModel) -> str:
    """Asks one question after the other; the cassette of all turns, those of subagents too."""
    preset = Preset.objects.get(name=ASSISTANT, owner=None)
    found: list[Trace] = []
    conversation_id = None
    for question in questions:
        turn = send_message(
            ensure_owner(),
            NewMessage(
                key=str(uuid4()),
                text=question,
                conversation_id=conversation_id,
                model_id=model.public_id,
                preset_id=None if conversation_id else preset.public_id,
            ),
        )
        conversation_id = turn.conversation.public_id
        wait_for(turn)
        mine = Q(turn=turn) | Q(parent__trace__turn=turn)
        found += Trace.objects.filter(mine).order_by("id")
    return "".join(cassettes.export(found, name))


def wait_for(turn: Turn) -> None:
    """Until it is done. Raises RuntimeError if it fails or takes too long."""
    deadline = time.monotonic() + SECONDS
    while turn.is_open and time.monotonic() < deadline:
        time.sleep(0.1)
        turn.refresh_from_db()
    if turn.status != Turn.Status.DONE:
        raise RuntimeError(f"{turn.status}: {turn.error}")


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Recorded", base_url=wanted["base_url"], api_key="none")
    model = LanguageModel.objects.create(provider=provider, name=NAME)
    for tool in local.TOOLS:
        LocalTool.objects.update_or_create(
            name=tool.name, defaults={"enabled": True, "policy": Policy.ALLOW}
        )
    recorded = {
        name: conversation(name, questions, model)
        for name, questions in wanted["conversations"].items()
    }
    sys.stdout.write(json.dumps(recorded))


if __name__ == "__main__":
    main()
