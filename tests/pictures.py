"""Pictures of the pages, to be looked at: `python -m tests.pictures FOLDER [WORD …]`.

Both languages, both themes, a desk and a phone: those pages whose name has one of the words, else
those of `MAIN`. They are no part of the repository; the README's are `tests.screenshots`.
"""

import sys
from pathlib import Path
from typing import Literal

from tests.pages.running import visiting
from tests.pages.survey import DESK, PHONE
from tests.pages.table import Page, pages
from tests.pages.visits import LANGUAGES, Visits

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
MAIN = {
    *("chat:home", "chat:conversation rich", "chat:conversation waiting", "chat:search"),
    *("tracing:trace walked_trace", "tracing:list", "tracing:dashboard", "playground:playground"),
    *("assistants:index", "assistants:create", "prompts:index", "providers:index"),
    *("providers:model model", "tools:servers", "tools:server server", "tools:built_in"),
    *("settings:index", "skills:index", "data:delete_account", "account_login", "/nowhere/"),
    *("transfer:import import", "admin:index", "admin:chat_turn_changelist"),
}


def main(folder: Path, words: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with visiting() as visits:
        for page in pages():
            name = str(page)
            if any(word in name for word in words) if words else name in MAIN:
                for language in LANGUAGES:
                    _pictures(visits, page, language, folder)


def _pictures(visits: Visits, page: Page, language: str, folder: Path) -> None:
    name = "".join(letter if letter.isalnum() else "-" for letter in str(page)).strip("-")
    with visits.tab(page, language) as tab:
        for theme in THEMES:
            for size in (DESK, PHONE):
                tab.emulate_media(color_scheme=theme)
                tab.set_viewport_size(size)
                file = folder / f"{name}-{language}-{theme}-{size['width']}.png"
                tab.screenshot(path=file, animations="disabled", caret="hide")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
