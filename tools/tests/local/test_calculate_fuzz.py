"""The calculator against whatever is written: right, bounded, and nothing but arithmetic."""

import operator
import re
from contextlib import suppress
from decimal import ROUND_HALF_EVEN, Context, Decimal, DecimalException, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits.tools import MAX_DIGITS, MAX_EXPRESSION
from tools.errors import ToolError
from tools.local import arithmetic
from tools.local.arithmetic import BITS
from tools.local.calculate import CONSTANTS, FUNCTIONS, calculate

NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
Written = tuple[str, Fraction]

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


def plain(number: Decimal) -> Written:
    return f"{number:f}", Fraction(number)


def joined(parts: tuple[Written, str, Written]) -> Written:
    """What the text means, by Python's own fractions."""
    (left, a), sign, (right, b) = parts
    if sign in ("/", "//", "%") and b == 0:
        sign = "+"
    return f"({left}) {sign} ({right})", Fraction(OPERATORS[sign](a, b))


DECIMALS = st.decimals(-(10**6), 10**6, places=3).map(plain)
EXPRESSIONS = st.recursive(
    DECIMALS,
    lambda part: st.tuples(part, st.sampled_from(sorted(OPERATORS)), part).map(joined),
    max_leaves=12,
)

HUGE = st.sampled_from(
    ["9" * 400, "9**9**9", "1e999999999", "1e-3999", "1e3999", "10**4000", "factorial(1400)", "0"]
)
ANY = st.recursive(
    st.one_of(HUGE, st.sampled_from(sorted(CONSTANTS)), st.integers(-9, 9).map(str)),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from([*OPERATORS, "**", "^", ","]), part).map(" ".join),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), part).map(lambda one: f"{one[0]}({one[1]})"),
        part.map("({})".format),
        part.map("-{}".format),
    ),
    max_leaves=10,
)
WITHIN = st.one_of(
    st.fractions(max_denominator=10**6),
    st.builds(
        lambda n, places: Fraction(n) / 10**places,
        st.integers(-(10**MAX_DIGITS), 10**MAX_DIGITS),
        st.integers(0, MAX_DIGITS),
    ),
)


@given(EXPRESSIONS)
def test_arithmetic_is_python_s_own(written: Written) -> None:
    expr, exact = written
    found = calculate(expr)
    if (10**40 * exact).denominator == 1 and abs(exact) < 10**9:
        assert Fraction(found) == exact  # a decimal of at most 50 digits is written in full
    else:
        context = Context(prec=28, rounding=ROUND_HALF_EVEN)
        rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
        error = abs(Fraction(found) - Fraction(rounded))
        assert error <= abs(exact) / 10**26


@given(st.decimals(-(10**9), 10**9, places=9), st.decimals(-(10**9), 10**9, places=9))
def test_decimals_are_multiplied_exactly(a: Decimal, b: Decimal) -> None:
    assert Fraction(calculate(f"{a:f} * {b:f}")) == Fraction(a) * Fraction(b)


def test_the_specification_s_own_example() -> None:
    assert calculate("1.92 * 2.8") == "5.376"


@given(
    st.one_of(ANY, st.text(max_size=200), st.text(alphabet="0123456789.eE_+-*/^%(), ", max_size=99))
)
def test_whatever_is_written_gives_a_number_or_a_tool_error(expr: str) -> None:
    try:
        found = calculate(expr)
    except ToolError as error:
        assert str(error)
    else:
        assert NUMBER.fullmatch(found)


def within(number: Any) -> bool:
    if isinstance(number, Decimal):
        return number.is_finite()
    most = max(number.numerator.bit_length(), number.denominator.bit_length())
    return bool(most <= 2 * BITS + 2)


@given(
    WITHIN,
    WITHIN,
    st.sampled_from(
        [
            arithmetic.add,
            arithmetic.subtract,
            arithmetic.multiply,
            arithmetic.divide,
            arithmetic.floor_divide,
            arithmetic.remainder,
            arithmetic.power,
            arithmetic.round_,
        ]
    ),
)
def test_no_step_makes_a_number_larger_than_the_limit(a: Fraction, b: Fraction, step: Any) -> None:
    """So that the work is at most the length of the expression times that of a step."""
    refused = (ToolError, DecimalException)
    with suppress(*refused), localcontext(arithmetic.INNER):
        assert within(step(a, b))


@pytest.mark.parametrize("n", [0, 1, 20, 1463])
def test_factorials_have_the_digits_that_fit(n: int) -> None:
    assert within(arithmetic.factorial(Fraction(n)))


@pytest.mark.parametrize("n", ["1464", "10**6", "10**3000", "9**9**9", "1e300"])
def test_larger_factorials_are_refused(n: str) -> None:
    with pytest.raises(ToolError, match="too large"):
        calculate(f"factorial({n})")


def test_what_is_too_long_is_not_even_read() -> None:
    assert calculate("+".join(["1"] * (MAX_EXPRESSION // 2))) == str(MAX_EXPRESSION // 2)
    with pytest.raises(ToolError, match="too long"):
        calculate("1" + "+1" * (MAX_EXPRESSION // 2))


@pytest.mark.parametrize(
    "expr",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__[0].__subclasses__()",
        "math.__dict__",
        "math.os",
        "sqrt.__globals__",
        "pi.__class__",
        "e.real",
        "lambda: 1",
        "[1 for _ in (1,)]",
        "print(1)",
        "open",
        "eval(1)",
        "exec",
        "f'{1}'",
        "1 if 1 else 2",
        "x := 1",
        "1; 2",
        "None",
        "True",
        "1j",
        "0x10",
        "0b1",
        "1\\\n+1",
        "int(1)",
        "comb(10**9, 10**8)",
    ],
)
def test_nothing_but_arithmetic_is_understood(expr: str) -> None:
    with pytest.raises(ToolError):
        calculate(expr)


@pytest.mark.parametrize("expr", ["٣ + ٤", "३*२", "½", "Ⅳ", "𝟏+𝟐", "1²", "1\u2044 2", "①"])
def test_digits_of_other_scripts_are_refused_and_not_guessed(expr: str) -> None:
    with pytest.raises(ToolError, match="not understood"):
        calculate(expr)
