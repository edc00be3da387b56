"""Turns, and files of a workspace, until the file `stop` is there; out goes how many turns.

In comes `{"stop": path}`. Runs in the product's settings, beside the product that answers.
"""

import json
import sys
import time
from pathlib import Path
from uuid import uuid4

from benchmarks.seeding import django_is_set_up  # isort: skip

from django.conf import settings

from chat.cassettes import walkthrough
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.setup import ensure_owner, ensure_walkthrough

assert django_is_set_up

PAUSE = 0.05
MAX_TURNS = 100


def main() -> None:
    stop = Path(json.load(sys.stdin)["stop"])
    owner, model = ensure_owner(), ensure_walkthrough()
    count = 0
    while not stop.exists() and count < MAX_TURNS:
        text = walkthrough.questions()[count % 2]
        turn = send_message(
            owner, NewMessage(key=str(uuid4()), text=text, model_id=model.public_id)
        )
        folder = Path(settings.HOME) / "workspaces" / str(turn.conversation.public_id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{count}.txt").write_text(text)
        count += 1
        time.sleep(PAUSE)
    sys.stdout.write(json.dumps(count))


if __name__ == "__main__":
    main()
