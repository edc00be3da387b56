"""The page in which previews run; what it holds in is tried in chat/tests/page/test_previews.py."""

from django.test import Client


def test_the_page_of_a_preview_is_a_sandbox_without_network(client: Client) -> None:
    policy = client.get("/preview")["Content-Security-Policy"].split("; ")
    assert "sandbox allow-scripts" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert not any("http" in one or "*" in one or "unsafe-eval" in one for one in policy)


def test_only_our_own_script_runs_unless_the_person_says_so(client: Client) -> None:
    assert "unsafe-inline" not in _script_rule(client, "/preview")
    assert "unsafe-inline" in _script_rule(client, "/preview?scripts")


def _script_rule(client: Client, path: str) -> str:
    policy = client.get(path)["Content-Security-Policy"].split("; ")
    return next(one for one in policy if one.startswith("script-src"))


def test_no_cookie_is_set_with_it(client: Client) -> None:
    assert not client.get("/preview").cookies
