"""Angles of `Decimal`s by `mpmath`, in the current context's precision."""

from decimal import Decimal, getcontext
from functools import cache
from typing import Any

GUARD = 10  # digits computed beyond the precision asked for
# Bits of π that the library computes at first use and keeps for all threads: more than it asks for
# with any angle that is allowed here.
PI_BITS = 4_000


def pi() -> Decimal:
    return _value("mpf_pi")


def sin(x: Decimal) -> Decimal:
    return _value("mpf_sin", x)


def cos(x: Decimal) -> Decimal:
    return _value("mpf_cos", x)


def asin(x: Decimal) -> Decimal:
    return _value("mpf_asin", x)


def acos(x: Decimal) -> Decimal:
    return _value("mpf_acos", x)


def atan(x: Decimal) -> Decimal:
    return _value("mpf_atan", x)


def _value(function: str, *arguments: Decimal) -> Decimal:
    library, digits = _library(), getcontext().prec + GUARD
    bits = library.dps_to_prec(digits)
    numbers = [library.from_str(str(x), bits) for x in arguments]
    return +Decimal(library.to_str(getattr(library, function)(*numbers, bits), digits))


@cache
def _library() -> Any:
    """Imported at first use: it takes 11 MB, and most processes never calculate an angle."""
    from mpmath import libmp

    libmp.mpf_pi(PI_BITS)
    return libmp
