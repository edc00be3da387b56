import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LOCALE = "zh_Hans"
LANGUAGE = "zh-hans"
PACKAGES = (
    *("config", "api", "chat", "tools", "tracing", "tokens", "audit"),
    *("jobs", "db", "wire", "limits", "languages"),
)
PLACE = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, order=True)
class Text:
    """What is to be translated; `many` is the plural, "" for a text without."""

    one: str
    context: str = ""
    many: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Two texts with one key are one entry of a catalogue."""
        return self.context, self.one


@dataclass(frozen=True)
class Unmarked:
    """Words for people that are not marked as a text."""

    file: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words}"


def template_files() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


def python_files() -> list[Path]:
    return sorted(_python_files())


def model_files() -> list[Path]:
    """Those that define models or register them in the admin."""
    wanted = {"models", "models.py", "admin", "admin.py", "jobs"}
    return [file for file in python_files() if wanted.intersection(file.parts)]


def tool_files() -> list[Path]:
    return [file for file in python_files() if file.parent.name in ("local", "workspace")]


def skill_files() -> list[Path]:
    return sorted((ROOT / "chat" / "agent" / "bundled").glob("*/SKILL.md"))


def _python_files() -> Iterator[Path]:
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            parts = file.relative_to(ROOT).parts
            if "tests" not in parts and "migrations" not in parts and "catalogue" not in parts:
                yield file


def javascript_files() -> list[Path]:
    files = (ROOT / "static" / "js").rglob("*.js")
    return sorted(f for f in files if not f.name.endswith(".test.js") and f.parent.name != "locale")


def places(text: str) -> frozenset[str]:
    """The names of the places for values."""
    return frozenset(PLACE.findall(text))
