"""What Roundtrip itself put into a conversation, told apart in the stages of a model call."""

import pytest
from django.test import Client

from tracing.page.stages.messages import read_message_view
from tracing.page.stages.product_text import annotate
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import CALL, Page

REMINDER = "<reminder>Update your todos.</reminder>"
SKILLS = "Skills available:\n- pdf: Reads files."
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": f"42\n\n{REMINDER}"}
SYSTEM = {"role": "system", "content": f"You help.\n\n{SKILLS}"}


def test_a_reminder_is_told_from_the_result_that_it_ends() -> None:
    entry = read_message_view(wire({**TOLD, "reminder": REMINDER}), 1, "")
    assert [(one.text, bool(one.product_text)) for one in entry.annotated] == [
        ("42\n\n", False),
        (REMINDER, True),
    ]
    assert entry.rest == ""


def test_a_result_that_only_ends_like_one_is_the_tool_s() -> None:
    assert read_message_view(wire(TOLD), 1, "").annotated == []


def test_words_on_the_wire_are_known_from_the_input() -> None:
    meant = [read_message_view(wire({**SYSTEM, "skills": SKILLS}), 1, "")]
    (sent,) = annotate([read_message_view(wire(SYSTEM), 1, "")], meant)
    assert [one.product_text for one in sent.annotated] == [
        "",
        "List of skills, added by Roundtrip",
    ]
    assert "".join(one.text for one in sent.annotated) == SYSTEM["content"]


def test_several_texts_are_told_apart() -> None:
    memory = "<memory>\n1. Likes tea.\n</memory>"
    system = {"role": "system", "content": f"You help.\n\n{SKILLS}\n\n{memory}"}
    entry = read_message_view(wire({**system, "skills": SKILLS, "memory": memory}), 1, "")
    (sent,) = annotate([read_message_view(wire(system), 1, "")], [entry])
    for shown in (entry, sent):
        assert "".join(one.text for one in shown.annotated) == system["content"]
        added = [one.text for one in shown.annotated if one.product_text]
        assert added == [SKILLS, memory]


@pytest.mark.django_db
def test_both_are_marked_in_input_and_request_also_among_a_dialect_s_words(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 9))
    asked = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    meant = [{**SYSTEM, "skills": SKILLS}, asked, {**TOLD, "reminder": REMINDER}]
    written = {"role": "system", "content": f"{SYSTEM['content']}\n\n# Tools\nNone."}
    sent = [written, asked, TOLD]
    stages = {"input": wire({"messages": meant}), "request": wire({"messages": sent})}
    turn.a_generation(stages, (0, 9))
    page = Page(turn, client, turn.archive.owner)
    for stage in ("input", "request"):
        shown = page.stage(stage)
        assert shown.count('class="product-text"') == 2
        assert "Reminder, added by Roundtrip" in shown
    assert 'class="dialect-text"' in page.stage("request")
