"""What is found to be a secret, and what is not."""

import pytest

from chat.sharing.secret_texts import Masking

NOTHING = Masking([])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("use sk-proj-abcdefghijklmnop0123456789 here", "abcdefghijklmnop"),
        ("key=sk-ant-api03-abcdefghijklmnop-0123456789", "abcdefghijklmnop"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghij"),
        ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh1234", "abcdefgh1234"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEow without an end", "MIIEow"),
        ("Authorization: Bearer abcdef123456.7890", "abcdef123456"),
        ("postgres://me:s3cr3tword@db/app", "s3cr3tword"),
        ('{"password": "hunter2!x"}', "hunter2!x"),
        ('{\\"password\\": \\"hunter2!x\\"}', "hunter2!x"),
        ("API_KEY = 'abc123def456'", "abc123def456"),
        ("密码是hunter2x", "hunter2x"),
        ("密码：hunter2x", "hunter2x"),
    ],
)
def test_a_text_with_the_form_of_a_secret_is_masked(text: str, secret: str) -> None:
    masked = NOTHING.text(text)
    assert secret not in masked and "[redacted" in masked


@pytest.mark.parametrize(
    "text",
    [
        "def sign_in(token: string, password: required)",
        "The password is what you type; the token comes later.",
        "https://example.com/a:b@c",
        "task-management and ask-me-anything-about-quokkas",
        "12 + 30 = 42",
        "请输入密码。",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert NOTHING.text(text) == text


def test_a_kept_secret_is_found_in_json_too() -> None:
    masking = Masking(['a "quoted" secret'])
    assert "quoted" not in masking.text('{"x": "a \\"quoted\\" secret"}')
    assert masking.count == 1


def test_a_member_counts_with_its_name() -> None:
    masked = Masking([]).value({"login": {"password": "hunter2!x", "user": "me"}})
    assert masked["login"]["user"] == "me" and "hunter2" not in masked["login"]["password"]


def test_the_same_secret_is_counted_once() -> None:
    masking = Masking([])
    masking.text("ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    masking.text("again ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    assert masking.count == 1


def test_masking_twice_changes_nothing() -> None:
    once = NOTHING.text("password: hunter2!x, Bearer abcdef123456.7890")
    assert NOTHING.text(once) == once
