"""`python -m benchmarks.stub --port 0`: a stub that prints its URL and runs until stopped."""

import argparse
import sys

from benchmarks.stub.running import serve


def announce(url: str) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="A stub model endpoint on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0, help="0 (the default): a free one")
    parser.add_argument("--no-log", action="store_true", help="keep no log of the requests")
    options = parser.parse_args()
    try:
        serve(options.port, not options.no_log, announce)
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
