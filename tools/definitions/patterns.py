"""Regular expressions of strangers: searched in bounded time.

Python's `re` backtracks, holds the interpreter meanwhile and cannot be stopped: where a search may
take long, it is made in a process of its own.
"""

import json
import re
import subprocess
import sys

from limits.tools import MAX_PATTERN_TRIES, MAX_SIMPLE_PATTERN

# Loops around groups, references back, looks around: where backtracking can explode.
_COSTLY = re.compile(r"\)\s*[*+{?]|\\[1-9]|\(\?P?[=<!]")
_LOOP = re.compile(r"[*+?]|\{\d*,")
_REPEAT = re.compile(r"\{(\d+)\}")
_SEARCH = "import json,re,sys; p,t=json.load(sys.stdin); print(int(bool(re.search(p,t))))"


class TakesTooLong(Exception):
    """The search exceeded its time."""


def is_harmless(pattern: str, length: int) -> bool:
    """Whether any text of `length` characters is searched quickly.

    Upper bound of the steps: each loop may end anywhere and the search may begin anywhere, times
    the length of the pattern and its repeats.
    """
    if len(pattern) > MAX_SIMPLE_PATTERN or _COSTLY.search(pattern):
        return False
    begins = 0 if pattern.startswith("^") and "|" not in pattern else 1
    loops = len(_LOOP.findall(pattern))
    looks = sum(map(int, _REPEAT.findall(pattern)))
    if loops + begins <= 1:  # else the text is too short for that to count
        looks += len(pattern)
    # Few of a short pattern's loops; their number as an exponent is a huge number otherwise.
    return loops <= 20 and max(length, 2) ** (loops + begins) * max(looks, 1) <= MAX_PATTERN_TRIES


def matches(pattern: str, text: str, seconds: float) -> bool:
    """Whether `pattern` is found in `text`. Raises `TakesTooLong`, or `ValueError` if it is no
    regular expression."""
    if is_harmless(pattern, len(text)):
        try:
            return re.search(pattern, text) is not None
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None
    return _elsewhere(pattern, text, seconds)


def _elsewhere(pattern: str, text: str, seconds: float) -> bool:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _SEARCH],
            input=json.dumps([pattern, text]).encode(),
            capture_output=True,
            env={},
            timeout=max(seconds, 0.01),
        )
    except subprocess.TimeoutExpired:
        raise TakesTooLong from None
    if done.returncode:
        raise ValueError("it is no regular expression")
    return done.stdout.strip() == b"1"
