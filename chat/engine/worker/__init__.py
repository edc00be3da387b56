"""A worker process.

celery_signals  the timer starts with the worker; leases end with it
worker_timer    every 2 seconds: leases, stop flags, what nobody runs
periodic_tasks  work in threads beside it; `chat.periodic` says which
running         the turns of this process, and how to interrupt them
interruption    interrupting work that a thread waits for
stopped         calls whose turn is over or is to stop
identity        the name of this process in `owner` columns
"""
