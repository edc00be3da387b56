"""`python -m config.work QUEUE THREADS [PROCESSES]`: worker processes of one queue."""

import sys
import warnings
from functools import partial

from celery.exceptions import SecurityWarning

from config.celery import app
from config.forking import Forks
from host import interpreter
from limits.processes import MAX_REDIS_SILENCE_S


def main(queue: str, threads: str, processes: str = "1") -> int:
    """Works for the queue, in one process or in several that are forked from this one."""
    if int(processes) == 1:
        return work(queue, int(threads))
    app.loader.import_default_modules()
    return Forks(int(processes), partial(work, queue, int(threads))).run()


def work(queue: str, threads: int) -> int:
    """Does what `celery -A config worker -P threads` does, without Celery's command line."""
    # Whether it runs as root is the operator's choice; see docs/operations.md.
    warnings.simplefilter("ignore", SecurityWarning)
    interpreter.favour_event_loop()
    app.conf.broker_transport_options["socket_timeout"] = MAX_REDIS_SILENCE_S
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
