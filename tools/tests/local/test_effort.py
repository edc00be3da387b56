"""What an expression may cost: every step pays before it is done, and all of them together."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from limits.tools import MAX_EFFORT, MAX_EXPRESSION
from tools.errors import ToolError
from tools.local import arithmetic, effort
from tools.local.arithmetic import INNER
from tools.local.calculate import FUNCTIONS, PRODUCTS, SUMS, calculate

TWO_NUMBERS = [*SUMS.values(), *PRODUCTS.values(), arithmetic.power]
ONE_NUMBER = [
    function
    for name, (function, fewest, _) in FUNCTIONS.items()
    if fewest == 1 and name not in ("abs", "factorial")
]
COPRIME = Fraction(7**2300, 3**4000), Fraction(11**1900, 13**1700)
# Each is allowed, but not as often as it fits into an expression of the greatest length.
ALLOWED_ONCE = {
    "ln(7**4700)": "+",
    "2**13000/3**8000": "+",
    "1/factorial(1463)": "+",
    "sqrt(1/3e3000)": "+",
    "round(1e-3000, 3999)": "+",
    ".5**.5": "*",
    "e**pi": "-",
    "exp(9e3)": "*0+",
    "tan(1e11)": "+",
    "asin(.9)": "+",
    "log(3, 7)": "+",
    "7**2300 % e": "+",
    "max(e, pi, 1e-3999)": "+",
    "1e3999": "*0+",
}


@pytest.mark.parametrize("step", TWO_NUMBERS)
def test_no_step_with_two_numbers_is_free(step: Any) -> None:
    for a, b in (COPRIME, (Decimal("1.5"), Decimal("2.5")), (Fraction(1, 3), Decimal("2.5"))):
        with localcontext(INNER), effort.limited(0), pytest.raises(ToolError, match="much work"):
            step(a, b)


@pytest.mark.parametrize("function", ONE_NUMBER)
def test_no_function_is_free(function: Any) -> None:
    for a in (Fraction(3, 7), Decimal("0.5")):
        with localcontext(INNER), effort.limited(0), pytest.raises(ToolError, match="much work"):
            function(a)


@pytest.mark.parametrize("text", ["1", "9" * 4_000, "1e3999", ".5"])
def test_numbers_are_paid_for_when_they_are_read(text: str) -> None:
    with effort.limited(0), pytest.raises(ToolError, match="much work"):
        arithmetic.literal(text)


def test_a_step_that_costs_more_than_is_left_is_refused() -> None:
    with effort.limited(10):
        effort.pay(6)
        with pytest.raises(ToolError, match="much work"):
            effort.pay(6)
        effort.pay(4)


def test_the_next_expression_has_all_of_it_again() -> None:
    with effort.limited(10):
        with effort.limited(5):
            effort.pay(5)
        effort.pay(10)


@pytest.mark.parametrize("price", [effort.of_sum, effort.of_product, effort.of_quotient])
def test_the_price_of_a_step_grows_with_the_digits_of_both_numbers(price: Any) -> None:
    a, b = COPRIME
    assert price(Fraction(1), Fraction(3)) < 2 * effort.CHEAP
    assert price(a, b) > 50 * price(Fraction(7**23, 3**40), Fraction(11**19, 13**17))


def test_no_step_alone_costs_all_that_there_is() -> None:
    a, b = COPRIME
    assert calculate("(7**2300 / 3**4000) % (11**1900 / 13**1700)")
    assert effort.of_sum(a, b) < MAX_EFFORT / 10


@pytest.mark.parametrize("unit", ALLOWED_ONCE)
def test_what_is_allowed_once_is_not_allowed_for_ever(unit: str) -> None:
    sign = ALLOWED_ONCE[unit]
    assert calculate(unit)
    with pytest.raises(ToolError, match="calculate it in several parts"):
        calculate(sign.join([unit] * (MAX_EXPRESSION // len(unit + sign))))


@pytest.mark.parametrize(
    "unit, sign, result",
    [
        ("1", "+", "2000"),
        ("1234.56", "+", "617280"),
        ("(12.5-3.2)**2", "+", "24649.65"),
        ("1/7", "+", "142.8571428571428571428571429"),
        ("sqrt(4)", "+", "1000"),
        ("7//2", "+", "2400"),
        ("round(1.234, 2)", "+", "307.5"),
    ],
)
def test_long_expressions_of_small_numbers_are_calculated(
    unit: str, sign: str, result: str
) -> None:
    assert calculate(sign.join([unit] * (MAX_EXPRESSION // len(unit + sign)))) == result


def test_a_long_list_has_a_smallest_number() -> None:
    numbers = [str(n) for n in range(100, 900)]
    assert calculate(f"max({','.join(numbers)}) - min({','.join(numbers[:100])})") == "799"
