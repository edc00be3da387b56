"""A fence in each language that Pygments knows, filled with what has cost lexers the square of its
length: brackets, quotes, backslashes, spaces, long words, the language's own name.

Each language has some hundredths of a second: no lexer goes on when they are over.
"""

from pygments.lexers import get_all_lexers

from tests.budgets.cases import Case

LENGTH = 150  # characters of each filler
FILLERS = ("(", '"', "\\", " ", " \n", "a", "[{", "'\n", "/*", "<", "$", "a.", "=:")
ALIASES = [aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases]


def _code(alias: str) -> str:
    return "\n".join((filler * LENGTH)[:LENGTH] for filler in (*FILLERS, f"{alias} "))


def _case(alias: str) -> Case:
    return Case("fence", alias, "tests.budgets.drivers:fence", lambda: (alias, _code(alias)))


FENCES = [_case(alias) for alias in ALIASES]
