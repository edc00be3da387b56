"""How long the dashboard's page and `/metrics` take to make, over 90 days of figures.

    python -m benchmarks.dashboard               10 models, 30 tools, every hour of 90 days

Seeds a database of its own (`DATABASE_URL`, or SQLite in a folder that goes) with what the digest
would have counted of about a million spans, and times the views in this process, without a network.
Writes `benchmarks/results/dashboard.json`.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

RESULT = Path(__file__).parent / "results" / "dashboard.json"
DAYS = 90
PERIODS = ("24h", "7d", "30d", "90d")
REPEATS = 9


def seed(models: int, tools: int) -> int:
    """Rows of every hour, day, and all time. Answers how many spans they are of."""
    from django.utils import timezone

    from tracing.models import Measure

    now = timezone.now()
    rows: dict[Any, Measure] = {}
    for number in range(DAYS * 24):
        for measure in _hour(now - timedelta(hours=number), models, tools):
            _add(rows, measure)
    Measure.objects.bulk_create(rows.values(), batch_size=2000)
    return sum(row.count for row in rows.values() if row.period == "ever")


def _hour(moment: datetime, models: int, tools: int) -> Iterator[Any]:
    from tracing.digest.tally import Key, Tally

    kinds = [
        *(Key("turn", "turn", end) for end in ("succeeded", "failed", "stopped")),
        *(Key("generation", f"Provider {n % 3}", f"model-{n}") for n in range(models)),
        *(Key("tool", f"server-{n % 6}", f"tool_{n}") for n in range(tools)),
    ]
    for key in kinds:
        tally = Tally(count=0)
        for _ in range(random.randint(4, 16)):
            tally.count += 1
            tally.took(random.lognormvariate(7, 1.2), None)
            tally.tokens_in += 2_000
            tally.tokens_out += 100
            tally.cost += Decimal("0.0031")
            if key.kind != "tool":
                tally.began(random.lognormvariate(6, 0.7))
            if random.random() < 0.02:
                tally.failed("The server did not answer within 60 s.", None)
        yield moment, key, tally


def _add(rows: dict[Any, Any], counted: Any) -> None:
    from tracing.digest.measures import places
    from tracing.digest.tally import columns, read
    from tracing.models import Measure

    moment, key, tally = counted
    for place in places(moment, key):
        row = rows.get(place)
        if row is None:
            given = {"period": place.period, "hour": place.hour, **key._asdict()}
            row = rows[place] = Measure(**given)
        total = read(row)
        total.add(tally)
        for name, value in columns(total).items():
            setattr(row, f"{name}_id" if name in ("slowest", "last_failed") else name, value)


def timed(client: Any, address: str) -> dict[str, float]:
    """Milliseconds of a few requests, and the bytes of one."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        response = client.get(address)
        times.append((time.perf_counter() - began) * 1000)
        assert response.status_code == 200, response.status_code
    p50 = statistics.median(times)
    return {"p50_ms": round(p50, 1), "max_ms": round(max(times), 1), "bytes": len(response.content)}


def measure(models: int, tools: int) -> dict[str, Any]:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    spans = seed(models, tools)
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.create_superuser(f"admin-{os.getpid()}"))
    addresses = [f"/traces/dashboard/?period={period}" for period in PERIODS]
    results = {address: timed(client, address) for address in addresses}
    return {"database": connection.vendor, "spans": spans, "pages": results}


def main() -> int:
    parser = argparse.ArgumentParser(description="How long the dashboard takes to make.")
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--tools", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"ROUNDTRIP_HOME": home, "DJANGO_SETTINGS_MODULE": "config.settings"}
        import django

        django.setup()
        result = measure(options.models, options.tools)
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    kept[result["database"]] = result
    RESULT.write_text(json.dumps(kept, indent=2) + "\n")
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
