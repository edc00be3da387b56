"""The prompt text of a round: what it shows, to whom, and through which template."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import LanguageModel
from chat.tests.builders import a_model
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = [pytest.mark.django_db, pytest.mark.long]

TOOL = {"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}
SYSTEM = {"role": "system", "content": "You look after a database."}
QUESTION = {"role": "user", "content": "数据库有几张表"}
ASKED = {"role": "assistant", "content": "<tool_call>…</tool_call>"}
TOLD = {"role": "user", "content": "<tool_response>\nthree\n</tool_response>"}
LOUD = "{% for message in messages %}\n{{ message.content | upper }}!\n{% endfor %}\n"
BROKEN = "{{ messages[0].content }}\n{% for message in messages %}\n"


@pytest.fixture
def model() -> LanguageModel:
    return a_model("qwen")


@pytest.fixture
def turn(model: LanguageModel) -> ATurn:
    """Two rounds in the nous dialect."""
    turn = ATurn(a_user())
    for number, messages in enumerate(([SYSTEM, QUESTION], [SYSTEM, QUESTION, ASKED, TOLD]), 1):
        a_round(turn, number, {"model": "qwen", "messages": messages})
    turn.end(300)
    return turn


def a_round(turn: ATurn, number: int, body: Any, dialect: str = "nous") -> None:
    noted = {"provider": "Provider", "model": "qwen", "dialect": dialect}
    turn.a_round(number, (number * 100, number * 100 + 90))
    turn.a_generation({"request": wire(body)}, (number * 100, number * 100 + 90), attributes=noted)


class Reader:
    def __init__(self, client: Client, turn: ATurn, user: User | None = None) -> None:
        self.client = client
        self.turn = turn
        client.force_login(user or turn.archive.owner)

    def address(self, number: int = 1, rest: str = "prompt") -> str:
        return f"{self.turn.trace.get_absolute_url()}rounds/{number}/{rest}"

    def text(self, number: int = 1) -> str:
        return self.client.get(self.address(number, "prompt.txt")).content.decode()

    def page(self, number: int = 1, rest: str = "prompt") -> str:
        response = self.client.get(self.address(number, rest))
        assert response.status_code == 200
        return response.content.decode()

    def post(self, template: str, **more: str) -> Any:
        return self.client.post(self.address(), {"template": template, **more}, follow=True)


@pytest.fixture
def owner(client: Client, turn: ATurn) -> Reader:
    return Reader(client, turn)


@pytest.fixture
def admin(client: Client, turn: ATurn) -> Reader:
    return Reader(client, turn, a_user(is_staff=True, is_superuser=True))


def test_a_nous_request_is_shown_as_the_text_that_the_model_reads(owner: Reader) -> None:
    assert owner.text() == (
        "<|im_start|>system\nYou look after a database.<|im_end|>\n"
        "<|im_start|>user\n数据库有几张表<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


@pytest.mark.parametrize("rest", ["prompt", "prompt/part"])
def test_the_page_and_the_part_tint_special_tokens(owner: Reader, rest: str) -> None:
    shown = owner.page(rest=rest)
    assert '<b class="special">&lt;|im_start|&gt;</b>system' in shown
    assert ("<html" in shown) == (rest == "prompt")


def test_what_is_new_since_the_round_before_is_marked(owner: Reader) -> None:
    shown = owner.page(2).split("data-new")[1].split("</pre>")[0]
    assert "three" in shown
    assert "数据库有几张表" not in shown


def test_of_a_native_request_the_tools_go_through_the_template(
    client: Client, model: LanguageModel
) -> None:
    turn = ATurn(a_user())
    a_round(turn, 1, {"messages": [QUESTION], "tools": [TOOL]}, "native")
    reader = Reader(client, turn)
    assert '{"type": "function", "function": {"name": "count"' in reader.text()
    assert "It was not sent in this form" in reader.page()


@pytest.mark.parametrize("dialect", ["anthropic", "functions"])
def test_other_dialects_have_no_prompt_text(
    client: Client, model: LanguageModel, dialect: str
) -> None:
    turn = ATurn(a_user())
    a_round(turn, 1, {"messages": [QUESTION]}, dialect)
    assert f"in the dialect {dialect}" in Reader(client, turn).page()


@pytest.mark.parametrize("body", [{"messages": []}, {"messages": [3]}, {"messages": "x"}, [], "x"])
def test_a_request_without_readable_messages_says_so(
    client: Client, model: LanguageModel, body: Any
) -> None:
    turn = ATurn(a_user())
    a_round(turn, 1, body)
    assert "see its JSON" in Reader(client, turn).page()


def test_the_models_own_template_is_used(owner: Reader, model: LanguageModel) -> None:
    LanguageModel.objects.update(chat_template=LOUD)
    assert owner.text() == "YOU LOOK AFTER A DATABASE.!\n数据库有几张表!\n"
    assert "with this model's template" in owner.page()


def test_an_admin_tries_a_template_and_it_is_not_kept(admin: Reader, model: LanguageModel) -> None:
    assert "YOU LOOK AFTER A DATABASE.!" in admin.post(LOUD).content.decode()
    model.refresh_from_db()
    assert model.chat_template == ""


def test_an_admin_keeps_a_template_for_the_model(admin: Reader, model: LanguageModel) -> None:
    admin.post(LOUD, keep="1")
    model.refresh_from_db()
    assert model.chat_template == LOUD
    admin.post("", keep="1")
    model.refresh_from_db()
    assert model.chat_template == ""


def test_a_template_that_does_not_work_says_in_which_line_and_is_not_kept(
    admin: Reader, model: LanguageModel
) -> None:
    response = admin.post(BROKEN, keep="1")
    assert response.status_code == 422
    assert "in line 2" in response.content.decode()
    model.refresh_from_db()
    assert model.chat_template == ""


@pytest.mark.parametrize("template", ["{{ ''.__class__.__mro__ }}", "{{ 'a' * 10**10 }}"])
def test_a_template_can_do_no_harm(admin: Reader, template: str) -> None:
    response = admin.post(template)
    assert response.status_code == 422
    assert "does not work" in response.content.decode()


def test_what_a_template_writes_is_text(admin: Reader) -> None:
    assert "<script>alert" not in admin.post("<script>alert(1)</script>").content.decode()


@pytest.mark.parametrize("rest", ["prompt", "prompt/part", "prompt.txt"])
def test_only_who_may_see_the_trace_may_see_its_prompts(
    client: Client, turn: ATurn, rest: str
) -> None:
    cast = {turn.archive.owner: 200, a_user(is_staff=True, is_superuser=True): 200, a_user(): 404}
    for user, status in cast.items():
        reader = Reader(client, turn, user)
        assert client.get(reader.address(rest=rest)).status_code == status


def test_only_admins_paste_templates(owner: Reader) -> None:
    assert owner.post(LOUD).status_code == 403
    assert "<textarea" not in owner.page()
    outsider = Reader(owner.client, owner.turn, a_user())
    assert outsider.post(LOUD).status_code == 404


def test_nobody_sees_a_prompt_without_signing_in(client: Client, turn: ATurn) -> None:
    address = f"{turn.trace.get_absolute_url()}rounds/1/prompt"
    assert client.get(address).status_code == 302
    assert client.get(f"{address}/part").status_code == 404
    assert client.post(address, {"template": LOUD}).status_code == 302


def test_a_round_that_is_not_there_has_no_prompt(owner: Reader) -> None:
    assert owner.client.get(owner.address(3)).status_code == 404


def test_the_trace_page_leads_to_the_prompt(owner: Reader) -> None:
    trace = owner.client.get(owner.turn.trace.get_absolute_url(), {"request": "prompt"})
    assert f'data-prompt="{owner.address(1, "prompt/part")}?attempt=1"' in trace.content.decode()
