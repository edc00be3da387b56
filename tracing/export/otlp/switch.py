"""What the environment says about export, by OpenTelemetry's own variables.

Content leaves only if `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` says `SPAN_ONLY` or
`SPAN_AND_EVENT` (the convention's names), or `true` (what it was before there were names). Events
are not sent, so `EVENT_ONLY` is as `NO_CONTENT`, the default.
"""

import os
from hashlib import sha256
from urllib.parse import urlsplit

_CONTENT = frozenset({"true", "1", "span_only", "span_and_event"})
_PROTOCOL = "http/protobuf"


def sends_traces() -> bool:
    return _is_on("TRACES")


def sends_metrics() -> bool:
    return _is_on("METRICS")


def sends_content() -> bool:
    return _said("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").lower() in _CONTENT


def destination() -> str:
    """Where traces go, without what may be secret in it: `host:port/path`."""
    parts = urlsplit(_endpoint("TRACES"))
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")


def place() -> str:
    """What tells this destination from others, and gives nothing away."""
    return sha256(_endpoint("TRACES").encode()).hexdigest()


def problem() -> str:
    """Why nothing could be sent, as a sentence; empty if nothing speaks against it."""
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if _said(name) not in ("", _PROTOCOL):
            return f"{name} is {_said(name)!r}; only {_PROTOCOL} is spoken."
    if urlsplit(_endpoint("TRACES")).scheme not in ("http", "https"):
        return "The endpoint's URL does not begin with http:// or https://."
    return ""


def _is_on(signal: str) -> bool:
    if _said("OTEL_SDK_DISABLED").lower() == "true":
        return False
    if _said(f"OTEL_{signal}_EXPORTER").lower() == "none":
        return False
    return bool(_endpoint(signal))


def _endpoint(signal: str) -> str:
    return _said(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT") or _said("OTEL_EXPORTER_OTLP_ENDPOINT")


def _said(name: str) -> str:
    return os.environ.get(name, "").strip()
