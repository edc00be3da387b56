from typing import Any

import pytest

from tracing.models import Span
from tracing.page.calls import sandbox_facts
from tracing.page.generation_facts import call_facts, generation_facts, generation_notes


def facts(**attributes: Any) -> dict[str, str]:
    return dict(generation_facts(Span(kind="generation", attributes=attributes)))


def test_cached_and_reasoning_tokens_have_names() -> None:
    usage = {
        "prompt_tokens": 12_000,
        "prompt_tokens_details": {"cached_tokens": 11_000},
        "completion_tokens_details": {"reasoning_tokens": 50},
    }
    known = facts(usage=usage)
    assert known["Tokens in"] == "12,000"
    assert known["Tokens in, from the cache"] == "11,000"
    assert known["Tokens out, of reasoning"] == "50"


def test_figures_of_unknown_names_keep_them() -> None:
    assert facts(usage={"x_groq": {"queue_time": 0.5}})["x groq: queue time"] == "0.5"


def test_the_usage_that_was_translated_is_there_as_it_was_told() -> None:
    known = facts(usage={"prompt_tokens": 5, "raw": {"input_tokens": 5}})
    assert known["Usage as reported"] == "input_tokens 5"


def test_estimated_tokens_are_marked() -> None:
    known = facts(usage={"prompt_tokens": 12_000, "estimated": True})
    assert known["Tokens in"] == "≈ 12,000" and known["Usage"].startswith("estimated")
    assert "estimated" not in known


def test_timings_and_the_wait_have_units() -> None:
    known = facts(timings={"reasoning_ms": 2100.0}, retry_in_ms=1500)
    assert known["Reasoning"] == "2.1 s"
    assert known["Wait until the next attempt"] == "1.5 s"


@pytest.mark.parametrize("strange", [None, 3, "x", [], {"a": None}, [3]])
def test_nothing_is_too_strange(strange: Any) -> None:
    span = Span(
        kind="generation",
        attributes={"usage": strange, "timings": strange, "notes": strange, "retry_in_ms": strange},
    )
    assert generation_facts(span)
    generation_notes(span)


def test_a_command_says_what_held_it_and_what_ended_it() -> None:
    noted = {
        "sandboxed": True,
        "exit_code": 137,
        "seconds": 2.5,
        "limit": "memory_bytes",
        "used": {"processes": 3},
        "limits": {"memory_bytes": 2**29, "processes": 64},
    }
    span = Span(kind="tool", name="bash", attributes={"sandbox": noted})
    facts = dict(call_facts(span))
    assert facts["Sandbox"] == "bubblewrap"
    assert facts["Ended by"] == sandbox_facts.ended_by(span)
    assert facts["Ended by"].startswith("Memory, at most 5")
    assert (facts["Exit code"], facts["Processes"]) == ("137", "3 of 64")


@pytest.mark.parametrize("noted", [None, 3, [], {"limit": 7, "limits": "x", "used": [1]}])
def test_no_sandbox_is_too_strange(noted: Any) -> None:
    assert call_facts(Span(kind="tool", name="bash", attributes={"sandbox": noted}))


def test_a_generation_says_how_many_of_the_tools_were_sent() -> None:
    span = Span(kind="generation", attributes={"tools": {"available": 63, "sent": 20}})
    assert dict(generation_facts(span))["Tools"] == "20 of 63 tools sent"
