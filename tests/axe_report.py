"""Writes what axe finds on all pages, in both languages, both themes, on a desk and on a phone:
`python -m tests.axe_report [FILE]` (without a file, to the terminal). Fails if it finds anything.

The pages are those of `tests.pages.table`, filled by `tests.pages.seeding`; the report is Markdown.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.pages.running import visiting
from tests.pages.survey import LOOKS, Findings
from tests.pages.table import Page, pages
from tests.pages.visits import LANGUAGES

Found = dict[tuple[Page, str], Findings]
NAMES = [f"{theme} {size['width']}" for theme, size, _ in LOOKS]


def main(file: Path | None) -> int:
    with visiting() as visits:
        found = {
            (page, language): visits.look(page, language)
            for page in pages()
            for language in LANGUAGES
        }
    text = "\n".join(_lines(found)) + "\n"
    if file:
        file.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 1 if any(one.axe for one in found.values()) else 0


def _lines(found: Found) -> Iterator[str]:
    """A table of how many rules each page keeps, and a list of what breaks one."""
    broken = sum(len(one.axe) for one in found.values())
    kept = sum(sum(one.passed.values()) for one in found.values())
    yield f"axe: {len(found)} pages (each language counts), {kept:,} rules kept, {broken} faults."
    yield ""
    yield f"| page | language | {' | '.join(NAMES)} | faults |"
    yield f"|---|---|{'--:|' * (len(NAMES) + 1)}"
    for (page, language), one in found.items():
        kept_by_look = " | ".join(str(one.passed.get(name, 0)) for name in NAMES)
        yield f"| {page} | {language} | {kept_by_look} | {len(one.axe)} |"
    for (page, language), one in found.items():
        for line in one.axe:
            yield f"\n- {page} ({language}) {line}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
