import http.client
from urllib.parse import urlsplit

import openai
import pytest

from benchmarks.stub import Stub, running_stub, stub_process
from benchmarks.stub import journal as journal_module
from benchmarks.stub.journal import Journal
from benchmarks.tests.asking import ask, request_body


@pytest.mark.parametrize(
    "model", ["stub-n50", "stub-s3-n200-c4", "stub-t3", "stub-f429", "stub-fhtml", "stub-feof"]
)
def test_the_log_has_the_exact_bytes_of_both_sides(stub: Stub, model: str) -> None:
    reply = ask(stub, model)
    (request,) = stub.completions
    assert request.body == request_body(model)
    assert request.sent == reply.body
    assert (request.status, request.cut, request.truncated) == (reply.status, False, False)


def test_a_broken_answer_is_logged_up_to_its_break(stub: Stub) -> None:
    with pytest.raises(http.client.IncompleteRead) as broken:
        ask(stub, "stub-n10-fclose")
    assert stub.completions[0].sent == broken.value.partial


def test_requests_have_numbers_headers_and_times(stub: Stub) -> None:
    ask(stub, "stub-n1")
    ask(stub, "stub-n1")
    first, second = stub.requests
    assert (first.number, second.number) == (1, 2)
    assert ("Host", urlsplit(stub.url).netloc) in first.headers
    assert first.ended_us
    assert first.received_us <= first.ended_us <= second.received_us
    assert stub.requests_since(1) == [second]


def test_a_client_that_leaves_is_noted(stub: Stub) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    connection.request("POST", "/v1/chat/completions", request_body("stub-r20-n1000"))
    response = connection.getresponse()
    response.read(10)
    response.close()
    connection.close()
    (request,) = stub.wait_for(lambda completions: completions[0].ended_us)
    assert request.cut
    assert request.sent.startswith(b"data: {")


def test_requests_of_one_connection_are_answered_in_order(stub: Stub) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    for count in (1, 2, 3):
        connection.request("POST", "/v1/chat/completions", request_body(f"stub-n{count}"))
        assert connection.getresponse().read() == stub.completions[-1].sent
    connection.close()
    assert len(stub.completions) == 3


def test_a_stub_in_a_process_of_its_own_tells_the_same() -> None:
    with stub_process() as stub:
        reply = ask(stub, "stub-s1-n100-c2")
        (request,) = stub.requests
    assert (request.body, request.sent) == (request_body("stub-s1-n100-c2"), reply.body)


def test_a_load_run_keeps_no_log() -> None:
    with running_stub(log=False) as stub:
        assert ask(stub, "stub-n1").status == 200
        assert stub.requests == []


def test_the_oldest_entries_leave_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "ENTRIES", 2)
    journal = Journal()
    for _ in range(5):
        journal.sent(journal.begin("GET", "/", [], b"", 0), b"x")
    assert [request.number for request in journal.since(0)] == [4, 5]
    assert journal.dropped == 3


def test_an_entry_that_grows_without_end_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "ENTRY_BYTES", 10)
    journal = Journal()
    entry = journal.begin("GET", "/", [], b"", 0)
    for _ in range(5):
        journal.sent(entry, b"1234")
    (request,) = journal.since(0)
    assert (request.sent, request.truncated) == (b"12341234", True)


def test_the_openai_client_understands_the_stub(stub: Stub) -> None:
    client = openai.OpenAI(base_url=stub.base_url, api_key="none", max_retries=0)
    assert "stub-n20" in [model.id for model in client.models.list()]
    stream = client.chat.completions.create(
        model="stub-s5-n50-c1", messages=[{"role": "user", "content": "hello"}], stream=True
    )
    chunks = list(stream)
    assert chunks[-1].choices[0].finish_reason == "stop"
    with pytest.raises(openai.RateLimitError):
        client.chat.completions.create(
            model="stub-f429", messages=[{"role": "user", "content": "hello"}]
        )
