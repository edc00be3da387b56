"""`python -m config.work QUEUE THREADS [PROCESSES]`: worker processes of one queue."""

import os
import sys
import warnings
from functools import partial

from celery.exceptions import SecurityWarning

from config.celery import app
from config.forking import Forks
from host import interpreter


def main(queue: str, threads: str, processes: str = "1") -> int:
    """Works for the queue, in one process or in several that are forked from this one."""
    if int(processes) == 1:
        return work(queue, int(threads), 0)
    app.loader.import_default_modules()
    return Forks(int(processes), partial(work, queue, int(threads))).run()


def work(queue: str, threads: int, number: int) -> int:
    """Does what `celery -A config worker` does, without Celery's command line. `number` is that of
    this process, from 0."""
    if port := int(os.environ.get("HEALTH_PORT") or 0):
        os.environ["HEALTH_PORT"] = str(port + number)
    # Whether it runs as root is the operator's choice; see docs/operations.md.
    warnings.simplefilter("ignore", SecurityWarning)
    interpreter.favour_event_loop()
    worker = app.Worker(
        pool="threads",
        concurrency=threads,
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
    sys.exit(main(*sys.argv[1:4]))
