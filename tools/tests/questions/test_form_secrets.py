"""Which fields of a server's form ask for a secret, and what is stored of them."""

import pytest

from tools.questions.form_secrets import seal, secret_fields, secret_values, unseal

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "name",
    [
        "password", "dbPassword", "user_password", "api_key", "apiKey", "API key", "token",
        "client_secret", "pin", "PIN", "OTP", "Card number", "\u5bc6\u7801", "Passwort",
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert [one.name for one in secret_fields({"properties": {name: TEXT}})] == [name]


@pytest.mark.parametrize(
    "name", ["user", "max_tokens", "tokens", "pinned", "keyboard", "spin", "secretary", "passenger"]
)
def test_an_ordinary_field_is_none(name: str) -> None:
    assert secret_fields({"properties": {name: TEXT}}) == []


def test_title_description_and_format_tell_as_well() -> None:
    properties = {
        "a": TEXT | {"title": "Your password"},
        "b": TEXT | {"description": "An API key of the service"},
        "c": TEXT | {"format": "password"},
        "d": {"type": "boolean", "title": "Remember my password"},
    }
    assert [one.name for one in secret_fields({"properties": properties})] == ["a", "b", "c"]


def test_the_only_field_is_what_the_question_asks_for() -> None:
    message = "Please enter your password"
    assert secret_fields({"properties": {"value": TEXT}}, message)
    assert not secret_fields({"properties": {"value": TEXT, "other": TEXT}}, message)


def test_secrets_are_stored_encrypted_and_come_back() -> None:
    schema = {"properties": {"user": TEXT, "password": TEXT, "pin": {"type": "integer"}}}
    content = {"user": "ada", "password": "hunter2", "pin": 4711}
    sealed = seal(schema, "", content)
    assert sealed["user"] == "ada"
    assert "hunter2" not in str(sealed)
    assert "4711" not in str(sealed["pin"].keys())
    assert unseal(sealed) == content
    assert secret_values(schema, "", content) == ("hunter2", "4711")


def test_an_answer_without_content_has_no_secret() -> None:
    assert seal(None, "", None) is None
    assert unseal(None) is None
    assert secret_values(None, "", None) == ()
