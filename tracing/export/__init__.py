"""Traces for other programs.

- `trace_json`: a trace as JSON
- `compact_json`: the same, with repeated elements once
- `cassettes`, `cassette_views`: a trace as a cassette
- `otlp/`: spans for an OpenTelemetry collector
"""
