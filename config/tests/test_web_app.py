"""The manifest of the installed app, its icons, the service worker and the offline page."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client


def manifest(language: str = "en") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        Client().get("/app.webmanifest", headers={"Accept-Language": language}).content
    )
    return found


def file_of(address: str) -> Path:
    found = finders.find(address.removeprefix(f"/{settings.STATIC_URL.strip('/')}/"))
    assert isinstance(found, str), address
    return Path(found)


def test_each_icon_has_the_size_that_it_says() -> None:
    said = manifest()
    icons = [*said["icons"], *(icon for one in said["shortcuts"] for icon in one.get("icons", []))]
    for icon in icons:
        width, height = struct.unpack(">II", file_of(icon["src"]).read_bytes()[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    assert {(icon["sizes"], icon["purpose"]) for icon in said["icons"]} == {
        ("192x192", "any"),
        ("512x512", "any"),
        ("512x512", "maskable"),
    }


def test_the_manifest_is_in_the_readers_language() -> None:
    assert manifest()["shortcuts"][0]["name"] == "New conversation"
    assert manifest("zh-CN")["shortcuts"][0]["name"] == "新对话"
    assert manifest("zh-CN")["lang"] == "zh-Hans"


def test_the_service_worker_keeps_three_files_that_there_are() -> None:
    text = Client().get("/service-worker.js").content.decode()
    shell = json.loads(text.partition("const SHELL = ")[2].partition(";\n")[0])
    assert shell["page"] == "/offline/"
    assert [file_of(address).name for address in shell["files"]] == ["offline.css", "offline.js"]
    assert "addAll" in text


def test_it_is_another_one_in_another_language() -> None:
    texts = {
        Client().get("/service-worker.js", headers={"Accept-Language": language}).content
        for language in ("en", "zh-CN")
    }
    assert len(texts) == 2


@pytest.mark.parametrize("address", ["/app.webmanifest", "/service-worker.js", "/offline/"])
def test_nobody_has_to_be_signed_in(address: str) -> None:
    """And nothing is read from the database, which pytest would refuse."""
    assert Client().get(address).status_code == 200


def test_pages_name_the_manifest_and_may_have_a_worker(client: Client, db: None) -> None:
    page = client.get("/accounts/login/")
    assert '<link rel="manifest" href="/app.webmanifest"' in page.content.decode()
    assert "worker-src 'self'" in page.headers["Content-Security-Policy"]
