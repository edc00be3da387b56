"""Traces for other programs.

- `trace_json`, `json_shapes`: a trace as JSON, and the types of its objects
- `compact_json`: the compact form, in which a repeated element stands once
- `cassettes`, `cassette_shapes`, `cassette_views`: traces as a cassette
- `otlp/`: spans for an OpenTelemetry collector
"""
