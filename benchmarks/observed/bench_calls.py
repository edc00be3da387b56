"""Writes when named functions are called and when they return, to `FOLDER/calls-PID.txt`.

`FOLDER/functions.txt` names them, `module:qualified.name` a line. A function is replaced by a
wrapper just after its module was executed, so everybody else imports the wrapper. A line of the
result is `MICROSECONDS EDGE FUNCTION` on CLOCK_MONOTONIC; EDGE is `>` or `<`. A function that does
not exist is left out. `benchmarks.timeline` reads the files.
"""

import functools
import importlib.util
import inspect
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

Write = Callable[[str, str], None]


class _Finder(MetaPathFinder):
    """Finds the modules of the named functions, and wraps these when the module is executed."""

    def __init__(self, functions: dict[str, list[str]], write: Write) -> None:
        self._functions = functions
        self._write = write

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        functions = self._functions.pop(name, None)
        spec = importlib.util.find_spec(name) if functions else None
        if not functions or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def wrapped(module: ModuleType) -> None:
            execute(module)
            for function in functions:
                _wrap(module, function, self._write)

        spec.loader.exec_module = wrapped  # type: ignore[method-assign]
        return spec


def _wrap(module: ModuleType, qualified_name: str, write: Write) -> None:
    *outer, name = qualified_name.split(".")
    owner: Any = module
    for part in outer:
        owner = getattr(owner, part, None)
    function = getattr(owner, name, None)
    if inspect.isfunction(function):
        setattr(owner, name, _wrapper(function, f"{module.__name__}:{qualified_name}", write))


def _wrapper(function: Callable[..., Any], label: str, write: Write) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        write(">", label)
        try:
            return function(*args, **options)
        finally:
            write("<", label)

    @functools.wraps(function)
    async def async_wrapper(*args: Any, **options: Any) -> Any:
        write(">", label)
        try:
            return await function(*args, **options)
        finally:
            write("<", label)

    return async_wrapper if inspect.iscoroutinefunction(function) else wrapper


class _Calls:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: int | None = None

    def write(self, edge: str, label: str) -> None:
        now_us = time.monotonic_ns() // 1000
        if self._file is None:
            path = f"{self._folder}/calls-{os.getpid()}.txt"
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(self._file, f"{now_us} {edge} {label}\n".encode())

    def forget_file(self) -> None:
        """For a forked child, which writes to a file of its own."""
        self._file = None


def attach(folder: str) -> None:
    functions: defaultdict[str, list[str]] = defaultdict(list)
    for line in (Path(folder) / "functions.txt").read_text().splitlines():
        module, _, name = line.partition(":")
        functions[module].append(name)
    calls = _Calls(folder)
    sys.meta_path.insert(0, _Finder(dict(functions), calls.write))
    os.register_at_fork(after_in_child=calls.forget_file)
