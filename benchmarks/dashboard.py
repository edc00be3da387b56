"""Times of the dashboard's page and of `/metrics`, over the metrics of 90 days.

    python -m benchmarks.dashboard               10 models, 30 tools, every hour of 90 days

Fills a database (`DATABASE_URL`, or SQLite in a temporary folder) with the metrics of about a
million spans, and times the views in this process, without a network. Writes
`benchmarks/results/dashboard.json`.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

RESULT = Path(__file__).parent / "results" / "dashboard.json"
DAYS = 90
PERIODS = ("24h", "7d", "30d", "90d")
REPEATS = 9


def seed(models: int, tools: int) -> int:
    """Creates metrics of each hour, day, week and of all time; returns the number of spans."""
    from django.utils import timezone

    from tracing.models import Metric
    from tracing.stats.aggregates.counters import Counters
    from tracing.stats.aggregates.metrics import Place, places

    now = timezone.now()
    totals: defaultdict[Place, Counters] = defaultdict(Counters)
    for number in range(DAYS * 24):
        moment = now - timedelta(hours=number)
        for key, counters in _hour_of_counters(models, tools):
            for place in places(moment, key):
                totals[place].add(counters)
    Metric.objects.bulk_create(map(_metric, totals.items()), batch_size=2000)
    return sum(counters.count for place, counters in totals.items() if place.period == "ever")


def _metric(total: Any) -> Any:
    from tracing.models import Metric
    from tracing.stats.aggregates.counters import row_columns

    place, counters = total
    figures = row_columns(counters)
    return Metric(**place._asdict(), **figures)


def _hour_of_counters(models: int, tools: int) -> Iterator[Any]:
    from tracing.stats.aggregates.counters import Counters, Key

    kinds = [
        *(Key("turn", "turn", end) for end in ("succeeded", "failed", "stopped")),
        *(Key("generation", f"Provider {n % 3}", f"model-{n}") for n in range(models)),
        *(Key("tool", f"server-{n % 6}", f"tool_{n}") for n in range(tools)),
    ]
    for key in kinds:
        counters = Counters(count=0)
        for _ in range(random.randint(4, 16)):
            counters.count += 1
            counters.add_duration(random.lognormvariate(7, 1.2), None)
            counters.tokens_in += 2_000
            counters.tokens_out += 100
            counters.cost += Decimal("0.0031")
            if key.kind != "tool":
                counters.add_first_token(random.lognormvariate(6, 0.7))
            if random.random() < 0.02:
                counters.add_error("The server did not answer within 60 s.", None)
        yield key, counters


def measure_page(client: Any, address: str) -> dict[str, float]:
    """Wall-clock and CPU milliseconds of `REPEATS` requests, and the bytes of a response."""
    times, busy = [], []
    for _ in range(REPEATS):
        began, worked = time.perf_counter(), time.process_time()
        response = client.get(address)
        times.append((time.perf_counter() - began) * 1000)
        busy.append((time.process_time() - worked) * 1000)
        assert response.status_code == 200, response.status_code
    return {
        "p50_ms": round(statistics.median(times), 1),
        "max_ms": round(max(times), 1),
        "cpu_p50_ms": round(statistics.median(busy), 1),
        "bytes": len(response.content),
    }


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
    addresses.append("/metrics")
    for address in addresses:
        client.get(address)  # loads templates and opens connections
    results = {address: measure_page(client, address) for address in addresses}
    return {
        "database": connection.vendor,
        "spans": spans,
        # Wall-clock times are of little use if it is above the number of cores.
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "pages": results,
    }


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
    results = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    results[result["database"]] = result
    RESULT.write_text(json.dumps(results, indent=2) + "\n")
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
