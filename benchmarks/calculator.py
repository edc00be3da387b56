"""`python -m benchmarks.calculator`: CPU milliseconds of the tool `calculate`, for slow expressions
of the maximum length.
"""

import os
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from limits.tools import MAX_EXPRESSION, MAX_EXPRESSION_DEPTH
from tools.errors import ToolError
from tools.local.calculate import calculate

# The operand that is repeated, and the operator between its repetitions.
SLOW = (
    ("7", "-1+"),
    ("log10((1/3))", "-1+"),
    ("3**8000+e/exp(9e3)", "+"),
    ("ceil(factorial(1463)%(e/3))/7", "%"),
    ("max(2**13000,9e3)+9e3%1.5e1900", "*0+"),
    ("9**9**9", "+"),
    ("factorial(1463)", "*"),
    ("1/factorial(1463)", "+"),
    ("2**13000", "/3**8000+"),
    ("sqrt(1/3e3000)", "+"),
    ("ln(7**4700)", "+"),
    (".5**.5**.5**.5**.5", "+"),
    ("e**-e**-e**-e", "+"),
    ("exp(9e3)", "+"),
    ("log(3,7)", "+"),
    ("tan(1e11)", "+"),
    ("asin(.9)", "+"),
    ("round(1e-3000,3999)", "+"),
    ("9" * 1_990, "*"),
    ("1e-4000", "+"),
    ("sin(" * MAX_EXPRESSION_DEPTH + "1" + ")" * MAX_EXPRESSION_DEPTH, "+"),
)


def main() -> None:
    head = f"{'repeated':32} {'joined by':10} {'ms':>8}  answer"
    lines = (_measure_expression(unit, sign) for unit, sign in SLOW)
    sys.stdout.writelines(f"{line}\n" for line in (head, *lines))


def _measure_expression(unit: str, sign: str) -> str:
    expr = sign.join([unit] * ((MAX_EXPRESSION + len(sign)) // (len(unit) + len(sign))))
    began = time.process_time()
    try:
        answer = calculate(expr)
    except ToolError as error:
        answer = f"refused: {error}"
    cpu_ms = (time.process_time() - began) * 1000
    return f"{unit[:32]:32} {sign[:10]:10} {cpu_ms:8.1f}  {answer[:48]}"


if __name__ == "__main__":
    main()
