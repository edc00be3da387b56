"""The dashboard: what went on over a stretch of time, from `Metric` rows alone, and what goes on
now, from the queues, the workers and the traces that run."""
