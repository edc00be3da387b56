"""Recognizes a provider's error that the account has no credit left, so that waiting is useless.

There is no standard for it. OpenAI answers 429 with the code `insufficient_quota` (or 400 with
`billing_hard_limit_reached`), Anthropic 400 "Your credit balance is too low", DeepSeek and
OpenRouter 402. A 429 without such a word is a rate limit, Gemini's "current quota" too.
"""

import re
from typing import Any

PAYMENT_REQUIRED = "402"
_CODES = re.compile(
    r"insufficient_(?:quota|balance|credits?|funds)|billing_(?:hard_limit_reached|not_active)"
    r"|billing_error|payment_required|out_of_credits?|credits?_exhausted|no_credits?"
    r"|quota_exhausted|account_overdue|arrearage",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"credit balance is too low|insufficient (?:quota|balance|credits?|funds)"
    r"|billing hard limit|(?:run|ran) out of credits?|no credits? (?:left|remaining)"
    r"|account is not active, please check your billing|overdue payment",
    re.IGNORECASE,
)


def is_out_of_quota(status: int | None, error: Any) -> bool:
    """Whether a status, or an error within a stream, means so. `error`: as the provider sent it,
    `{"message", "type"?, "code"?}` or text."""
    if str(status) == PAYMENT_REQUIRED:
        return True
    if not isinstance(error, dict):
        return isinstance(error, str) and _WORDS.search(error) is not None
    codes = [str(error.get(key) or "") for key in ("code", "type", "status")]
    message = error.get("message")
    return (
        PAYMENT_REQUIRED in codes
        or any(_CODES.fullmatch(code) for code in codes)
        or (isinstance(message, str) and _WORDS.search(message) is not None)
    )
