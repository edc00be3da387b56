"""`python -m tests.planted [REPORT] > REPORT`: which tests see faults of one line?

Mutation testing (DeMillo, Lipton and Sayward 1978) on a sample that a seed picks: half of 60 faults
lie in access, engine, store and dialects, the others in all apps. Each is planted in a clone of the
commit. Run are only the test files that import its module and those of its package, until the
first test fails. A sample of 60 says which room lost a guard, not which share of faults is seen.

A report has a line of JSON for each fault. With the REPORT of an earlier run its faults are planted
again, where their lines still stand, and the exit status is 1 if a test saw one then and none does
now.
"""

import argparse
import ast
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
FAULTS = 60
SECONDS_A_FAULT = 120
PROCESSES = 2
# Exit statuses where no test failed: all passed, there was none, or their time was over. Others,
# without the name of a test, say that pytest or a conftest.py could not be loaded.
NOTHING_FAILED = (0, 5, 124, 137)
# Who may do what: one part of the faults that are planted more densely.
ACCESS = (
    "api/authentication.py",
    "api/gateway/access.py",
    "chat/live/rights.py",
    "chat/permissions.py",
    "config/accounts/guards.py",
    "config/accounts/rank.py",
    "tokens/access.py",
    "tokens/narrowed.py",
    "tools/guard.py",
    "tools/permissions.py",
    "tools/rights.py",
    "tracing/permissions.py",
)
DENSE = {
    "access": ACCESS,
    "engine": ("chat/engine",),
    "store": ("tracing/store",),
    "dialects": ("chat/llm",),
}
APPS = (
    *("api", "audit", "chat", "config", "db", "host", "jobs", "languages", "limits", "tokens"),
    *("tools", "tracing", "wire"),
)
NO_PRODUCT = {"tests", "migrations"}

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True)
class Fault:
    """`line` of `file` reads `after` in place of `before`."""

    room: str
    file: str
    line: int
    before: str
    after: str

    def rank(self, seed: int) -> bytes:
        """Orders faults by chance, and the same way when other lines of the project change."""
        text = "\0".join((str(seed), self.file, self.before, self.after))
        return hashlib.sha256(text.encode()).digest()

    def planted(self) -> str:
        """The file with the fault."""
        lines = (ROOT / self.file).read_text().split("\n")
        return "\n".join([*lines[: self.line - 1], self.after, *lines[self.line :]])


@dataclass(frozen=True)
class Sight:
    """`seen_by`: the id of the test that failed first; "" if none did. `files`: of how many files
    the tests were to run."""

    seen_by: str
    seconds: float
    files: int


def sample(seed: int) -> list[Fault]:
    """The faults of a seed: a quarter of the first half in each part of DENSE, and the other half
    in the apps by turns."""
    rooms: dict[str, list[Fault]] = defaultdict(list)
    for file in _product_files():
        for fault in faults_of(file):
            rooms[fault.room].append(fault)
    for faults in rooms.values():
        faults.sort(key=lambda fault: fault.rank(seed))
    dense = _by_turns([rooms[name] for name in DENSE], FAULTS // 2)
    return dense + _by_turns([rooms[name] for name in APPS], FAULTS - len(dense))


def _by_turns(piles: list[list[Fault]], count: int) -> list[Fault]:
    """One of each pile in turn, at most one for a line."""
    picked: dict[tuple[str, int], Fault] = {}
    for round_of_piles in zip_longest(*piles):
        for fault in filter(None, round_of_piles):
            if len(picked) < count and _compiles(fault):
                picked.setdefault((fault.file, fault.line), fault)
        if len(picked) == count:
            break
    return list(picked.values())


def _compiles(fault: Fault) -> bool:
    """Not where brackets stood between the parts."""
    try:
        ast.parse(fault.planted())
    except SyntaxError:
        return False
    return True


def _product_files() -> Iterator[Path]:
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            if NO_PRODUCT.isdisjoint(file.relative_to(ROOT).parts):
                yield file


def _room(file: str) -> str:
    for name, places in DENSE.items():
        if any(file == place or file.startswith(f"{place}/") for place in places):
            return name
    return file.partition("/")[0]


def faults_of(path: Path) -> Iterator[Fault]:
    """Those that can be planted inside of functions, in the order of lines."""
    file = path.relative_to(ROOT).as_posix()
    source = path.read_text()
    lines = source.encode().split(b"\n")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node for node in ast.walk(ast.parse(source)) if isinstance(node, functions)]
    for statement in (part for body in bodies for part in body.body):
        for node in _walk(statement):
            for start, end, text in _changes(node):
                if start[0] == end[0]:
                    before = lines[start[0] - 1]
                    after = before[: start[1]] + text.encode() + before[end[1] :]
                    yield Fault(_room(file), file, start[0], before.decode(), after.decode())


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below, without f-strings: before Python 3.12 their parts have no places."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield from _walk(child)


Position = tuple[int, int]


def _changes(node: ast.AST) -> Iterator[tuple[Position, Position, str]]:
    """From where, to where, and what stands there then: (line, column in bytes)."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield _end(left), _start(right), f" {COMPARISONS[type(operator)]} "
        case ast.BoolOp(op=operator, values=[left, right, *_]):
            yield _end(left), _start(right), " or " if isinstance(operator, ast.And) else " and "
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _start(node), _start(operand), ""
        case ast.Constant(value=bool() as value):
            yield _start(node), _end(node), str(not value)
        case ast.BinOp(right=ast.Constant(value=int() as value) as number):
            yield _start(number), _end(number), str(value + 1)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _start(value), _end(value), "None"
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield _start(node), _end(node), "pass"


def _start(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> Position:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def test_files(fault: Fault) -> list[str]:
    """Those that import the module, then those of its package."""
    module = fault.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    all_files = [file for file in _tracked("*/test_*.py") if "/tests/" in f"/{file}"]
    importing = [file for file in all_files if module in imports(ROOT / file)]
    folder = _tests_of_package(Path(fault.file).parent)
    return [
        *importing,
        *(f for f in all_files if f.startswith(f"{folder}/") and f not in importing),
    ]


def imports(path: Path) -> set[str]:
    """The dotted names that a file imports, and what it may take from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _tests_of_package(package: Path) -> str:
    """`chat/engine/turn` has its tests in `chat/tests/engine/turn`; without that folder in the one
    above."""
    for depth in range(len(package.parts), 0, -1):
        for app in range(depth, 0, -1):
            folder = Path(*package.parts[:app], "tests", *package.parts[app:depth])
            if (ROOT / folder).is_dir():
                return folder.as_posix()
    return "tests"


def _tracked(pattern: str) -> list[str]:
    command = ["git", "ls-files", pattern]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()


@contextmanager
def _copies(count: int) -> Iterator["SimpleQueue[Path]"]:
    """Clones of the commit, to plant in."""
    copies: SimpleQueue[Path] = SimpleQueue()
    folder = Path(tempfile.mkdtemp(prefix="roundtrip-planted-"))
    try:
        for number in range(count):
            copy = folder / str(number)
            subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
            (copy / ".venv").symlink_to(ROOT / ".venv")
            copies.put(copy)
        yield copies
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def look(fault: Fault, copies: "SimpleQueue[Path]") -> Sight:
    """Plants the fault in a copy, runs its tests there, and takes it out again."""
    files = test_files(fault)
    copy = copies.get()
    began = time.monotonic()
    try:
        (copy / fault.file).write_text(fault.planted())
        seen_by = _first_failure(copy, files)
    finally:
        shutil.copy(ROOT / fault.file, copy / fault.file)
        copies.put(copy)
    return Sight(seen_by, round(time.monotonic() - began, 1), len(files))


def _first_failure(copy: Path, files: list[str]) -> str:
    """The test's id; "" if none failed within the time."""
    if not files:
        return ""
    command = ["timeout", "-k", "10", str(SECONDS_A_FAULT), ".venv/bin/python", "-m", "pytest"]
    command += ["-x", "-q", "--timeout", "60", "-m", "not campaign", *files]
    run = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    for line in run.stdout.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" ", 1)[1].partition(" - ")[0]
    if run.returncode in NOTHING_FAILED:
        return ""
    return f"pytest did not begin ({run.returncode})"


def planted_again(report: Path) -> Iterator[tuple[Fault, str]]:
    """The faults of an earlier run, where their lines stand now, and what saw them."""
    for line in report.read_text().splitlines():
        entry = json.loads(line)
        fault = Fault(**entry["fault"])
        now = (ROOT / fault.file).read_text().split("\n") if (ROOT / fault.file).exists() else []
        places = [number for number, text in enumerate(now, 1) if text == fault.before]
        if places:
            nearest = min(places, key=lambda number: abs(number - fault.line))
            yield replace(fault, line=nearest), entry["sight"]["seen_by"]
        else:
            sys.stderr.write(f"{fault.file}:{fault.line} has changed: {fault.before.strip()}\n")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted")
    parser.add_argument("report", type=Path, nargs="?", help="of an earlier run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    earlier = dict(planted_again(options.report)) if options.report else {}
    faults = list(earlier) or sample(options.seed)
    seen: dict[str, list[bool]] = defaultdict(list)
    lost = []
    with _copies(PROCESSES) as copies, ThreadPoolExecutor(PROCESSES) as pool:
        for fault, sight in zip(faults, pool.map(lambda f: look(f, copies), faults), strict=True):
            sys.stdout.write(json.dumps({"fault": asdict(fault), "sight": asdict(sight)}) + "\n")
            sys.stdout.flush()
            seen[fault.room].append(bool(sight.seen_by))
            if earlier.get(fault) and not sight.seen_by:
                lost.append(f"{fault.file}:{fault.line} was seen by {earlier[fault]}")
    for room, sights in seen.items():
        sys.stderr.write(f"{room}: {sum(sights)} of {len(sights)} seen\n")
    sys.stderr.write("".join(f"{line}\n" for line in lost))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
