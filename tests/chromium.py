"""The browser that tests and pictures use: the system's Chromium, else Playwright's own."""

import shutil

from playwright.sync_api import Browser, Playwright


def launch(playwright: Playwright) -> Browser:
    # CI runs as root, where Chromium's sandbox does not.
    return playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])


def executable() -> str | None:
    """The system's Chromium; None for Playwright's own."""
    return shutil.which("chromium") or shutil.which("chromium-browser")
