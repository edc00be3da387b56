"""The page of a conversation with 1,000 messages, over HTTP: time, bytes on the wire, CPU of `web`.

The conversation is made by turns of the product, one after another, so that everything is there
that the engine leaves behind.
"""

import asyncio
import statistics

from benchmarks.clients import Meter
from benchmarks.load import LoadClient, Target
from benchmarks.measuring import Plan
from benchmarks.page_request import fetch
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

# The model repeats the message, 32 characters a token.
MODEL = "stub-echo"
TEXT = """Three groups of tables belong to the shop, and 客户 is one of them:

1. **Facts**: `orders` and `payments`, with a row for each event.
2. **Dimensions**: `customers`, which change rarely.

| table | rows |
|---|---:|
| orders | 12,480 |
| customers | 3,210 |

```python
def newest(rows: list[int]) -> int:
    return max(rows)
```
"""
REQUESTS = 30


class NotFilled(RuntimeError):
    """A turn of the conversation failed; the message is its error."""


def measure(site: Site, scale: Scale) -> dict[str, float]:
    conversation = asyncio.run(_fill(site, scale.messages))
    path, name = f"/c/{conversation}/", f"page.{scale.messages}"
    first_ms, _ = _open(site, path)
    meter = Meter(lambda: site.product.pids)
    meter.begin()
    times, sizes = zip(*(_open(site, path) for _ in range(REQUESTS)), strict=True)
    web_ms = meter.end().by_role.get("web", 0.0)
    return {
        f"{name}.first_open_ms": first_ms,
        f"{name}.open_ms": statistics.median(times),
        f"{name}.wire_kb": statistics.median(sizes) / 1000,
        f"{name}.web_cpu_ms": web_ms / REQUESTS,
    }


async def _fill(site: Site, messages: int) -> str:
    """The UUID of a new conversation of the first user's, with so many messages: a question and an
    answer each turn. Raises NotFilled."""
    cookies = site.cookies.read_text().splitlines()
    target = Target(site.product.url, cookies, site.model(MODEL), TEXT)
    client = LoadClient(target, 0, Plan(1, tokens=0))
    await client.open()
    for _ in range(messages // 2):
        if error := (await client.turn(timeout=20.0)).error:
            raise NotFilled(error)
    client.close()
    assert client.conversation
    return client.conversation


def _open(site: Site, path: str) -> tuple[float, int]:
    """Milliseconds until the whole page has come, and the bytes of its body on the wire."""
    cookie = site.cookies.read_text().splitlines()[0]
    body, elapsed_ms = fetch(site.product.url, path, cookie)
    return elapsed_ms, len(body)
