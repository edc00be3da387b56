"""Who serves a model, by the names of the conventions, from the address of the endpoint."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tracing.export.otlp.mapped import Attributes

# `gen_ai.provider.name`: the names that the convention knows, by the end of the host's name.
_KNOWN = {
    "openai.com": "openai",
    "openai.azure.com": "azure.ai.openai",
    "anthropic.com": "anthropic",
    "claude.com": "anthropic",
    "aiplatform.googleapis.com": "gcp.vertex_ai",
    "generativelanguage.googleapis.com": "gcp.gemini",
    "amazonaws.com": "aws.bedrock",
    "services.ai.azure.com": "azure.ai.inference",
    "cohere.com": "cohere",
    "cohere.ai": "cohere",
    "deepseek.com": "deepseek",
    "groq.com": "groq",
    "ml.cloud.ibm.com": "ibm.watsonx.ai",
    "mistral.ai": "mistral_ai",
    "moonshot.ai": "moonshot_ai",
    "moonshot.cn": "moonshot_ai",
    "perplexity.ai": "perplexity",
    "x.ai": "x_ai",
}
_PORTS = {"http": 80, "https": 443}


def provider_name(noted: Mapping[str, Any]) -> str:
    """A known name, or the name that the provider has here, in the same style."""
    host, _ = address(str(noted.get("base_url") or ""))
    labels = host.split(".")
    ends = (".".join(labels[place:]) for place in range(len(labels)))
    known = next((_KNOWN[end] for end in ends if end in _KNOWN), "")
    return known or re.sub(r"[^\w.]+", "_", str(noted.get("provider") or "").lower()) or "unknown"


def system_name(noted: Mapping[str, Any]) -> str:
    """OpenInference's `llm.system`: whose protocol is spoken."""
    return "anthropic" if noted.get("dialect") == "anthropic" else "openai"


def address(url: str) -> tuple[str, int | None]:
    """Host and port of a URL; empty and None if it has none."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None


def server(url: str) -> Attributes:
    host, port = address(url)
    if not host:
        return {}
    found: Attributes = {"server.address": host}
    return {**found, "server.port": port} if port else found
