"""The page in which previews run; what it holds in is tried in chat/tests/page/test_previews.py."""

from typing import Any

import pytest
from django.test import Client


@pytest.mark.parametrize("path", ["/preview", "/preview?scripts"])
def test_the_page_of_a_preview_is_a_sandbox_without_network(client: Client, path: str) -> None:
    policy = client.get(path)["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert not any("http" in one or "*" in one or "unsafe-eval" in one for one in policy)


def test_a_preview_of_this_site_has_no_script_and_one_with_scripts_is_of_no_site(
    client: Client,
) -> None:
    still, running = client.get("/preview"), client.get("/preview?scripts")
    assert _rules(still) >= {"sandbox allow-same-origin", "script-src 'none'"}
    assert _rules(running) >= {"sandbox allow-scripts", "script-src 'unsafe-inline'"}
    assert "<script" not in still.content.decode()


def _rules(response: Any) -> set[str]:
    return set(response["Content-Security-Policy"].split("; "))


def test_no_cookie_is_set_with_it(client: Client) -> None:
    assert not client.get("/preview").cookies
