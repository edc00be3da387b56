from chat.engine.generation.outcome import Generated
from chat.llm.dialects import dialect
from tracing.page.stages.output_origins import read_marks
from wire.response_parts import ResponsePart


def test_the_trace_page_marks_a_malformed_call_by_its_stored_place() -> None:
    content = "Hi <tool_call>{no</tool_call>"
    output = Generated(answer=dialect("nous").answer({"content": content})).output()
    output["errors"] = ["A sentence without a place."]
    part = ResponsePart("content", "content", content)
    marked = [one.text for one in read_marks(output, [part]).origin_texts(part, 100) if one.problem]
    assert "".join(marked) == "<tool_call>{no</tool_call>"


def test_an_output_without_errors_has_no_places() -> None:
    assert (
        "error_places" not in Generated(answer=dialect("nous").answer({"content": "Hi"})).output()
    )
