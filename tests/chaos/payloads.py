"""Every payload put together again and compared with its hash, and the hashes of all requests.

Runs in the product's settings: JSON in (an empty object), JSON out: `count`, `corrupt` (a list of
`span`, `stage`, `trace`, `error`), `requests` (SHA-256 of the bytes that were sent: how often).
"""

import json
import os
import sys
from collections import Counter
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if __name__ == "__main__":
    django.setup()

from tracing.errors import PayloadCorrupt
from tracing.models import Payload
from tracing.store import payloads


def examine() -> dict[str, Any]:
    """The JSON value that this module answers."""
    rows = Payload.objects.select_related("span__trace").order_by("pk")
    corrupt = []
    requests: Counter[str] = Counter()
    count = 0
    for row in rows.iterator(chunk_size=200):
        count += 1
        if row.stage == Payload.Stage.REQUEST:
            requests[bytes(row.sha256_sent or row.sha256).hex()] += 1
        try:
            payloads.load(row)
        except PayloadCorrupt as error:
            corrupt.append(_finding(row, error))
    return {"count": count, "corrupt": corrupt, "requests": requests}


def _finding(row: Payload, error: PayloadCorrupt) -> dict[str, str]:
    return {
        "span": str(row.span.public_id),
        "stage": row.stage,
        "trace": str(row.span.trace.public_id),
        "error": str(error),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(examine()))
