"""Menus, dialogs and panels of pages: each is opened by what opens it, named by what it is.

Selectors are those of the markup, since the words are in another language every second time.
"""

from dataclasses import dataclass

from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

SHOWN = "visible=true"


@dataclass(frozen=True)
class Opens:
    """How something is opened: selectors that are clicked one after the other, or a key; `shows` is
    to be seen then. `escapes`: Escape closes it, and the focus goes to what opened it."""

    name: str
    clicks: tuple[str, ...]
    shows: str
    key: str = ""
    escapes: bool = True

    def __call__(self, tab: Tab) -> None:
        for selector in self.clicks:
            tab.locator(selector).locator(SHOWN).first.click()
        if self.key:
            tab.keyboard.press(self.key)
        expect(self.shown(tab)).to_be_visible()

    def shown(self, tab: Tab) -> Locator:
        return tab.locator(self.shows).locator(SHOWN).first


def click(name: str, *selectors: str, shows: str, escapes: bool = True) -> Opens:
    return Opens(name, selectors, shows, escapes=escapes)


def press(name: str, key: str, shows: str) -> Opens:
    return Opens(name, (), shows, key=key)


MENU = "#conversation-menu > summary"
RICH = (
    click("account menu", ".account-menu > summary", shows=".account-menu .menu-panel"),
    click("conversation menu", MENU, shows="#conversation-menu .menu-panel"),
    click("export menu", MENU, ".menu-fold > summary", shows="[data-print]", escapes=False),
    click("rename", MENU, "[data-rename-open]", shows="#rename", escapes=False),
    click("deletion", MENU, "[data-delete-open]", shows="form#delete", escapes=False),
    click("find", MENU, "[data-find-open]", shows="#find-count, .find", escapes=False),
    click("assistant", MENU, "[data-settings-open=assistant]", shows="dialog[open] form"),
    click("instructions", MENU, "[data-settings-open=own]", shows="dialog[open] form"),
    click("limits", MENU, "[data-settings-open=limits]", shows="dialog[open] form"),
    click("context", "#context > summary", shows="#compact"),
    click("tools menu", "#tools-menu > summary", shows="#tools-menu .menu-panel"),
    click("files", "#files-open", shows="#files-panel"),
    click("row menu", "[data-row-menu]", shows="#row-menu"),
    click("tags", "[data-row-menu]", "#row-menu [data-act=tags]", shows="#tags-dialog"),
    click("row deletion", "[data-row-menu]", "#row-menu [data-act=delete]", shows="#delete-dialog"),
    click("shortcuts", "[popovertarget=shortcuts]", shows="#shortcuts dl"),
    click("palette", "[data-palette-open]", shows="#palette [role=option]"),
    click("prompts", "#offers-open", shows="dialog[open]"),
    click("edit", "[data-edit-question]", shows=".edit-place textarea", escapes=False),
    click("regenerate menu", ".regenerate > summary", shows="[data-regenerate-panel] *"),
    click(
        "reasoning", "details.reasoning > summary", shows="details.reasoning[open]", escapes=False
    ),
    click(
        "call",
        ".call > summary, .call summary",
        shows=".call[open], details[open] pre",
        escapes=False,
    ),
    click("note", ".feedback-note > summary", shows="[data-feedback-note]", escapes=False),
)
WAITING = (click("queued editor", "[data-queue-act=edit]", shows=".queue-form"),)
OPENED: dict[tuple[str, str], tuple[Opens, ...]] = {
    ("chat:conversation", "rich"): RICH,
    ("chat:conversation", "waiting"): WAITING,
    ("assistants:index", ""): (
        click(
            "account menu",
            ".account-menu > summary",
            shows=".account-menu .menu-panel",
        ),
        click("palette", "[data-palette-open]", shows="#palette [role=option]"),
    ),
    ("chat:search", ""): (
        click("selection", "[data-choose-all]", shows="[data-selection-acts]", escapes=False),
        click("shortcuts", "[popovertarget=search-shortcuts]", shows="#search-shortcuts"),
    ),
    ("tracing:trace", "walked_trace"): (press("shortcuts", "?", shows="#shortcuts"),),
    ("tracing:list", ""): (press("shortcuts", "?", shows="#list-shortcuts"),),
}
