"""A conversation to be shared, in the product's settings: JSON out.

It has what a page of a link shows: Markdown, code, a formula, a table, reasoning, calls with a
table as result, sources, an image, a text file, and a key in each of them. Out come its address and
the key.
"""

import base64
import json
import sys

from django.contrib.auth.models import User

from benchmarks.seeding import django_is_set_up
from chat.tests.builders import AConversation
from chat.tests.sharing.conftest import PLANTED, attach

assert django_is_set_up

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
ANSWER = f"""\
Quokkas are **marsupials**[^1]; there are about $n = 10^4$ of them.

| Island | Animals |
|---|---:|
| Rottnest | 8,000 |
| 秃头岛 Bald Island | 600 |

```python
key = "{PLANTED}"
print(sum(range(10)))
```

[^1]: As kangaroos are.
"""


def main() -> None:
    json.load(sys.stdin)
    owner = User.objects.get()
    conversation = AConversation(owner, "Quokkas and their islands / 短尾矮袋鼠")
    turn = conversation.turn(f"What is a quokka? My key is {PLANTED}, the password: hunter2!x")
    attach(turn.question, "notes.md", "text/plain", f"# Notes\n\n{PLANTED}\n".encode())
    search, query = turn.round(
        "I look it up.",
        (
            ("web_search", {"query": "quokka islands"}),
            ("sqlite-read_query", {"query": "SELECT island, animals FROM quokkas"}),
        ),
        reasoning_content="The person asks for an animal. I search, and read the table.",
    )
    turn.end_call(search, "1. Quokka\n   https://quokka.example/about\n   A marsupial")
    rows = [{"island": "Rottnest", "animals": 8000}, {"island": "Bald", "animals": 600}]
    turn.end_call(query, json.dumps(rows))
    turn.round(ANSWER)
    shown = conversation.turn("And this picture? 这是什么？", "A pixel, in one colour.")
    attach(shown.question, "pixel.png", "image/png", PIXEL)
    sys.stdout.write(json.dumps({"path": conversation.url, "key": PLANTED}))


if __name__ == "__main__":
    main()
