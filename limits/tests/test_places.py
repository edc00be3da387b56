import ast
import re
from collections import Counter
from collections.abc import Iterator

from limits.areas import ALL
from limits.tests import product

NAME = re.compile(r"_?((MAX|MOST|LONGEST|LARGEST|DEEPEST)(_.*)?|.*_(LIMIT|MAX))")
TABLES = "config/model_file.py is read by config.bootstrap, by whatever old Python there is"
ESTIMATE = "a factor of an estimate"
CHOICE = "chooses a way of computing; a larger payload takes the other"
# Constants that may stand elsewhere, and why.
ALLOWED = {
    ("chat/agent/estimating.py", "_MAX_RATIO"): ESTIMATE,
    ("chat/engine/context/request_context.py", "_MAX_TOKENS_PER_CHARACTER"): ESTIMATE,
    ("chat/engine/generation/context_refusals.py", "_MAX_SHARE_OF_REFUSED"): ESTIMATE,
    ("tracing/search/extracts.py", "_MAX_SMALL"): CHOICE,
    ("tracing/store/compression.py", "_MAX_SHORT"): CHOICE,
    ("tracing/store/compression.py", "_MAX_TINY"): CHOICE,
    ("config/model_file.py", "MAX_LOCAL_CONTEXT"): TABLES,
    ("config/model_file.py", "MAX_ARRAY_ITEMS"): TABLES,
}


def test_a_constant_that_is_named_like_a_limit_stands_in_limits() -> None:
    astray = [
        f"{path}:{line}: {name} belongs into a table of limits/, or into ALLOWED with its reason"
        for path, module in product.modules()
        for name, line in _constants(module)
        if NAME.fullmatch(name) and (path, name) not in ALLOWED
    ]
    assert astray == []


def test_what_is_allowed_elsewhere_is_there() -> None:
    there = {(path, name) for path, module in product.modules() for name, _ in _constants(module)}
    assert ALLOWED.keys() <= there


def test_the_names_of_limits_are_unique() -> None:
    counts = Counter(entry.name for entry in ALL)
    assert [name for name, count in counts.items() if count > 1] == []


def test_each_limit_is_used() -> None:
    used = {name for _, module in product.modules() for name in _loaded(module)}
    assert [entry.name for entry in ALL if entry.name not in used] == []


def test_each_limit_says_what_it_bounds_and_what_is_beyond() -> None:
    assert [entry.name for entry in ALL if not (entry.limit.bounds and entry.limit.beyond)] == []


def _constants(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Upper-case names that a module gives a number: all values but texts and collections."""
    for node in module.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for name, value in _pairs(target, node.value):
                if name.isupper() and _is_number(value):
                    yield name, node.lineno


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from _pairs(one, its)


def _is_number(value: ast.expr) -> bool:
    """Also of what is computed: `4 * KB`, `timedelta(days=1)`, `limits.MAX_X`."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float)
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in {"int", "float", "min", "max", "timedelta", "Decimal"}
    return isinstance(value, ast.BinOp | ast.UnaryOp | ast.Name | ast.Attribute)


def _loaded(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
