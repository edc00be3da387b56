"""Makes the icons of the installed app from `static/favicon.svg`: `python -m tests.app_icons`.

Chromium draws them. An icon that systems cut to a shape of their own (maskable, apple-touch) is
filled to its edges, with the sign in the middle 80 % (https://www.w3.org/TR/appmanifest/#icon-masks).
"""

import re
from pathlib import Path

from playwright.sync_api import Page

from tests import chromium

STATIC = Path(__file__).resolve().parent.parent / "static"
SIGN = STATIC / "favicon.svg"
FOLDER = STATIC / "app"
# Pixels of a side; whether the icon is filled to its edges.
ICONS = {
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "maskable-512.png": (512, True),
    "apple-touch-180.png": (180, True),
    "new-96.png": (96, False),
}
# Of the view box, which is 16 units wide: room around the sign of a filled icon.
MARGIN = 1.2
PLUS = "M8 4v8M4 8h8"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with chromium.running() as browser:
        page = browser.new_page()
        for name, (side, is_filled) in ICONS.items():
            draw(page, svg(name, is_filled=is_filled), side, FOLDER / name)


def svg(name: str, *, is_filled: bool) -> str:
    """The favicon, or a form of it."""
    text = SIGN.read_text(encoding="utf-8")
    if name.startswith("new-"):
        text = re.sub(r'(<path d=")[^"]*', rf"\g<1>{PLUS}", text)
    if not is_filled:
        return text
    box = f"{-MARGIN} {-MARGIN} {16 + 2 * MARGIN} {16 + 2 * MARGIN}"
    text = text.replace('viewBox="0 0 16 16"', f'viewBox="{box}"')
    return re.sub(
        r'<rect [^>]*fill="(#\w+)"/>',
        r'<rect x="-8" y="-8" width="32" height="32" fill="\1"/>',
        text,
    )


def draw(page: Page, drawing: str, side: int, file: Path) -> None:
    page.set_viewport_size({"width": side, "height": side})
    sized = drawing.replace("<svg ", f'<svg width="{side}" height="{side}" ', 1)
    page.set_content(f'<body style="margin:0;display:flex">{sized}</body>')
    page.screenshot(path=file, omit_background=True)


if __name__ == "__main__":
    main()
