"""What a model call cost, from what was used of it and the prices of that time."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

MILLION = Decimal(1_000_000)


def cost(usage: Any, prices: Any) -> Decimal | None:
    """US dollars; None where the usage or a price that it needs is not known.

    `usage` as the provider reported it, under the names of chat completions (tokens from the cache
    are part of `prompt_tokens`), and `prices` as a generation's span keeps them: US dollars for a
    million tokens, as text, by `in`, `cached`, `out`. Without a price of their own cached tokens
    cost what others do.
    """
    if not isinstance(usage, Mapping) or not isinstance(prices, Mapping):
        return None
    known = {name: _price(prices.get(name)) for name in ("in", "cached", "out")}
    read, written = counted(usage.get("prompt_tokens")), counted(usage.get("completion_tokens"))
    if not read and not written:
        return None
    cached = min(read, cached_tokens(usage))
    charged = (
        (read - cached, known["in"]),
        (cached, known["in"] if known["cached"] is None else known["cached"]),
        (written, known["out"]),
    )
    total = Decimal(0)
    for count, price in charged:
        if count and price is None:
            return None
        total += count * (price or Decimal(0))
    return total / MILLION


def cached_tokens(usage: Any) -> int:
    """Tokens in that came from the provider's cache, by whichever name it reports them."""
    if not isinstance(usage, Mapping):
        return 0
    details = usage.get("prompt_tokens_details")
    inner = details.get("cached_tokens") if isinstance(details, Mapping) else None
    names = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
    return max(counted(inner), *(counted(usage.get(name)) for name in names))


def counted(figure: Any) -> int:
    """A number of tokens as a provider reported it; 0 for anything that counts none."""
    known = isinstance(figure, int) and not isinstance(figure, bool) and figure > 0
    return figure if known else 0


def _price(written: Any) -> Decimal | None:
    if not isinstance(written, str | int) or isinstance(written, bool):
        return None
    try:
        price = Decimal(written)
    except InvalidOperation:
        return None
    return price if price.is_finite() and price >= 0 else None
