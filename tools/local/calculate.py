"""The calculator: a recursive-descent parser over the numbers of `arithmetic`.

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/" | "//" | "%") signed }
    signed  = ("+" | "-") signed | power
    power   = atom [ ("**" | "^") signed ]
    atom    = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"

Nothing is ever evaluated as Python. As in Python, `**` binds tighter than a sign before it and to
the right, `//` rounds down and `%` has the sign of the divisor.
"""

import re
from collections.abc import Callable
from decimal import DecimalException, localcontext

from limits.tools import MAX_EXPRESSION, MAX_EXPRESSION_DEPTH
from tools.errors import ToolError
from tools.local import arithmetic, effort, series
from tools.local.arithmetic import Number

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)"
    r"|(?P<sign>\*\*|//|[-+*/%^(),])"
    r"|(?P<other>\S))"
)
# What people and models write for the same signs; full-width forms come from Chinese keyboards.
_FULL_WIDTH = {0xFF01 + place: 0x21 + place for place in range(94)}
SPELLINGS = str.maketrans(
    _FULL_WIDTH
    | {
        "\N{MULTIPLICATION SIGN}": "*",
        "\N{MIDDLE DOT}": "*",
        "\N{DIVISION SIGN}": "/",
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "\N{GREEK SMALL LETTER PI}": " pi ",
    }
)
HINTS = {
    "!": "write factorial(n)",
    "√": "write sqrt(x)",
    "=": "only an expression is calculated, without = or comparisons",
    "<": "comparisons are not supported",
    ">": "comparisons are not supported",
    "²": "write x**2",
    "³": "write x**3",
    "$": "write numbers without a currency sign",
}
SUMS = {"+": arithmetic.add, "-": arithmetic.subtract}
PRODUCTS = {
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "//": arithmetic.floor_divide,
    "%": arithmetic.remainder,
}
CONSTANTS: dict[str, Callable[[], Number]] = {
    "pi": series.pi,
    "e": arithmetic.e,
    "tau": lambda: 2 * series.pi(),
}
# Name: function, fewest and most arguments (None: any number).
FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int | None]] = {
    "sqrt": (arithmetic.sqrt, 1, 1),
    "sin": (arithmetic.sin, 1, 1),
    "cos": (arithmetic.cos, 1, 1),
    "tan": (arithmetic.tan, 1, 1),
    "asin": (arithmetic.asin, 1, 1),
    "acos": (arithmetic.acos, 1, 1),
    "atan": (arithmetic.atan, 1, 1),
    "log": (arithmetic.log, 1, 2),
    "ln": (arithmetic.log, 1, 1),
    "log10": (arithmetic.log10, 1, 1),
    "log2": (arithmetic.log2, 1, 1),
    "exp": (arithmetic.exp, 1, 1),
    "pow": (arithmetic.power, 2, 2),
    "abs": (arithmetic.absolute, 1, 1),
    "round": (arithmetic.round_, 1, 2),
    "floor": (arithmetic.floor, 1, 1),
    "ceil": (arithmetic.ceil, 1, 1),
    "factorial": (arithmetic.factorial, 1, 1),
    "min": (arithmetic.smallest, 1, None),
    "max": (arithmetic.largest, 1, None),
}


def calculate(expr: str) -> str:
    """Calculate an arithmetic expression exactly, for example `1.92 * 2.8` or `sqrt(2) / 3`.

    Operators: + - * / // % ** (^ is a power too) and parentheses. Functions: sqrt, sin, cos, tan,
    asin, acos, atan (radians), log (natural, or log(x, base)), ln, log10, log2, exp, pow, abs,
    round, floor, ceil, factorial, min, max. Constants: pi, e.

    Args:
        expr: The expression, with numbers written without thousands separators.
    """
    if len(expr) > MAX_EXPRESSION:
        raise ToolError(
            f"the expression is too long: {len(expr):,} characters of {MAX_EXPRESSION:,}"
        )
    try:
        with localcontext(arithmetic.INNER), effort.limited():
            return arithmetic.written(_Parser(expr).result())
    except DecimalException as error:
        raise ToolError("the result is too large or not a real number") from error


class _Parser:
    """Reads one expression from left to right and calculates as it goes."""

    def __init__(self, expr: str) -> None:
        self.tokens = _tokens(expr)
        self.place = 0
        self.depth = 0

    def result(self) -> Number:
        if not self.tokens:
            raise ToolError("the expression is empty")
        number = self.sum()
        if self.place < len(self.tokens):
            raise ToolError(_unexpected(self.peek(), self.tokens[self.place - 1][1]))
        return number

    def peek(self) -> str:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.place >= len(self.tokens):
            last = self.tokens[-1][1]
            hint = " (% is the remainder; write 5/100 for 5 percent)" if last == "%" else ""
            raise ToolError(f"the expression ends too early, after {last!r}{hint}")
        self.place += 1
        return self.tokens[self.place - 1]

    def expect(self, sign: str) -> None:
        if self.peek() != sign:
            found = repr(self.peek()) if self.peek() else "the end"
            raise ToolError(f"expected {sign!r} but found {found}")
        self.place += 1

    def sum(self) -> Number:
        number = self.product()
        while self.peek() in SUMS:
            operator = SUMS[self.take()[1]]
            number = operator(number, self.product())
        return number

    def product(self) -> Number:
        number = self.signed()
        while self.peek() in PRODUCTS:
            operator = PRODUCTS[self.take()[1]]
            number = operator(number, self.signed())
        return number

    def signed(self) -> Number:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take()[1] == "-"
        number = self.power()
        return arithmetic.negate(number) if negative else number

    def power(self) -> Number:
        base = self.atom()
        if self.peek() not in ("**", "^"):
            return base
        self.take()
        with self:
            return arithmetic.power(base, self.signed())

    def atom(self) -> Number:
        kind, text = self.take()
        if kind == "number":
            return arithmetic.literal(text)
        if kind == "name":
            return self.named(text)
        if text != "(":
            raise ToolError(_unexpected(text))
        with self:
            number = self.sum()
        self.expect(")")
        return number

    def named(self, text: str) -> Number:
        name = text.lower().removeprefix("math.")
        if name in CONSTANTS and self.peek() != "(":
            return CONSTANTS[name]()
        if name not in FUNCTIONS:
            known = ", ".join([*FUNCTIONS, "pi", "e"])
            raise ToolError(f"unknown name {text!r}; known are {known}")
        function, fewest, most = FUNCTIONS[name]
        arguments = self.arguments(name)
        if len(arguments) < fewest or (most is not None and len(arguments) > most):
            raise ToolError(f"{name}() takes {_count(fewest, most)}, not {len(arguments)}")
        return function(*arguments)

    def arguments(self, name: str) -> list[Number]:
        if self.peek() != "(":
            raise ToolError(f"write {name} with parentheses: {name}(…)")
        self.take()
        if self.peek() == ")":
            self.take()
            return []
        with self:
            numbers = [self.sum()]
            while self.peek() == ",":
                self.take()
                numbers.append(self.sum())
        self.expect(")")
        return numbers

    def __enter__(self) -> None:
        self.depth += 1
        if self.depth > MAX_EXPRESSION_DEPTH:
            raise ToolError(
                f"the expression is nested too deeply: more than {MAX_EXPRESSION_DEPTH} levels"
            )

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


def _tokens(expr: str) -> list[tuple[str, str]]:
    """(kind, text) of each token; raises at the first character that cannot begin one."""
    tokens = []
    for match in TOKEN.finditer(expr.translate(SPELLINGS).rstrip()):
        kind = match.lastgroup or "other"
        text = match[kind]
        if kind == "other":
            hint = f"; {HINTS[text]}" if text in HINTS else ""
            raise ToolError(f"{text!r} is not understood here{hint}")
        tokens.append((kind, text))
    return tokens


def _count(fewest: int, most: int | None) -> str:
    if most is None:
        return f"{fewest} or more arguments"
    return (
        f"{fewest} argument{'s' * (most > 1)}"
        if fewest == most
        else f"{fewest} or {most} arguments"
    )


def _unexpected(text: str, before: str = "") -> str:
    if text == ",":
        return "unexpected ','; write numbers without thousands separators"
    if before and (text == "(" or text[0].isalnum()):
        return f"unexpected {text!r} after {before!r}; write * for a multiplication"
    return f"unexpected {text!r}"
