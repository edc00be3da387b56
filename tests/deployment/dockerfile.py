"""The instructions of a Dockerfile, as far as ours uses the format."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    """`RUN`, `COPY` …, and what follows on its line, with continued lines joined."""

    name: str
    arguments: str

    @property
    def words(self) -> list[str]:
        return self.arguments.split()


def instructions(file: Path) -> Iterator[Instruction]:
    lines = [line for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    for line in filter(str.strip, joined.splitlines()):
        name, _, arguments = line.strip().partition(" ")
        yield Instruction(name.upper(), arguments.strip())


def stages(file: Path) -> list[list[Instruction]]:
    """The instructions of each stage; the first of each is its `FROM`."""
    found: list[list[Instruction]] = []
    for one in instructions(file):
        if one.name == "FROM":
            found.append([one])
        elif found:
            found[-1].append(one)
    return found
