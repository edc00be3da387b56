"""`python -m config.work QUEUE THREADS`: a worker process of one queue."""

import sys
import warnings

from celery.exceptions import SecurityWarning

from config.celery import app
from limits.processes import MAX_REDIS_SILENCE_S

# Interpreter switch interval in seconds: how long a thread may delay the event loop, which passes
# on tokens. The default is 5 ms, the target for the whole latency of a token.
SWITCH_SECONDS = 0.0005


def main(queue: str, threads: str) -> int:
    """Does what `celery -A config worker -P threads` does, without Celery's command line."""
    # Whether it runs as root is the operator's choice; see docs/operations.md.
    warnings.simplefilter("ignore", SecurityWarning)
    sys.setswitchinterval(SWITCH_SECONDS)
    app.conf.broker_transport_options["socket_timeout"] = MAX_REDIS_SILENCE_S
    worker = app.Worker(
        pool="threads",
        concurrency=int(threads),
        queues=queue,
        hostname=f"{queue}@%h",
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
