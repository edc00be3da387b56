"""A worker process.

celery_signals  the timer starts before Redis is reached; the worker's end releases its work
ring_reader     takes the rings of turns from Redis
worker_timer    every 2 seconds: leases, stop flags, runnable work without an owner
periodic_tasks  work in threads beside the timer; `chat.periodic` lists it
counting        figures of ended traces
running_turns   the turns of this process, and how to interrupt them
interruption    interrupting work that a thread waits for
draining        what a worker that ends does with its tool calls
stopped_calls   interrupting calls whose turn is over or is to stop
identity        the name of this process in `owner` columns
"""
