"""How much work an expression of the calculator may be: every step pays before it is done.

    with limited():
        pay(CHEAP)  # a step of small numbers
        pay(of_sum(a, b))  # one whose price grows with the digits

A unit is about a microsecond of one core. Prices are upper bounds, measured with numbers that
have no factor in common: the greatest common divisor is what fractions cost most.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

from limits.tools import MAX_EFFORT
from tools.errors import ToolError

TOO_MUCH = "the expression is too much work: calculate it in several parts, or with smaller numbers"
# A step of small numbers, and a function of one with 50 digits.
CHEAP = 8
SERIES = 200
# By bits of the first number times bits of the second.
GCD = 5e-6
PRODUCT = 1e-6
CONVERSION = 12e-6  # of an integer to a `Decimal`: by its bits squared
BITS_A_DIGIT = math.log2(10)

_left: ContextVar[float] = ContextVar("_left", default=math.inf)


@contextmanager
def limited(units: float = MAX_EFFORT) -> Iterator[None]:
    """What is paid for within may be so much in all."""
    before = _left.set(units)
    try:
        yield
    finally:
        _left.reset(before)


def pay(units: float) -> None:
    """Raises ToolError if there is not that much left."""
    left = _left.get() - units
    if left < 0:
        raise ToolError(TOO_MUCH)
    _left.set(left)


def of_reading(text: str, exponent: int) -> float:
    """A number with so many characters, times a power of ten."""
    written, shift = len(text) * BITS_A_DIGIT, abs(exponent) * BITS_A_DIGIT
    return CHEAP + GCD * written * (written + shift) + PRODUCT * shift**2


def of_sum(a: Fraction, b: Fraction) -> float:
    below = a.denominator.bit_length() * b.denominator.bit_length()
    return of_product(a, b) + 2 * GCD * below


def of_product(a: Fraction, b: Fraction) -> float:
    (above_a, below_a), (above_b, below_b) = bits(a), bits(b)
    products = (above_a + below_a) * (above_b + below_b)
    return CHEAP + GCD * (above_a * below_b + above_b * below_a) + PRODUCT * products


def of_quotient(a: Fraction, b: Fraction) -> float:
    (above_a, below_a), (above_b, below_b) = bits(a), bits(b)
    products = (above_a + below_a) * (above_b + below_b)
    return CHEAP + GCD * (above_a * above_b + below_a * below_b) + PRODUCT * products


def of_power(digits: float) -> float:
    """A whole power that has so many digits, above and below."""
    return CHEAP + 2 * PRODUCT * (digits * BITS_A_DIGIT) ** 2


def of_root(a: Fraction) -> float:
    """The whole parts of two roots, and the comparison with their square."""
    above, below = bits(a)
    return 2 * CHEAP + 2 * GCD * (above + below) ** 2 / 4


def of_whole_part(a: Fraction) -> float:
    above, below = bits(a)
    return CHEAP + PRODUCT * above * below


def of_rounding(a: Fraction, places: int) -> float:
    (above, below), shift = bits(a), round(abs(places) * BITS_A_DIGIT)
    return 2 * CHEAP + GCD * ((above + shift) * (below + shift) + shift * (above + below))


def of_comparisons(numbers: Sequence[Fraction]) -> float:
    sizes = [sum(bits(number)) for number in numbers]
    return CHEAP * len(sizes) + PRODUCT * sum(sizes) * max(sizes)


def of_decimal(a: Fraction) -> float:
    """Both parts as a `Decimal`, and their quotient."""
    above, below = bits(a)
    return CONVERSION * (above**2 + below**2)


def bits(a: Fraction) -> tuple[int, int]:
    """Above and below the line."""
    return a.numerator.bit_length(), a.denominator.bit_length()
