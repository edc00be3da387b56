"""Telling from a provider's words that a request was longer than the model's context window.

There is no standard for it. OpenAI has the code `context_length_exceeded`, Anthropic the words
"prompt is too long", vLLM, SGLang, llama.cpp, Ollama and Gemini sentences of their own.
"""

import re

from chat.llm.errors import ProviderError, ProviderFailure, StatusFailure

# Statuses with which a request is refused for what it is; 413 says by itself that it is too large.
REFUSALS = frozenset({400, 413, 422})
_WORDS = re.compile(
    r"context_length_exceeded|context[_ ](?:length|window|size)|maximum context|max_model_len"
    r"|(?:prompt|input|request|messages?)(?: is| are|:)? (?:too long|too large)"
    r"|too many (?:input |prompt )?tokens|input token count"
    r"|(?:maximum|max) (?:number of )?(?:input |prompt )?tokens (?:allowed|is|of)"
    r"|reduce the length",
    re.IGNORECASE,
)


def is_too_long(error: ProviderFailure) -> bool:
    """Whether a shorter request may be taken."""
    if isinstance(error, StatusFailure):
        if error.status == 413:
            return True
        return error.status in REFUSALS and _says_so(error)
    return isinstance(error, ProviderError) and (
        error.code == "context_length_exceeded" or _says_so(error)
    )


def _says_so(error: ProviderFailure) -> bool:
    said = error.detail + error.evidence.decode(errors="replace")
    return _WORDS.search(said) is not None
