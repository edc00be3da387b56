"""The prompt text of Qwen2.5: rule 13."""

import pytest

from chat.llm.dialects.chatml import ChatML, render
from chat.llm.errors import BadTemplate
from chat.llm.messages import Message
from chat.tests.llm.conversations import WEATHER, assistant, call, result, system, user

TOOLS_BLOCK = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "weather", "description": "天气", "parameters": \
{"type": "object", "properties": {"city": {"type": "string"}}}}}
</tools>

For each function call, return a json object with function name and arguments within \
<tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""


def turn(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def prompt(*history: Message) -> str:
    text: str = ChatML().request(history).body["prompt"]
    return text.removesuffix("<|im_start|>assistant\n")


def test_without_a_system_message_there_is_the_template_s() -> None:
    assert ChatML().request([user("?")]).body == {
        "prompt": turn("system", "You are a helpful assistant.")
        + turn("user", "?")
        + "<|im_start|>assistant\n"
    }


def test_the_tools_stand_below_the_system_text() -> None:
    text = ChatML().request([system("s"), user("?")], [WEATHER]).body["prompt"]

    assert text.startswith(turn("system", f"s\n\n{TOOLS_BLOCK}"))


def test_tools_that_may_not_be_called_are_not_in_it() -> None:
    request = ChatML().request([system("s"), user("?")], [WEATHER], "none")

    assert "<tools>" not in request.body["prompt"]


def test_a_later_system_message_stays_where_it_is() -> None:
    assert prompt(system("s"), user("?"), system("t")).endswith(
        turn("user", "?") + turn("system", "t")
    )


def test_arguments_are_values_and_stay_a_string_if_they_are_none() -> None:
    calls = call("f", '{"北":1.0,"b":[1e5]}'), call("g", "{"), call("h", "")

    assert prompt(user("?"), assistant("Well", *calls)).endswith(
        "<|im_start|>assistant\nWell"
        '\n<tool_call>\n{"name": "f", "arguments": {"北": 1.0, "b": [100000.0]}}\n</tool_call>'
        '\n<tool_call>\n{"name": "g", "arguments": "{"}\n</tool_call>'
        '\n<tool_call>\n{"name": "h", "arguments": ""}\n</tool_call><|im_end|>\n'
    )


def test_a_call_without_text_begins_its_own_line() -> None:
    assert prompt(user("?"), assistant(None, call("f"))).endswith(
        "<|im_start|>assistant"
        '\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n'
    )


def test_neighbouring_results_share_a_turn_in_the_order_of_their_arrival() -> None:
    calls = call("f", call_id="x"), call("g", call_id="y")

    assert prompt(assistant("", *calls), result("2", "y"), result("1", "x"), user("!")).endswith(
        "<|im_start|>user\n<tool_response>\n2\n</tool_response>"
        "\n<tool_response>\n1\n</tool_response><|im_end|>\n" + turn("user", "!")
    )


def test_content_that_is_missing_or_in_parts_is_text() -> None:
    parts: Message = {"role": "user", "content": [{"type": "text", "text": "a"}]}

    assert prompt(parts, {"role": "assistant", "content": None}).endswith(
        turn("user", "a") + turn("assistant", "")
    )


def test_html_and_separators_are_left_as_they_are() -> None:
    odd = "<b>&'\u2028"
    arguments = f'{{"a": "{odd}"}}'

    assert arguments in prompt(user(odd), assistant("", call("f", arguments)))
    assert turn("user", odd) in prompt(user(odd))


def test_no_messages_are_an_error() -> None:
    with pytest.raises(BadTemplate, match="list object has no element 0"):
        ChatML().request([])


def test_what_text_cannot_express_is_said() -> None:
    image: Message = {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}

    assert len(ChatML().request([image], [{"type": "web_search"}], "required").notes) == 3


def test_another_template_gets_what_such_templates_expect() -> None:
    template = (
        "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }}"
        "{{ m.tool_calls[0].function.arguments.a if m.tool_calls }}{% endfor %}"
        "{{ tools is none }}{{ add_generation_prompt }}"
    )
    history = [user("?"), assistant("Well", call("f", '{"a": 7}'))]

    assert render(history, template=template, tokens={"bos_token": "<s>"}) == (
        "<s>user:?assistant:Well7TrueTrue"
    )
