"""Numbers of the calculator: exact fractions as long as possible, 50-digit decimals after that.

`Fraction` carries everything that is rational (so `0.1 + 0.2` is `0.3`), `Decimal` what is not
(roots, logarithms, angles); all of it runs within the context `INNER`. Every operation checks the
size of its operands first (at most `MAX_DIGITS` digits) and pays for its work, so that no
expression can take long.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from operator import itemgetter

from limits.tools import MAX_ANGLE, MAX_DIGITS, MAX_EXACT_DIGITS, MAX_EXPONENT
from tools.errors import ToolError
from tools.local import effort, series

Number = Fraction | Decimal

BITS = int(MAX_DIGITS * math.log2(10))
INNER = Context(prec=50, Emax=MAX_DIGITS, Emin=-MAX_DIGITS, rounding=ROUND_HALF_EVEN)
SHOWN = Context(prec=28, Emax=10 * MAX_DIGITS, Emin=-10 * MAX_DIGITS, rounding=ROUND_HALF_EVEN)
SETTLED = 40  # digits of an inexact number that are certain
TOO_LARGE = f"the result is too large: more than {MAX_DIGITS:,} digits"
TOO_SMALL = f"the result is too small: more than {MAX_DIGITS:,} digits after the point"


def literal(text: str) -> Fraction:
    """An exact number from `12`, `1.5`, `.5`, `1e3`."""
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > MAX_DIGITS:
        raise ToolError(f"{text} is too large or too small: at most {MAX_DIGITS:,} digits")
    effort.pay(effort.of_reading(text, int(exponent or 0)))
    return _checked(Fraction(text.replace("_", "")))


def add(a: Number, b: Number) -> Number:
    return _exact_or_decimal(a, b, effort.of_sum, lambda x, y: x + y, lambda x, y: x + y)


def subtract(a: Number, b: Number) -> Number:
    return _exact_or_decimal(a, b, effort.of_sum, lambda x, y: x - y, lambda x, y: x - y)


def multiply(a: Number, b: Number) -> Number:
    return _exact_or_decimal(a, b, effort.of_product, lambda x, y: x * y, lambda x, y: x * y)


def divide(a: Number, b: Number) -> Number:
    _refuse_zero(b)
    return _exact_or_decimal(a, b, effort.of_quotient, lambda x, y: x / y, lambda x, y: x / y)


def floor_divide(a: Number, b: Number) -> Number:
    return floor(divide(a, b))


def remainder(a: Number, b: Number) -> Number:
    """Has the sign of the divisor: `-7 % 3` is 2, as in Python and in mathematics."""
    return subtract(a, multiply(b, floor_divide(a, b)))


def power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise ToolError("division by zero (0 to a negative power)")
    if exponent == 0 or base == 1:
        return Fraction(1)
    if base == 0:
        return Fraction(0)
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if base < 0 and not is_whole:
        raise ToolError("a negative number to a fractional power is not a real number")
    if isinstance(base, Fraction) and is_whole and absolute(exponent) <= MAX_EXPONENT:
        digits = _digits(base) * abs(int(exponent))
        if digits <= MAX_DIGITS:
            effort.pay(effort.of_power(digits))
            return base ** int(exponent)
    _refuse_large_power(absolute(base), exponent)
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and 2 * exponent == 1:
        return sqrt(base)
    effort.pay(3 * effort.SERIES)
    return decimal(base) ** decimal(exponent)


def negate(a: Number) -> Number:
    return -a


def absolute(a: Number) -> Number:
    return -a if a < 0 else a


def smallest(*numbers: Number) -> Number:
    return min(_comparable(numbers), key=itemgetter(0))[1]


def largest(*numbers: Number) -> Number:
    return max(_comparable(numbers), key=itemgetter(0))[1]


def sqrt(a: Number) -> Number:
    if a < 0:
        raise ToolError("the square root of a negative number is not a real number")
    if isinstance(a, Fraction):
        effort.pay(effort.of_root(a))
        root = Fraction(math.isqrt(a.numerator), math.isqrt(a.denominator))
        if root * root == a:
            return root
    effort.pay(effort.SERIES)
    return decimal(a).sqrt()


def floor(a: Number) -> Fraction:
    return Fraction(math.floor(_divided(a)))


def ceil(a: Number) -> Fraction:
    return Fraction(math.ceil(_divided(a)))


def round_(a: Number, places: Number = Fraction(0)) -> Fraction:
    """Halves go to the even neighbour, as Python's `round` does on exact numbers."""
    wanted = whole("round", places)
    if abs(wanted) > MAX_DIGITS:
        raise ToolError(f"round() takes at most {MAX_DIGITS:,} places")
    settled = _settled(a)
    effort.pay(effort.of_rounding(settled, wanted))
    return Fraction(round(settled, wanted))


def factorial(a: Number) -> Fraction:
    n = whole("factorial", a)
    if n < 0:
        raise ToolError("factorial() of a negative number is not defined")
    if n > MAX_DIGITS or math.lgamma(n + 1) > MAX_DIGITS * math.log(10):
        raise ToolError(TOO_LARGE)
    effort.pay(effort.CHEAP + n / 4)
    return Fraction(math.factorial(n))


def exp(a: Number) -> Number:
    if a == 0:
        return Fraction(1)
    _refuse_large_power(e(), a)
    return _by_decimal(a, Decimal.exp)


def log(a: Number, base: Number | None = None) -> Number:
    """Natural, or to `base`."""
    if base is None:
        return _logarithm(a, Decimal.ln)
    return divide(_logarithm(a, Decimal.ln), _logarithm(base, Decimal.ln))


def log10(a: Number) -> Number:
    return _logarithm(a, Decimal.log10)


def log2(a: Number) -> Number:
    return log(a, Fraction(2))


def sin(a: Number) -> Number:
    return _by_decimal(_angle(a), series.sin, places=SETTLED)


def cos(a: Number) -> Number:
    return _by_decimal(_angle(a), series.cos, places=SETTLED)


def tan(a: Number) -> Number:
    below = cos(a)
    if below == 0:
        raise ToolError("tan() is not defined at this angle")
    return divide(sin(a), below)


def atan(a: Number) -> Number:
    return _by_decimal(a, series.atan)


def asin(a: Number) -> Number:
    return _by_decimal(_sine(a), series.asin)


def acos(a: Number) -> Number:
    return _by_decimal(_sine(a), series.acos)


@cache
def e() -> Decimal:
    """To the digits of `INNER`."""
    return Decimal(1).exp(INNER)


def whole(name: str, a: Number) -> int:
    """The integer that `a` is, for what takes integers only."""
    settled = _settled(a)
    if settled.denominator != 1:
        raise ToolError(f"{name}() takes a whole number here, not {written(a)}")
    return int(settled)


def decimal(a: Number) -> Decimal:
    """`a` in the current context's precision."""
    if isinstance(a, Decimal):
        return a
    effort.pay(effort.of_decimal(a))
    return Decimal(a.numerator) / a.denominator


def written(a: Number) -> str:
    """Whole numbers and short decimals exactly, everything else to 28 significant digits."""
    if isinstance(a, Fraction) and a.denominator == 1:
        return str(a.numerator)
    with localcontext(SHOWN) as context:
        if isinstance(a, Fraction) and _terminates(a):
            context.prec = MAX_EXACT_DIGITS
        rounded = decimal(a).normalize() + 0
    if -16 < rounded.adjusted() < 28:
        return f"{rounded:f}"
    return f"{rounded:e}".replace("e+", "e")


def _terminates(a: Fraction) -> bool:
    """Whether `a` has at most `MAX_EXACT_DIGITS` digits as a decimal."""
    shift: int = 10**MAX_EXACT_DIGITS
    return shift % a.denominator == 0 and abs(a.numerator) * shift < a.denominator * shift**2


def _exact_or_decimal(
    a: Number,
    b: Number,
    price: Callable[[Fraction, Fraction], float],
    exact: Callable[[Fraction, Fraction], Fraction],
    inexact: Callable[[Decimal, Decimal], Decimal],
) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        effort.pay(price(a, b))
        return _checked(exact(a, b))
    effort.pay(effort.CHEAP)
    return inexact(decimal(a), decimal(b))


def _by_decimal(a: Number, function: Callable[[Decimal], Decimal], places: int = 0) -> Decimal:
    """`function` at inner precision; `places` rounds away what a reduced angle cannot know."""
    effort.pay(effort.SERIES)
    result = function(decimal(a))
    return round(result, places) if places else result


def _logarithm(a: Number, function: Callable[[Decimal], Decimal]) -> Number:
    if a <= 0:
        raise ToolError("a logarithm takes a number greater than 0")
    return Fraction(0) if a == 1 else _by_decimal(a, function)


def _angle(a: Number) -> Number:
    if absolute(a) > MAX_ANGLE:
        raise ToolError("the angle (in radians) is too large")
    return a


def _sine(a: Number) -> Number:
    if absolute(a) > 1:
        raise ToolError("asin() and acos() take a number from -1 to 1")
    return a


def _settled(a: Number) -> Fraction:
    """Exact, with the noise of inexact steps gone: `8 ** (1/3)` is 2 here."""
    if isinstance(a, Fraction):
        return a
    effort.pay(2 * effort.CHEAP + abs(a.adjusted()) / 20)
    with localcontext(prec=SETTLED):
        return Fraction(+a)


def _divided(a: Number) -> Fraction:
    """Settled, when its whole part is asked for."""
    settled = _settled(a)
    effort.pay(effort.of_whole_part(settled))
    return settled


def _comparable(numbers: Sequence[Number]) -> list[tuple[Fraction, Number]]:
    settled = [_settled(number) for number in numbers]
    effort.pay(effort.of_comparisons(settled))
    return list(zip(settled, numbers, strict=True))


def _refuse_zero(b: Number) -> None:
    if b == 0:
        raise ToolError("division by zero")


def _refuse_large_power(base: Number, exponent: Number) -> None:
    """The result would have more than `MAX_DIGITS` digits before or after the point."""
    effort.pay(effort.SERIES)
    magnitude = float(decimal(base).log10())
    if absolute(exponent) > MAX_EXPONENT or abs(magnitude * float(exponent)) > MAX_DIGITS:
        raise ToolError(TOO_LARGE if (magnitude > 0) == (exponent > 0) else TOO_SMALL)


def _digits(a: Fraction) -> float:
    return math.log10(max(abs(a.numerator), a.denominator))


def _checked(a: Fraction) -> Fraction:
    if max(a.numerator.bit_length(), a.denominator.bit_length()) > BITS:
        raise ToolError(TOO_LARGE)
    return a
