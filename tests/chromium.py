"""The browser that tests and pictures use: the system's Chromium, else Playwright's own."""

import shutil

from playwright.sync_api import Browser, Playwright


def launch(playwright: Playwright) -> Browser:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    # CI runs as root, where Chromium's sandbox does not.
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
