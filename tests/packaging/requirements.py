"""`python -m tests.packaging.requirements [write [--upgrade] | check]`: the locked requirements.

pyproject.toml names what is wanted, and in `[tool.roundtrip.requirements]` which of it each file
has. `write` resolves it with uv, for every platform and Python that the project supports; versions
stay unless a bound moved, or with `--upgrade`. `check` asks no registry: a file has to be made of
the lists as they are, and to fulfil them.
"""

import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
MAIN = "requirements.txt"
MADE_OF = "# Of lists with the SHA-256 "
HEAD = "# Made from pyproject.toml by `make lock`: change it there.\n" + MADE_OF
# Files beside the main one, with the lines that they begin with, and uv's options for them.
BEGINNINGS = {
    "requirements-dev.txt": "-r requirements.txt\n",
    "requirements-local-model.txt": "--only-binary :all:\n",
}
OPTIONS = {
    "requirements-dev.txt": ["--constraint", MAIN],
    "requirements-local-model.txt": ["--no-deps"],
}


class Pin(NamedTuple):
    """A line of a file: `name==version ; marker`, its hashes, and what comments say."""

    requirement: Requirement
    text: str

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        return next(iter(self.requirement.specifier)).version


def main(action: str = "check", *options: str) -> int:
    lists = read_lists(ROOT / "pyproject.toml")
    if action == "write":
        for file, wanted in lists.items():
            (ROOT / file).write_text(made(file, wanted, options))
        return 0
    problems = [each for file in lists for each in problems_of(ROOT, file, lists)]
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        sys.stderr.write("`make lock` makes these files anew.\n")
    return 1 if problems else 0


def read_lists(file: Path) -> dict[str, list[str]]:
    """What each requirements file has to provide."""
    document = tomllib.loads(file.read_text())
    project: Mapping[str, Any] = document["project"]
    named = {
        "dependencies": project["dependencies"],
        **project["optional-dependencies"],
        **document["dependency-groups"],
    }
    files: Mapping[str, list[str]] = document["tool"]["roundtrip"]["requirements"]
    return {file: [line for name in names for line in named[name]] for file, names in files.items()}


def digest(file: str, wanted: Iterable[str]) -> str:
    return hashlib.sha256("\n".join([file, *sorted(wanted)]).encode()).hexdigest()


def made(file: str, wanted: list[str], options: Iterable[str] = ()) -> str:
    """The text of a file, by uv. Raises CalledProcessError."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "-", "--universal"]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-header", "--no-build"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-strip-extras"]
    command += [*OPTIONS.get(file, []), *options]
    with TemporaryDirectory() as folder:
        output = Path(folder) / file
        if (ROOT / file).exists():  # whose versions are kept, where they still fit
            locked = pins_in((ROOT / file).read_text())
            output.write_text("".join(pin.text for pin in locked))
        command += ["--output-file", str(output)]
        subprocess.run(command, input="\n".join(wanted), cwd=ROOT, text=True, check=True)
        pins = pins_in(output.read_text())
    if "--constraint" in OPTIONS.get(file, []):
        included = {pin.requirement for pin in pins_in((ROOT / MAIN).read_text())}
        pins = [pin for pin in pins if pin.requirement not in included]
    texts = (pin.text.replace("via -r -", "via pyproject.toml") for pin in pins)
    return f"{HEAD}{digest(file, wanted)}\n{BEGINNINGS.get(file, '')}{''.join(texts)}"


def pins_in(text: str) -> list[Pin]:
    """The pins of a requirements file. Raises InvalidRequirement."""
    blocks: list[str] = []
    for line in text.splitlines(keepends=True):
        if line[0].isspace() and blocks:
            blocks[-1] += line
        elif line[0].isalnum():
            blocks.append(line)
    heads = (block.partition("\\")[0].partition(" #")[0].strip() for block in blocks)
    return [Pin(Requirement(head), block) for head, block in zip(heads, blocks, strict=True)]


def problems_of(root: Path, file: str, lists: Mapping[str, list[str]]) -> list[str]:
    """How the file and pyproject.toml differ, as sentences."""
    text, wanted = (root / file).read_text(), lists[file]
    problems = []
    if f"{MADE_OF}{digest(file, wanted)}\n" not in text:
        problems.append(f"{file} was made of other lists than pyproject.toml has.")
    pins = pins_in(text)
    locked = pins + (pins_in((root / MAIN).read_text()) if f"-r {MAIN}\n" in text else [])
    problems += [
        f"{file}: {line} is not fulfilled." for line in wanted if not fulfilled(line, locked)
    ]
    problems += [
        f"{file}: {pin.name} has no hash." for pin in pins if "--hash=sha256:" not in pin.text
    ]
    if "://" in text:
        problems.append(f"{file} names an address, of a registry or of a file.")
    return problems


def fulfilled(line: str, pins: Iterable[Pin]) -> bool:
    """Whether there is a pin for the requirement, and every pin of its name is in its bounds."""
    wanted = Requirement(line)
    found = [pin for pin in pins if pin.name == canonicalize_name(wanted.name)]
    return bool(found) and all(wanted.specifier.contains(pin.version, True) for pin in found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
