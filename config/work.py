"""`python -m config.work QUEUE THREADS`: a worker of one queue."""

import sys
import warnings

from celery.exceptions import SecurityWarning

from config.celery import app
from limits.processes import MAX_REDIS_SILENCE_S

# How long a thread may keep the interpreter while the loop has tokens to pass on. The default is
# 5 ms, as long as a token should take in all.
SWITCH_SECONDS = 0.0005


def main(queue: str, threads: str) -> int:
    """What `celery -A config worker -P threads` does, without the command line's machinery."""
    # As whom it runs is the operator's choice; docs/operations.md has a word on it.
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
