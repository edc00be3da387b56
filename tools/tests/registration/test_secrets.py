"""Which values of a server's environment and headers are secret."""

import pytest

from tools.values.secrets import is_secret, masked_texts
from tools.values.server_config import ServerConfig

SECRET = [
    ("API_TOKEN", "canary-123"),
    ("OPENAI_API_KEY", "information"),
    ("githubToken", "correct horse battery"),
    ("DB_PASSWORD", "a/b/c/d/e"),
    ("DB_PASSWORD", "/slash-at-the-start"),
    ("SIGNING_KEY", "/Xk3+jd92kdPq0aZ7m=="),
    ("Authorization", "Bearer canary-7d1f"),
    ("X-Api-Key", "canary-7d1f"),
    ("Cookie", "session=canary"),
    ("K", "sk-proj-0123456789abcdef"),
    ("K", "ghp_abcdefghijklmnop"),
    ("K", "f3b9c8d17a6e4f20b5d4c3a29e8f7061"),
    ("K", "2f1b8a34-91c2-4d0e-8a77-0c5e6f7a8b9d"),
    ("K", "eyJhbGciOiJIUzI1NiJ9.e30.abc"),
    ("DATABASE_URL", "postgres://me:pa55word-canary@db:5432/shop"),
    ("HOOK", "https://hooks.example.com/services/T0A1B2C3D4E5F6G7H8"),
]
SETTINGS = [
    ("DOCS_DIR", "/data/work"),
    ("TOPIC", "information"),
    ("WORDS", "a long description with many words"),
    ("AWS_REGION", "eu-central-1"),
    ("MODEL", "claude-sonnet-4-5-20250929"),
    ("BASE_URL", "https://api.example.com/v1/chat"),
    ("KEY_FILE", "/home/me/.ssh/id_ed25519"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "/etc/google/credentials.json"),
    ("TOKEN_URL", "https://example.com/oauth/token"),
    ("AUTH_TYPE", "oauth-client"),
    ("MONKEY_NAME", "chimpanzee"),
    ("KEYBOARD_LAYOUT", "de-nodeadkeys"),
    ("BUILD", "1234567890123456"),
    ("Accept", "application/json, text/event-stream"),
    ("DB_PATH", "{workspace}/database.sqlite3"),
    ("FOLDERS", "/nix/store/0c5e6f7a8b9d2f1b8a3491c24d0e-sqlite"),
    ("NODE_OPTIONS", "--max-old-space-size=4096"),
    ("TOKEN", "short"),
]


@pytest.mark.parametrize(("name", "value"), SECRET)
def test_a_credential_is_recognised(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_a_setting_is_none(name: str, value: str) -> None:
    assert not is_secret(name, value)


def test_of_a_url_its_password_is_masked_and_not_its_host() -> None:
    texts = list(masked_texts("DATABASE_URL", "postgres://me:pa55word-canary@db:5432/shop"))
    assert texts == ["me:pa55word-canary@", "pa55word-canary"]


def test_a_password_that_is_a_word_is_masked_where_it_is_the_password() -> None:
    texts = list(masked_texts("DATABASE_URL", "postgres://postgres:postgres@db/shop"))
    assert texts == ["postgres:postgres@"]


def test_of_a_header_the_token_is_masked_by_itself_too() -> None:
    assert list(masked_texts("Authorization", "Bearer canary-7d1f")) == [
        "Bearer canary-7d1f",
        "canary-7d1f",
    ]


def test_a_mark_counts_more_than_what_it_looks_like() -> None:
    env = (("REGION", "avalon"), ("TOKEN", "canary-123"))
    config = ServerConfig("s", "stdio", env=env, marks=(("REGION", True), ("TOKEN", False)))
    assert config.secrets == ("avalon",)
