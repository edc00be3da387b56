"""Finished traces as OpenTelemetry spans and metrics, sent to a collector over OTLP/HTTP.

    Trace, Spans, Payloads ── mapping ──► Mapped ── collector ──► OTLP/HTTP
                                             └───── metrics ────► OTLP/HTTP

The names of `gen_ai.*` still change ("development"): they are made here, when a trace leaves, and
nothing that is stored is named after them. Only `collector` and `metrics` import the SDK, and only
when something is sent.
"""
