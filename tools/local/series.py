"""Sine, cosine, arc tangent and π for `Decimal`, in the current context's precision.

Taylor series after range reduction, as in the recipes of Python's `decimal` documentation; the
terms stop when they no longer change the sum.
"""

from decimal import Decimal, getcontext, localcontext
from functools import cache

GUARD = 10  # digits computed beyond the precision asked for


@cache
def _pi(precision: int) -> Decimal:
    """Machin's formula: π = 16 arctan(1/5) - 4 arctan(1/239)."""
    with localcontext() as context:
        context.prec = precision + GUARD
        fifth, other = Decimal(1) / 5, Decimal(1) / 239
        return 16 * _atan_series(fifth) - 4 * _atan_series(other)


def pi() -> Decimal:
    return +_pi(getcontext().prec)


def sin(x: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec += GUARD
        angle = x % (2 * pi())
        term, total, n = angle, angle, 1
        while total + (term := -term * angle * angle / ((n + 1) * (n + 2))) != total:
            total, n = total + term, n + 2
    return +total


def cos(x: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec += GUARD
        shifted = x + pi() / 2
    return sin(shifted)


def atan(x: Decimal) -> Decimal:
    """In (-π/2, π/2). Halves the angle until the series converges quickly."""
    with localcontext() as context:
        context.prec += GUARD
        halvings = 0
        while abs(x) > Decimal("0.1"):
            x, halvings = x / (1 + (1 + x * x).sqrt()), halvings + 1
        total = _atan_series(x) * 2**halvings
    return +Decimal(total)


def _atan_series(x: Decimal) -> Decimal:
    power, total, n = x, x, 1
    while total + (term := (power := -power * x * x) / (n + 2)) != total:
        total, n = total + term, n + 2
    return total
