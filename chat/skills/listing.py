"""Skills as an admin sees them: where they come from, what is wrong, what is in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chat.agent import skill_files, skill_folders
from chat.agent.skill_files import FILE, Part
from chat.agent.skill_folders import Kind, Scan
from chat.agent.skills import listing as prompt_listing
from chat.markdown import render
from chat.models import Skill
from languages.later import later
from limits.chat import MAX_SKILL_FILES
from limits.files import MAX_SKILL_PREVIEW_BYTES
from tools.definitions.token_estimate import guess
from tracing.formatting.text import visible

WORDS = {
    Kind.BUNDLED: later("ships with Roundtrip"),
    Kind.FOLDER: "folder",
    Kind.UPLOADED: "uploaded",
}


@dataclass(frozen=True)
class SkillRow:
    """A skill of the list. `warning` is what its author should mend, though it works."""

    skill: Skill
    kind: Kind
    warning: str

    @property
    def word(self) -> str:
        return WORDS[self.kind]

    @property
    def may_be_removed(self) -> bool:
        return self.kind == Kind.UPLOADED

    @property
    def is_gone(self) -> bool:
        return self.skill.problem == skill_folders.GONE


@dataclass(frozen=True)
class Preview:
    """A file of a skill, as far as it is shown: text, or nothing but its size."""

    path: str
    size: int
    text: str | None
    is_cut: bool


@dataclass(frozen=True)
class SkillPage:
    """All that is to be seen of one skill."""

    row: SkillRow
    body: str
    html: str
    parts: Sequence[Part]
    shown: Preview | None

    @property
    def is_full(self) -> bool:
        return len(self.parts) >= MAX_SKILL_FILES


def rows(found: Scan) -> list[SkillRow]:
    """After a scan: all skills, by name."""
    return [_row(skill, found) for skill in Skill.objects.prefetch_related("groups")]


def tokens(shown: Sequence[SkillRow]) -> int:
    """What the skills that are on cost in each request that offers them all, by an estimate."""
    return guess(
        prompt_listing([row.skill for row in shown if row.skill.enabled and not row.skill.problem])
    )


def page(skill: Skill, found: Scan, wanted: str) -> SkillPage:
    """`wanted` is the path of the file that is to be shown; what is no file of it is not."""
    folder = Path(skill.source)
    read = skill_files.read(folder)
    own = _own(folder)
    parts = [*([own] if own else ()), *skill_files.parts(folder)]
    about = next((part for part in parts if part.path == wanted), None)
    shown = _preview(folder, about) if about else None
    html = render(read.body) if read.body else ""
    return SkillPage(_row(skill, found), read.body, html, parts, shown)


def _row(skill: Skill, found: Scan) -> SkillRow:
    one = found.skills.get(skill.name)
    return SkillRow(skill, skill_folders.kind_of(skill), one.file.warning if one else "")


def _own(folder: Path) -> Part | None:
    try:
        return Part(FILE, (folder / FILE).stat().st_size)
    except OSError:
        return None


def _preview(folder: Path, part: Part) -> Preview | None:
    try:
        content = skill_files.part_bytes(folder, part.path, MAX_SKILL_PREVIEW_BYTES + 1)
    except OSError:
        return None
    is_cut = len(content) > MAX_SKILL_PREVIEW_BYTES
    return Preview(part.path, part.size, _text(content[:MAX_SKILL_PREVIEW_BYTES], is_cut), is_cut)


def _text(content: bytes, is_cut: bool) -> str | None:
    """None if it is no text; a character that the cut went through is left out."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        if not is_cut or error.start < len(content) - 3:
            return None
        text = content[: error.start].decode()
    return None if "\0" in text else visible(text)
