"""Finished traces as OpenTelemetry spans and metrics, sent to a collector over OTLP/HTTP.

    Trace, Spans, Payloads ── mapping ──► OTLPSpan ── collector ──► OTLP/HTTP
                          └───────────── metrics ────────────────► OTLP/HTTP

The conventions of `gen_ai.*` still change (their status is "development"), so their names are used
here only, at export; stored data has names of its own. Only `collector` and `metrics` import the
SDK, when something is sent.

- `switch`: the variables of the environment that turn export on
- `beat`: the thread of a worker that exports
- `sender`, `due`: which traces are sent, retries, and the mark that they were
- `mapping`: a trace as OpenTelemetry spans
- `generations`, `tools`: the attributes of a model call and of a tool call
- `messages`, `providers`, `errors`: messages, names of providers and `error.type`
- `content`: the payloads that a span carries
- `limits`: how much of a text and of a conversation a span carries
- `ids`: trace and span ids
- `otlp_span`: the value types
- `collector`, `web`: sending, by the SDK's exporter and our HTTP session
- `metrics`: histograms of model calls
"""
