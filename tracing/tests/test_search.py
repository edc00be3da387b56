import pytest
from django.contrib.auth.models import User

from limits.traces import MAX_INDEXED_TRACE
from tracing.models import SearchText, Trace
from tracing.retention import removal
from tracing.search import index, reindexing, texts
from tracing.search.document import Document
from tracing.search.matching import search
from tracing.search.query import parse
from tracing.search.snippets import snippet
from tracing.search.tokens import fold
from tracing.tests.builders import ATurn, an_archive, wire

pytestmark = pytest.mark.postgres


def found(query: str, *written: str) -> list[str]:
    """Those of the texts, each one of a trace, that the query finds."""
    archive = an_archive()
    traces = {
        Trace.objects.create(archive=archive, owner=archive.owner, name="A question").pk: text
        for text in written
    }
    index.write(traces)
    return [traces[trace.pk] for trace in search(query, Trace.objects.order_by("id"))]


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["表", "张表", "几张表", "数据库有几张表", '"有几张"'])
def test_chinese_is_found_by_one_two_and_more_characters(query: str) -> None:
    assert found(query, "数据库有几张表", "今天天气很好") == ["数据库有几张表"]


@pytest.mark.django_db
def test_characters_that_do_not_stand_together_are_not_taken_for_a_word() -> None:
    assert found("数据库", "数据和车库", "数据, 据库", "大数据库") == ["大数据库"]


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["table", "TABLE", "ｔａｂｌｅ", "tab*", "read_query", "naive"])
def test_words_are_found_whatever_their_case_width_and_accents(query: str) -> None:
    text = "sqlite-read_query on the Table: naïve"
    assert found(query, text, "a stable query that was read") == [text]


@pytest.mark.django_db
def test_several_words_all_have_to_be_there() -> None:
    assert found("weather 北京", "the weather in 北京", "the weather", "北京") == [
        "the weather in 北京"
    ]


@pytest.mark.django_db
def test_a_phrase_is_found_in_its_order_alone() -> None:
    assert found('"new york"', "in new york now", "york is new") == ["in new york now"]


@pytest.mark.django_db
def test_a_phrase_may_mix_scripts() -> None:
    assert found('"查询 log 表"', "请查询 log 表的记录", "查询表 log") == ["请查询 log 表的记录"]


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "  ", '"', "*", "?!", "' OR 1=1 --", "a AND", ":*", "NEAR("])
def test_what_is_no_word_finds_nothing_and_breaks_nothing(query: str) -> None:
    assert found(query, "数据库") == []


@pytest.mark.django_db
def test_the_words_of_other_scripts_are_found() -> None:
    assert found("मराठी", "मराठी भाषा", "日本語のテキスト") == ["मराठी भाषा"]
    assert found("ストア", "日本語のテキスト", "日本語のストア") == ["日本語のストア"]
    assert found("한국어", "한국어 문장", "다른") == ["한국어 문장"]


@pytest.mark.django_db
def test_what_is_written_again_is_found_by_its_new_words_alone() -> None:
    archive = an_archive()
    trace = Trace.objects.create(archive=archive, owner=archive.owner, name="A question")
    index.write({trace.pk: "before 以前"})
    index.write({trace.pk: "after 以后"})
    assert not search("before", Trace.objects.all()).exists()
    assert search("以后", Trace.objects.all()).get() == trace


@pytest.mark.django_db
def test_the_words_go_with_their_trace() -> None:
    archive = an_archive()
    pks = []
    for _ in range(2):
        trace = Trace.objects.create(archive=archive, owner=archive.owner, name="A question")
        index.write({trace.pk: "one and the same"})
        pks.append(trace.pk)
    Trace.objects.filter(pk=pks[0]).delete()
    User.objects.filter(pk=archive.owner_id).delete()
    assert not SearchText.objects.exists()
    # SQLite gives the number out again.
    later = Trace.objects.create(pk=pks[0], archive=an_archive(), owner=an_archive().owner)
    index.write({later.pk: "another"})
    assert not search("same", Trace.objects.all()).exists()


@pytest.mark.django_db
def test_a_turn_is_found_by_its_question_answer_reasoning_tools_results_and_errors() -> None:
    turn = ATurn(name="数据库有几张表")
    turn.a_round(1, (0, 90))
    said = {"content": "There are seven", "reasoning_content": "count tables"}
    asked = {"messages": [{"role": "user", "content": "数据库有几张表 please"}]}
    turn.a_generation({"input": wire(asked), "output": wire({"message": said})}, (0, 9))
    stages = {"arguments": wire({"query": "SELECT name"}), "shown": b"rows: log, students"}
    turn.a_call(stages, (9, 20), 1, name="sqlite-read_query", error="disk is full")
    texts.index_trace(turn.trace)
    for query in ("几张表 please", "seven", "count", "read_query", "select", "students", "full"):
        assert search(query, Trace.objects.all()).exists(), query


@pytest.mark.django_db
def test_a_large_turn_is_indexed_to_a_limit() -> None:
    turn = ATurn()
    for number in range(1, 12):
        turn.a_round(number, (number, number + 1))
        output = wire({"message": {"content": f"n{number} " * 20_000}})
        turn.a_generation({"output": output}, (1, 2))
    found = texts.collect(turn.trace)
    assert len(found.text) <= MAX_INDEXED_TRACE
    assert len(found.text) + found.left_out > 11 * 60_000


@pytest.fixture
def turn(db: None) -> ATurn:
    """A turn with all that people look for."""
    turn = ATurn(name="A question")
    turn.a_round(1, (0, 90))
    sent = [{"role": "system", "content": "Speak like a quokka."}, {"role": "user", "content": "?"}]
    headers = [["x-request-id", "req_8f1c-77aa"], ["content-type", "application/json"]]
    turn.a_generation(
        {"input": wire({"messages": sent}), "response": b'{"error": "wombat overloaded"}'},
        (0, 9),
        details={"response": {"attributes": {"status": 529, "headers": headers}}},
        attributes={"response_id": "chatcmpl-Zq9"},
        status="failed",
        error="The provider answered with status 529.",
    )
    rows = "row\n" * 3_000
    result = {"content": [{"type": "text", "text": f"{rows} platypus"}], "is_error": False}
    stages = {"arguments": b"{}", "result": wire(result), "shown": rows[:200].encode()}
    turn.a_call(stages, (9, 20), 1, name="sqlite-read_query", attributes={"call_id": "call_aZ7x"})
    texts.index_trace(turn.trace)
    return turn


@pytest.mark.parametrize(
    ("query", "stage"),
    [
        ("quokka", "input"),
        ("call_aZ7x", ""),
        ("wombat", "response"),
        ("platypus", "result"),
        ("req_8f1c-77aa", "response"),
        ("chatcmpl-Zq9", "response"),
        ("read_query", ""),
    ],
)
def test_it_is_found_with_the_stage_it_is_from(turn: ATurn, query: str, stage: str) -> None:
    assert search(query, Trace.objects.all()).get() == turn.trace
    result = snippet(index.read([turn.trace.pk])[turn.trace.pk], parse(query))
    assert result.match == query
    assert result.origin is not None and result.origin.stage == stage


def test_ids_of_trace_conversation_and_archive_are_words_of_it(turn: ATurn) -> None:
    known = turn.trace.attributes["conversation"], turn.archive.public_id, turn.trace.public_id
    assert [search(str(one), Trace.objects.all()).count() for one in known] == [1, 1, 1]


@pytest.mark.django_db
def test_what_each_round_repeats_is_indexed_once() -> None:
    turn = ATurn()
    thread = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    for number in range(1, 6):
        turn.a_round(number, (number, number + 1))
        turn.a_generation({"input": wire({"messages": thread})}, (1, 2))
        thread.append({"role": "user", "content": f"Reminder {number}"})
    text = texts.collect(turn.trace).text
    assert [text.count(one) for one in ("Be brief", "Why?", "Reminder 4")] == [1, 1, 1]


@pytest.mark.django_db
def test_a_system_prompt_of_several_turns_is_indexed_with_the_first_that_is_there() -> None:
    turn, asked = ATurn(), []
    for number in range(3):
        if number:
            turn.begin(f"Turn {number}")
        thread = [{"role": "system", "content": "Be a quokka."}, {"role": "user", "content": "?"}]
        turn.a_round(1, (1, 2))
        turn.a_generation({"input": wire({"messages": thread})}, (1, 2))
        turn.end(10)
        texts.index_trace(turn.trace)
        asked.append(turn.trace)
    assert search("quokka", Trace.objects.all()).get() == asked[0]
    removal.delete([asked[0].pk])
    reindexing.index_outdated(10, seconds=5)
    assert search("quokka", Trace.objects.all()).get() == asked[1]


@pytest.mark.django_db
def test_traces_that_older_rules_indexed_are_indexed_again(turn: ATurn) -> None:
    index.write({turn.trace.pk: "as it was"})
    SearchText.objects.update(version=0)
    assert reindexing.index_outdated(10, seconds=5) == 1
    assert reindexing.index_outdated(10, seconds=5) == 0
    assert search("platypus", Trace.objects.all()).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "is_there"),
    [
        ("far", True),
        ("near far", True),
        ('"far end"', True),
        ("很远的地方", True),
        ("near 很远的地方 fill*", True),
        ('"near far"', False),
        ("near absent", False),
    ],
)
def test_the_end_of_a_long_text_is_found(query: str, is_there: bool) -> None:
    text = "near " + "filler " * 9_000 + "the far end 很远的地方"
    assert found(query, text, "near the filler") == [text] * is_there


def test_a_snippet_marks_what_was_found() -> None:
    text = "x " * 200 + "查询韩梅梅的年龄, then READ_query " + "y " * 200
    parts = snippet(Document(text), parse("年龄 read_query")).parts
    assert [part.text for part in parts if part.is_match] == ["年龄", "READ_query"]
    assert parts[0].text == parts[-1].text[::-1] == "… "


def test_a_snippet_hides_nothing_that_misleads() -> None:
    parts = snippet(Document("a \u202e word"), parse("word")).parts
    assert "".join(part.text for part in parts) == "a [U+202E] word"


@pytest.mark.parametrize(
    ("text", "folded"), [("Ａ", "a"), ("É", "e"), ("ガ", "ガ"), ("한", "한"), ("①", "1")]
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_snippet_is_at_a_whole_word_and_says_what_is_marked() -> None:
    text = "a stable " + "x " * 100 + "Table"
    result = snippet(Document(text), parse("table"))
    assert result.match == "Table"


def test_words_that_are_written_otherwise_are_marked_too() -> None:
    assert snippet(Document("x " * 100 + "naïve"), parse("naive")).match == "naïve"
