"""The cost of a model call, from its usage and the prices at its time."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

MILLION = Decimal(1_000_000)


def cost(usage: Any, prices: Any) -> Decimal | None:
    """US dollars; None if the usage or a price that it needs is not known.

    `usage`: as the provider reported it, by the names of chat completions (`prompt_tokens` includes
    cached tokens). `prices`: US dollars per million tokens, as text, by `in`, `cached`, `out`.
    Without a price for cached tokens `in` applies to them.
    """
    if not isinstance(usage, Mapping) or not isinstance(prices, Mapping):
        return None
    rates = {name: _price(prices.get(name)) for name in ("in", "cached", "out")}
    prompt = token_count(usage.get("prompt_tokens"))
    completion = token_count(usage.get("completion_tokens"))
    if not prompt and not completion:
        return None
    cached = min(prompt, cached_tokens(usage))
    items = (
        (prompt - cached, rates["in"]),
        (cached, rates["in"] if rates["cached"] is None else rates["cached"]),
        (completion, rates["out"]),
    )
    total = Decimal(0)
    for count, price in items:
        if count and price is None:
            return None
        total += count * (price or Decimal(0))
    return total / MILLION


def cached_tokens(usage: Any) -> int:
    """Count of prompt tokens from the provider's cache, by any of the names that providers use."""
    if not isinstance(usage, Mapping):
        return 0
    details = usage.get("prompt_tokens_details")
    inner = details.get("cached_tokens") if isinstance(details, Mapping) else None
    names = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
    return max(token_count(inner), *(token_count(usage.get(name)) for name in names))


def is_estimated(usage: Any) -> bool:
    """Whether the tokens of a usage are estimated, because the provider did not report them."""
    return isinstance(usage, Mapping) and usage.get("estimated") is True


def token_count(figure: Any) -> int:
    """A count of tokens as a provider reported it; 0 for anything that is no count."""
    is_count = isinstance(figure, int) and not isinstance(figure, bool) and figure > 0
    return figure if is_count else 0


def _price(value: Any) -> Decimal | None:
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    try:
        price = Decimal(value)
    except InvalidOperation:
        return None
    return price if price.is_finite() and price >= 0 else None
