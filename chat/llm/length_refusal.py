"""Recognizes a provider's refusal of a request that is longer than the context window, and reads
both lengths from it.

There is no standard for it. OpenAI has the code `context_length_exceeded`, Anthropic the words
"prompt is too long", llama.cpp the fields `n_ctx` and `n_prompt_tokens`; all others sentences of
their own, most of which name the window and what the request had.
"""

import re
from dataclasses import dataclass

from chat.llm.errors import ProviderError, ProviderFailure, StatusFailure
from limits.models import MAX_REFUSED_WINDOW

# Statuses of such refusals; 413 alone means that the request is too large.
# llama.cpp has answered 500, OpenAI's and Groq's limits of tokens a minute 429 and 413.
REFUSALS = frozenset({400, 413, 422, 429, 500})
# A smaller number is not a context window.
MIN_WINDOW = 64

_WORDS = re.compile(
    r"context_length_exceeded|exceed_context_size|model_context_window_exceeded"
    r"|context[_ ](?:length|window|size|limit)|maximum context|max_model_len"
    r"|maximum (?:model|prompt|input) length|model token limit|range of input length"
    r"|(?:prompt|inputs?|request|messages?)(?: is| are|:)? (?:too long|too large)"
    r"|(?:prompt|request|messages?) (?:contains|has) \d+ tokens.{0,40} too large"
    r"|too many (?:input |prompt )?tokens|input token count"
    r"|(?:maximum|max) (?:number of )?(?:input |prompt )?tokens (?:allowed|is|of)"
    r"|input tokens exceed|`inputs`.{0,30}(?:must be <=|must have less than)"
    r"|reduce the length",
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,_]{0,20})"


def _patterns(*words: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(word.replace("N", _NUMBER), re.IGNORECASE | re.DOTALL) for word in words
    )


# The first match counts.
_WINDOW = _patterns(
    r'"n_ctx"\s*:\s*N',  # llama.cpp
    r"context (?:length|window|size)(?: of the model)?(?: is|:| of)?(?: only)? N",  # OpenAI, vLLM …
    r"maximum (?:model|prompt|input|context) length(?: is| of|:)?(?: only)? N",  # xAI, vLLM
    r"context (?:length|size) \(?N",  # SGLang, llama.cpp
    r"N (?:tokens? )?(?:maximum context length|maximum\b|max\b)",  # Mistral, Anthropic
    r"(?:\+ \d+|\d) > N",  # Anthropic: with max_tokens
    r"context window of N",  # llama-cpp-python
    r"tokens allowed \(?N",  # Gemini
    r"(?:configured |model token |token )limit(?: is| of|:)? N",  # OpenAI, Moonshot
    r"limit is N",  # Cerebras
    r"must be <= N",  # TGI, Together
    r"must have less than N",  # TGI
    r"cannot exceed N",  # Cohere
    r"length should be \[\d+, N\]",  # DashScope
    r"\(TPM\):? Limit N",  # Groq, OpenAI: a limit of tokens a minute, which no such request meets
)
_REQUEST = _patterns(
    r'"n_prompt_tokens"\s*:\s*N',
    r"\(N in (?:the messages|your prompt)",
    r"\(N of text input",
    r"N tokens from the input messages",
    r"(?:messages|prompt) resulted in N",
    r"request (?:has|contains) N",
    r"prompt contains N",
    r"(?:too long|too large): N",
    r"exceed context limit: N",
    r"input token count \(?N",
    r"You passed N input",
    r"(?:request|input|prompt|tokens) \((?:length )?N",
    r"Given: N",
    r"received N",
    r"requested: N",
    r"length is N while",
    r"Requested N",
    r"you (?:requested|asked for) (?:about |a total of )?N",
)


@dataclass(frozen=True)
class Refusal:
    """A refusal of a request as too long. `window`: the model's context window; `request_tokens`:
    the length of the request; both in tokens, 0 where the provider named none."""

    window: int = 0
    request_tokens: int = 0
    # Whether the message is about tokens; a bare 413 may be a proxy's limit of bytes.
    is_about_tokens: bool = True


def refusal_of(error: ProviderFailure | None) -> Refusal | None:
    """The refusal, if a shorter request may succeed; None for any other error."""
    if error is None or not is_too_long(error):
        return None
    text = _error_text(error)
    window = _first(_WINDOW, text)
    if not MIN_WINDOW <= window <= MAX_REFUSED_WINDOW:
        window = 0
    return Refusal(window, _first(_REQUEST, text), _WORDS.search(text) is not None)


def is_too_long(error: ProviderFailure) -> bool:
    """Whether a shorter request may succeed."""
    if isinstance(error, StatusFailure):
        if error.status == 413:
            return True
        return error.status in REFUSALS and _WORDS.search(_error_text(error)) is not None
    return isinstance(error, ProviderError) and (
        error.code in ("context_length_exceeded", "exceed_context_size_error")
        or _WORDS.search(_error_text(error)) is not None
    )


def _error_text(error: ProviderFailure) -> str:
    return f"{error.detail}\n{error.evidence.decode(errors='replace')}"


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    for pattern in patterns:
        if match := pattern.search(text):
            return int(match[1].replace(",", "").replace("_", ""))
    return 0
