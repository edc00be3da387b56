from typing import Any

import pytest

from chat.llm.messages import text_of
from chat.tests.transfer import files
from chat.transfer.errors import BrokenConversation
from chat.transfer.plan import Plan
from chat.transfer.reading import read_plan


def branch(plan: Plan) -> list[str]:
    """The shown messages: the beginning of a role, and the text."""
    shown = {one.key for one in plan.turns if one.columns["is_shown"]}
    kept = [one for one in plan.messages if one.turn is None or one.turn in shown]
    return [f"{one.body['role'][0]}: {text_of(one.body.get('content'))}" for one in kept]


def calls(plan: Plan) -> list[str]:
    made = [call for one in plan.messages for call in one.body.get("tool_calls", ())]
    return [f"{call['function']['name']} {call['function']['arguments']}" for call in made]


def test_chatgpt_keeps_branches_calls_and_the_shown_path() -> None:
    plan = read_plan(files.chatgpt())
    assert branch(plan) == [
        "u: 数据库有几张表?",
        "a: ",
        "t: 6",
        "a: Six.",
        "u: Which?",
        "a: These.",
    ]
    assert (plan.product, plan.title, plan.branches) == ("chatgpt", "Tables", 2)
    assert calls(plan) == ["python print(6)"]


def test_an_answer_beside_another_one_names_the_turn_that_was_asked_first() -> None:
    plan = read_plan(files.chatgpt())
    assert [one.original for one in plan.turns] == [None, "0", None]
    assert plan.turns[0].model == ("", "gpt-4o")


def test_what_chatgpt_hides_is_left_out_but_its_place_counts() -> None:
    node = files.chatgpt_node("q1", "h", "user", "Hi")
    hidden = files.chatgpt_node(
        "h", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}
    )
    root = {"id": "root", "message": None, "parent": None, "children": ["h"]}
    mapping = {"root": root, "h": hidden, "q1": node}
    assert branch(read_plan(files.chatgpt(mapping=mapping, current_node="q1"))) == ["u: Hi"]


def test_chatgpts_thoughts_become_the_reasoning_of_the_answer_after_them() -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "Hm."}]}
    nodes = [
        files.chatgpt_node("q", None, "user", "Hi"),
        files.chatgpt_node("t", "q", "assistant", content=thoughts),
        files.chatgpt_node("a", "t", "assistant", "Hello."),
    ]
    mapping = {node["id"]: node for node in nodes}
    plan = read_plan(files.chatgpt(mapping=mapping, current_node="a"))
    assert plan.messages[-1].body["reasoning_content"] == "Hm."
    assert len(plan.messages) == 2


def test_citations_of_chatgpt_become_links() -> None:
    mark, other = "\ue200cite\ue202turn0search1\ue201", "\ue200navlist\ue202x\ue201"
    link = "([Zoo](https://zoo.example/))"
    references = [{"matched_text": mark, "alt": link}, {"matched_text": 5}, None]
    answer = files.chatgpt_node(
        "a", "q", "assistant", f"Small {mark}.{other}", metadata={"content_references": references}
    )
    mapping = {"q": files.chatgpt_node("q", None, "user", "?"), "a": answer}
    assert branch(read_plan(files.chatgpt(mapping=mapping)))[-1] == f"a: Small {link}."


def test_images_of_chatgpt_are_counted_as_left_out() -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1"}
    content = {"content_type": "multimodal_text", "parts": [image, "What is this?"]}
    mapping = {"q": files.chatgpt_node("q", None, "user", content=content)}
    plan = read_plan(files.chatgpt(mapping=mapping, current_node="q"))
    assert plan.left_out["images"] == 1
    assert branch(plan) == ["u: [image]\n\nWhat is this?"]


def test_claude_keeps_reasoning_calls_results_and_branches() -> None:
    plan = read_plan(files.claude())
    assert branch(plan) == [
        'u: <file name="notes.txt">\nhello\n</file>\n\nWhat is a quokka?',
        "a: ",
        "t: A marsupial.",
        "a: It is a marsupial.",
        "u: More?",
    ]
    assert plan.branches == 2
    assert calls(plan) == ['web_search {"query":"quokka"}']
    assert plan.messages[1].body["reasoning_content"] == "Let me look."


def test_an_older_export_of_claude_is_a_list_without_branches() -> None:
    messages = files.claude()["chat_messages"]
    for one in messages:
        del one["parent_message_uuid"]
    plan = read_plan(files.claude(chat_messages=messages))
    assert (plan.branches, len(plan.turns)) == (1, 3)


def test_open_webui_keeps_both_answers_and_the_shown_one() -> None:
    plan = read_plan(files.open_webui())
    assert branch(plan) == ["u: [sums.pdf]\n\n2 + 2?", "a: 4"]
    assert plan.branches == 2
    assert plan.messages[1].body["reasoning_content"] == "2 + 2"
    assert [one.model for one in plan.turns] == [("", "llama"), ("", "qwen")]


def test_what_was_pinned_archived_or_tagged_stays_so() -> None:
    tagged = read_plan(files.open_webui(pinned=True, meta={"tags": ["sums", 5]}))
    assert (tagged.columns["pinned"], tagged.columns["archived"]) == (
        tagged.columns["updated"],
        None,
    )
    assert tagged.tags == ["sums"]
    archived = read_plan(files.chatgpt(is_archived=True, is_starred=True))
    assert (archived.columns["pinned"], archived.columns["archived"]) == (
        None,
        archived.columns["updated"],
    )


def test_open_webui_keeps_what_an_answer_did_in_order() -> None:
    value = files.open_webui()
    value["chat"]["history"]["currentId"] = "x2"
    value["chat"]["history"]["messages"]["x2"]["output"] = [
        files.open_webui_item("reasoning", "I ask for it."),
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"a":2}'},
        {"type": "function_call", "call_id": "c2", "name": "add", "arguments": '{"a":3}'},
        files.open_webui_result("c1", "4"),
        files.open_webui_result("c2", "interrupted", status="incomplete"),
        files.open_webui_item("message", "It is 4."),
        {"type": "open_webui:code_interpreter", "code": "2 + 2"},
    ]
    plan = read_plan(value)
    bodies = [one.body for one in plan.messages if one.turn == plan.turns[1].key]
    assert [one["role"] for one in bodies] == ["user", "assistant", "tool", "tool", "assistant"]
    assert bodies[1]["reasoning_content"] == "I ask for it."
    assert calls(plan) == ['add {"a":2}', 'add {"a":3}']
    assert [one.get("is_error", False) for one in bodies[2:4]] == [False, True]
    assert bodies[4]["content"] == "It is 4."
    assert plan.left_out["steps of other kinds"] == 1
    assert plan.turns[1].columns["is_shown"]


def test_librechat_keeps_reasoning_calls_and_branches() -> None:
    plan = read_plan(files.librechat())
    assert [one.body["role"] for one in plan.messages] == [
        *("user", "assistant", "tool", "assistant"),
        *("user", "assistant"),
    ]
    assert calls(plan) == ['search {"q":"x"}']
    assert plan.branches == 2


def test_a_nested_export_of_librechat_is_the_same_as_a_flat_one() -> None:
    first, *answers = files.librechat()["messages"]
    nested = files.librechat(recursive=True, messages=[{**first, "children": answers}])
    assert branch(read_plan(nested)) == branch(read_plan(files.librechat()))


def test_a_history_of_qwen_agent_is_one_branch() -> None:
    plan = read_plan(files.qwen_agent())
    assert branch(plan) == [
        "s: You are helpful.",
        "u: 画一只狗\n\n[image]",
        "a: ",
        "t: https://images.example/dog.png",
        "a: Here it is.",
    ]
    results = [one.body for one in plan.messages if one.body["role"] == "tool"]
    made = [call["id"] for one in plan.messages for call in one.body.get("tool_calls", ())]
    assert [one["tool_call_id"] for one in results] == made


def test_sharegpt_is_read() -> None:
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    plan = read_plan({"id": "1", "conversations": turns, "system": "Be kind."})
    assert branch(plan) == ["s: Be kind.", "u: Hi", "a: Hello"]


def test_the_same_history_without_an_id_has_the_same_key() -> None:
    assert read_plan(files.qwen_agent()).key == read_plan(files.qwen_agent()).key


def chain(depth: int) -> dict[str, Any]:
    parents = [None, *map(str, range(depth))]
    nodes = [
        files.chatgpt_node(str(n), parents[n], "assistant" if n % 2 else "user", "x")
        for n in range(depth)
    ]
    return files.chatgpt(mapping={node["id"]: node for node in nodes}, current_node=str(depth - 1))


def test_a_tree_of_10_000_levels_is_read() -> None:
    plan = read_plan(chain(10_000))
    assert len(plan.turns) == 5_000
    assert all(one.columns["is_shown"] for one in plan.turns)


def test_a_thousand_branches_are_read() -> None:
    nodes = [files.chatgpt_node("q", None, "user", "?")]
    nodes += [files.chatgpt_node(f"a{n}", "q", "assistant", str(n)) for n in range(1_000)]
    mapping = {node["id"]: node for node in nodes}
    plan = read_plan(files.chatgpt(mapping=mapping, current_node="a500"))
    assert plan.branches == 1_000
    assert branch(plan) == ["u: ?", "a: 500"]


def test_branches_that_repeat_too_many_messages_are_refused() -> None:
    nodes = [files.chatgpt_node("0", None, "user", "?")]
    for n in range(1, 400):
        nodes.append(files.chatgpt_node(str(n), str(n - 1), "assistant", "x"))
        nodes.append(files.chatgpt_node(f"u{n}", str(n), "user", "x"))
    mapping = {node["id"]: node for node in nodes}
    with pytest.raises(BrokenConversation, match="more than 20,000 messages"):
        read_plan(files.chatgpt(mapping=mapping))


def node(own: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {own: {**files.chatgpt_node(own, parent, "user", "x"), **fields}}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (files.chatgpt(mapping=[]), "“mapping” is no object."),
        (files.chatgpt(mapping={"a": 5}), "The node “a” is no object."),
        (files.chatgpt(mapping=node("a", "b")), "follows “b”, which is not in the file"),
        (files.chatgpt(mapping={**node("a", "b"), **node("b", "a")}), "its own ancestor"),
        (files.chatgpt(mapping=node("a", None, message={"author": {"role": "x"}})), "no role"),
        (files.chatgpt(title=5), "“title” is no text but int."),
        (files.claude(chat_messages={}), "“chat_messages” is no list"),
        (files.claude(chat_messages=[{"uuid": "1", "sender": "dog"}]), "no sender of Claude"),
        (
            files.claude(chat_messages=[{"uuid": "1", "sender": "human"}] * 2),
            "Two messages have the id “1”.",
        ),
        (files.librechat(messages=[5]), "“messages” is no list of objects."),
        (files.open_webui(chat={"history": {"messages": []}}), "is no object."),
        ([{"role": "user", "content": "x"}, {"role": "king"}], "Message 2 has the role “king”"),
        ({"some": "thing"}, "none of these: Roundtrip, ChatGPT, Claude, Open WebUI, LibreChat"),
        ({}, "none of these"),
        (5, "none of these"),
    ],
)
def test_a_broken_conversation_is_refused_with_a_sentence(value: Any, sentence: str) -> None:
    with pytest.raises(BrokenConversation) as refusal:
        read_plan(value)
    assert sentence in str(refusal.value)
