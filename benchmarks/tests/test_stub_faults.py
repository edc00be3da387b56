import gzip
import http.client
import json
import socket
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import pytest

from benchmarks.stub import Stub
from benchmarks.tests.asking import Reply, ask, request_body


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 502, 503])
def test_a_failing_status_has_a_json_error(stub: Stub, status: int) -> None:
    reply = ask(stub, f"stub-f{status}")
    assert reply.status == status
    assert str(status) in json.loads(reply.body)["error"]["message"]


def test_429_says_when_to_come_back(stub: Stub) -> None:
    assert ask(stub, "stub-f429").headers["Retry-After"] == "1"
    assert ask(stub, "stub-f429-w30").headers["Retry-After"] == "30"
    assert "Retry-After" not in ask(stub, "stub-f500").headers


def test_the_pause_can_be_a_date_or_milliseconds(stub: Stub) -> None:
    assert ask(stub, "stub-f503-w7-wms").headers["retry-after-ms"] == "7"
    date = parsedate_to_datetime(ask(stub, "stub-f429-w600-wdate").headers["Retry-After"])
    assert 500 < date.timestamp() - time.time() <= 600


def test_a_redirect_names_another_address(stub: Stub) -> None:
    reply = ask(stub, "stub-f302")
    assert (reply.status, urlsplit(reply.headers["Location"]).port) == (302, 9)


def test_an_unknown_model_is_a_404_that_says_why(stub: Stub) -> None:
    reply = ask(stub, "stub-wrong")
    assert reply.status == 404
    assert "wrong" in json.loads(reply.body)["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model": "stub"}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_request_is_a_400(stub: Stub, body: bytes) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    connection.request("POST", "/v1/chat/completions", body)
    assert connection.getresponse().status == 400
    connection.close()


def test_html_looks_like_success(stub: Stub) -> None:
    reply = ask(stub, "stub-fhtml")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert reply.body.startswith(b"<!DOCTYPE html>")


def test_an_empty_body_and_an_answer_without_chunks(stub: Stub) -> None:
    assert ask(stub, "stub-fempty").body == b""
    assert ask(stub, "stub-fzero").body == b"data: [DONE]\n\n"


def test_the_end_comes_without_a_finish_reason(stub: Stub) -> None:
    reply = ask(stub, "stub-n10-feof-at4")
    assert reply.finish_reason is None
    assert len(reply.deltas) == 1 + 4


def test_a_line_ends_in_the_middle(stub: Stub) -> None:
    whole, half = ask(stub, "stub-n10-feof-at4").body, ask(stub, "stub-n10-fhalfline-at4").body
    assert half.count(b"\n\n") == whole.count(b"\n\n")
    assert half.rpartition(b"\n\n")[2].startswith(b'data: {"id"')


def test_a_fault_later_than_the_last_token_still_comes(stub: Stub) -> None:
    assert ask(stub, "stub-n3-feof-at99").finish_reason is None
    assert ask(stub, "stub-t1-n99-feof").finish_reason is None


def test_an_event_is_not_json(stub: Stub) -> None:
    with pytest.raises(json.JSONDecodeError):
        _ = ask(stub, "stub-fbadjson").chunks


def test_an_event_is_not_utf8(stub: Stub) -> None:
    with pytest.raises(UnicodeDecodeError):
        _ = ask(stub, "stub-fbadutf8").chunks


def test_a_connection_is_closed_without_the_last_chunk(stub: Stub) -> None:
    with pytest.raises(http.client.IncompleteRead):
        ask(stub, "stub-n10-fclose")


def test_a_connection_is_reset(stub: Stub) -> None:
    with pytest.raises(ConnectionResetError):
        ask(stub, "stub-r100-n10-freset")


def test_a_connection_is_closed_before_a_status(stub: Stub) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        ask(stub, "stub-fdrop")


def test_a_length_can_be_wrong(stub: Stub) -> None:
    for fault in ("short", "tail"):
        with pytest.raises(http.client.IncompleteRead):
            ask(stub, f"stub-n3-f{fault}")
    assert len(ask(stub, "stub-n20-flong").body) == 900


def test_an_error_can_come_in_mid_stream_or_as_a_whole_document(stub: Stub) -> None:
    events = ask(stub, "stub-n10-ferror-at4")
    assert [*events.chunks[-1]] == ["error"]
    assert len(events.chunks) == 1 + 4 + 1
    document = ask(stub, "stub-ferrordoc")
    assert document.status == 200
    assert [*json.loads(document.body)] == ["error"]


@pytest.mark.parametrize(("word", "reason"), [("filter", "content_filter"), ("limit", "length")])
def test_an_answer_can_be_finished_early(stub: Stub, word: str, reason: str) -> None:
    reply = ask(stub, f"stub-s1-z3-n10-f{word}-at5")
    whole = ask(stub, "stub-s1-z3-n10")
    assert reply.finish_reason == reason
    assert len(reply.deltas) == len(whole.deltas) - 8
    assert whole.text().startswith(reply.text())


def test_a_body_can_be_compressed(stub: Stub) -> None:
    plain, packed = ask(stub, "stub-s1-n50"), ask(stub, "stub-s1-n50-gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body).count(b"\n\n") == plain.body.count(b"\n\n")
    assert ask(stub, "stub-fbadgzip").body.startswith(b"data: ")


def test_chunks_can_be_bare(stub: Stub) -> None:
    reply = ask(stub, "stub-n3-bare-usage")
    assert {key for chunk in reply.chunks for key in chunk} == {"choices", "usage"}


@pytest.mark.parametrize(
    ("name", "status", "begins"), [("fbabble", 500, b"the stub"), ("fping-at1", 200, b"data: ")]
)
def test_a_body_can_be_without_end(stub: Stub, name: str, status: int, begins: bytes) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    connection.request("POST", "/v1/chat/completions", request_body(f"stub-{name}"))
    response = connection.getresponse()
    assert response.status == status
    assert response.read(100_000).startswith(begins)
    response.close()
    connection.close()


@pytest.mark.parametrize("model", ["stub-n10-fstall-at3", "stub-fsilent"])
def test_a_stall_is_silence_on_an_open_connection(stub: Stub, model: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=0.3)
    connection.request("POST", "/v1/chat/completions", request_body(model))
    with pytest.raises(TimeoutError):
        connection.getresponse().read()
    connection.close()


def test_an_endless_answer_goes_on_until_the_reader_leaves(stub: Stub) -> None:
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    connection.request("POST", "/v1/chat/completions", request_body("stub-n1-fendless"))
    response = connection.getresponse()
    assert len(response.read(1_000_000)) == 1_000_000
    response.close()
    connection.close()
    (request,) = stub.wait_for(lambda completions: completions[0].ended_us)
    assert request.cut


@pytest.mark.parametrize("fault", ["eof", "halfline", "reset", "close", "badjson", "badutf8"])
def test_faults_also_break_an_answer_without_stream(stub: Stub, fault: str) -> None:
    try:
        reply = ask(stub, f"stub-f{fault}", stream=False)
        completion = json.loads(reply.body)
    except (OSError, http.client.IncompleteRead, ValueError):
        return
    pytest.fail(f"a whole completion: {completion}")


def test_only_the_first_attempts_of_a_request_fail(stub: Stub) -> None:
    statuses = [ask(stub, "stub-f500-x2").status for _ in range(4)]
    assert statuses == [500, 500, 200, 200]
    assert ask(stub, "stub-f500-x2", seed=1).status == 500


def merged(reply: Reply) -> list[tuple[str | None, str, str]]:
    return [(call["id"], call["name"], call["arguments"]) for call in reply.calls]


@pytest.mark.parametrize(
    ("quirk", "arguments"),
    [("cut", '{"expr": "'), ("text", "six times seven"), ("list", '["6 * 7"]'), ("empty", "")],
)
def test_arguments_can_be_wrong(stub: Stub, quirk: str, arguments: str) -> None:
    assert [text for _, _, text in merged(ask(stub, f"stub-t2-q{quirk}"))] == [arguments] * 2


def test_ids_can_be_repeated_or_absent(stub: Stub) -> None:
    assert [id for id, _, _ in merged(ask(stub, "stub-t2-qsameid"))] == ["call_same"] * 2
    assert [id for id, _, _ in merged(ask(stub, "stub-t2-qnoid"))] == [None] * 2


def test_index_can_be_absent(stub: Stub) -> None:
    deltas = ask(stub, "stub-t2-qnoindex").deltas
    pieces = [piece for delta in deltas for piece in delta.get("tool_calls", [])]
    assert len(pieces) == 6
    assert not any("index" in piece for piece in pieces)


def test_all_calls_can_come_in_one_chunk(stub: Stub) -> None:
    deltas = [delta for delta in ask(stub, "stub-t50-qwhole").deltas if "tool_calls" in delta]
    assert [len(delta["tool_calls"]) for delta in deltas] == [50]


def test_an_answer_can_end_within_its_last_call(stub: Stub) -> None:
    reply = ask(stub, "stub-t2-qlength")
    assert reply.finish_reason == "length"
    assert [text for _, _, text in merged(reply)] == ['{"expr": "0 * 7 + 0"}', '{"expr": "']


def test_a_tool_can_be_unknown(stub: Stub) -> None:
    assert merged(ask(stub, "stub-t1-qunknown"))[0][1] == "no_such_tool"


def test_garbage_in_place_of_http_closes_the_connection(stub: Stub) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(stub.url).port or 0), timeout=5) as raw:
        raw.sendall(b"\x16\x03\x01 not HTTP\r\n\r\n")
        assert raw.recv(100) == b""


def test_a_request_beyond_the_window_is_refused(stub: Stub) -> None:
    assert ask(stub, "stub-m5000").status == 200
    reply = ask(stub, "stub-m1")
    assert reply.status == 400
    assert "maximum context length is 1 tokens" in json.loads(reply.body)["error"]["message"]


def test_a_fault_may_come_only_where_no_tools_are_offered(stub: Stub) -> None:
    assert ask(stub, "stub-f500-plain").status == 500
    assert ask(stub, "stub-f500-plain", tools=[]).status == 200
