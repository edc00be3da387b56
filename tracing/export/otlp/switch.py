"""The configuration of export, by OpenTelemetry's own variables of the environment.

Content leaves only if `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `SPAN_ONLY` or
`SPAN_AND_EVENT` (the convention's values), or `true` (of earlier versions). Events are not sent, so
`EVENT_ONLY` is the same as `NO_CONTENT`, the default.
"""

import os
from hashlib import sha256
from importlib import metadata
from urllib.parse import urlsplit

_CONTENT = frozenset({"true", "1", "span_only", "span_and_event"})
_PROTOCOL = "http/protobuf"
# The distributions of the extra `otel`.
_DISTRIBUTIONS = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")


def sends_traces() -> bool:
    return _is_on("TRACES")


def sends_metrics() -> bool:
    return _is_on("METRICS")


def sends_content() -> bool:
    return _variable("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").lower() in _CONTENT


def destination() -> str:
    """The endpoint of traces without possible secrets: `host:port/path`."""
    parts = urlsplit(_endpoint("TRACES"))
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")


def place() -> str:
    """A hash that identifies the destination."""
    return sha256(_endpoint("TRACES").encode()).hexdigest()


def problem() -> str:
    """A sentence on what is wrong with the configuration; "" if nothing is."""
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if _variable(name) not in ("", _PROTOCOL):
            return f"{name} is {_variable(name)!r}; only {_PROTOCOL} is spoken."
    if urlsplit(_endpoint("TRACES")).scheme not in ("http", "https"):
        return "The endpoint's URL does not begin with http:// or https://."
    if not all(map(_is_installed, _DISTRIBUTIONS)):
        return (
            "The export needs packages that are not installed: pip install 'roundtrip[otel]'. In a "
            "checkout, make run installs them."
        )
    return ""


def _is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _is_on(signal: str) -> bool:
    if _variable("OTEL_SDK_DISABLED").lower() == "true":
        return False
    if _variable(f"OTEL_{signal}_EXPORTER").lower() == "none":
        return False
    return bool(_endpoint(signal))


def _endpoint(signal: str) -> str:
    return _variable(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT") or _variable(
        "OTEL_EXPORTER_OTLP_ENDPOINT"
    )


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()
