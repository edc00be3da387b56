"""The dashboard: what went on over a stretch of time, from `Measure` rows alone, and what goes on
now, from the queues, the workers and the traces that run."""
