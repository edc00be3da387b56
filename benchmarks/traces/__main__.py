"""python -m benchmarks.traces [--traces 100000]: fills the database of ROUNDTRIP_HOME or
DATABASE_URL, which has to be empty."""

import argparse
import os
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command

from benchmarks.traces.filling import fill


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=100_000)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    began = time.monotonic()
    counts = fill(options.traces, lambda line: print(line, file=sys.stderr))
    seconds = time.monotonic() - began
    print(f"{counts} in {seconds:.0f} s")


if __name__ == "__main__":
    main()
