"""The provider of a model by the names of the conventions, from the address of the endpoint."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tracing.export.otlp.otlp_span import Attributes

# `gen_ai.provider.name`: the convention's names by domain.
_NAMES = {
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


def provider_name(generation: Mapping[str, Any]) -> str:
    """A name of the convention, or the provider's own name in the same style."""
    host, _ = address(str(generation.get("base_url") or ""))
    labels = host.split(".")
    domains = (".".join(labels[place:]) for place in range(len(labels)))
    name = next((_NAMES[domain] for domain in domains if domain in _NAMES), "")
    own_name = re.sub(r"[^\w.]+", "_", str(generation.get("provider") or "").lower())
    return name or own_name or "unknown"


def system_name(generation: Mapping[str, Any]) -> str:
    """OpenInference's `llm.system`: the provider whose protocol is used."""
    return "anthropic" if generation.get("dialect") == "anthropic" else "openai"


def address(url: str) -> tuple[str, int | None]:
    """Host and port of a URL; "" and None without them."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None


def server(url: str) -> Attributes:
    host, port = address(url)
    if not host:
        return {}
    result: Attributes = {"server.address": host}
    return {**result, "server.port": port} if port else result
