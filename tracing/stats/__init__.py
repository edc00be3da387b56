"""Figures over many traces.

- `aggregates/`: counters and histograms of ended traces
- `dashboard/`: the dashboard
- `prometheus/`: /metrics
- `worker_presence`: which workers are alive
"""
