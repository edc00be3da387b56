"""python -m benchmarks.pages [--repeats 15] [--only TEXT]: times the pages of traces in the
database of ROUNDTRIP_HOME or DATABASE_URL, which `benchmarks.traces` has filled."""

import argparse
import os
import statistics
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from benchmarks.figures import percentile
from benchmarks.pages.cases import Case, cases
from benchmarks.pages.report import Timing, write
from tracing.models import Span, Trace

# Requests of a page before it is timed.
WARM_UP_REQUESTS = 2


def measure(client: Client, case: Case, repeats: int) -> Timing:
    walls, cpus, size = [], [], 0
    for number in range(WARM_UP_REQUESTS + repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = client.get(case.address)
        if number >= WARM_UP_REQUESTS:
            walls.append((time.perf_counter() - wall) * 1000)
            cpus.append((time.process_time() - cpu) * 1000)
        if answer.status_code != 200:
            raise SystemExit(f"{case.address}: {answer.status_code}")
        size = len(answer.content)
    p95 = percentile(sorted(walls), 95)
    median, cpu = statistics.median(walls), statistics.median(cpus)
    return Timing(case.name, case.aim_ms, round(median, 1), round(p95, 1), round(cpu, 1), size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--only", default="", help="cases with this in their name; writes nothing")
    options = parser.parse_args()
    settings.ALLOWED_HOSTS = ["testserver"]
    load = os.getloadavg()[0]
    timings = []
    for case in cases():
        if options.only in case.name:
            client = Client()
            client.force_login(User.objects.get(username=case.user))
            timings.append(measure(client, case, options.repeats))
            print(timings[-1], flush=True)
    if not options.only:
        database = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
        traces, spans = Trace.objects.count(), Span.objects.count()
        print(write(database, traces, spans, load, timings))


if __name__ == "__main__":
    main()
