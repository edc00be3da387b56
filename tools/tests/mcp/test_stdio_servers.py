"""Real processes that misbehave: each call becomes a result by its deadline, others go on."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from host.processes import stat
from tests import patience
from tests.slowness import slowness
from tools import loop
from tools.mcp.transports.processes import inherited
from tools.tests.calling import Caller, ignoring, odd

pytestmark = pytest.mark.process


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patience.SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    """Ended; a zombie that waits for its parent counts as ended."""
    return not stat(pid) or stat(pid)[0] == "Z"


def test_a_call_is_answered(caller: Caller) -> None:
    assert caller.call(odd(), "echo", text="你好 \u2028 ok").text == "你好 \u2028 ok"


def test_calls_of_one_configuration_share_a_process(caller: Caller) -> None:
    assert caller.call(odd(), "process").text == caller.call(odd(), "process").text


def test_parallel_calls_share_a_session(caller: Caller) -> None:
    running = [caller.start(odd(), "echo", caller.context(), text=str(n)) for n in range(20)]
    assert [future.result(patience.SECONDS).text for future in running] == [
        str(n) for n in range(20)
    ]


def test_frames_of_a_call_are_its_own_in_both_directions(caller: Caller) -> None:
    caller.call(odd(), "echo")
    first, second = caller.context(), caller.context()
    running = [
        caller.start(odd(), "echo", first, text="one"),
        caller.start(odd(), "echo", second, text="two"),
    ]
    for future in running:
        future.result(patience.SECONDS)
    assert [frame["direction"] for frame in first.frames] == ["sent", "received"]
    assert first.frames[0]["message"]["params"]["arguments"] == {"text": "one"}
    assert second.frames[1]["message"]["result"]["content"][0]["text"] == "two"


def test_the_call_that_opens_a_session_has_the_handshake_in_its_frames(caller: Caller) -> None:
    context = caller.context()
    caller.call(odd(), "echo", context)
    methods = [frame["message"].get("method") for frame in context.frames]
    assert "initialize" in methods
    assert methods[-2:] == ["tools/call", None]


def test_before_send_comes_after_connecting_and_before_the_frame(caller: Caller) -> None:
    seen: list[int] = []
    context = caller.context(before_send=ignoring(lambda: seen.append(len(context.frames))))
    caller.call(odd(), "echo", context)
    methods = [frame["message"].get("method") for frame in context.frames]
    assert seen == [methods.index("tools/call")]


def test_what_before_send_raises_passes_through_and_nothing_is_sent(caller: Caller) -> None:
    def refuse() -> None:
        raise RuntimeError("the call belongs to someone else now")

    context = caller.context(before_send=ignoring(refuse))
    with pytest.raises(RuntimeError, match="someone else"):
        caller.call(odd(), "echo", context)
    assert not [f for f in context.frames if f["message"].get("method") == "tools/call"]


def test_a_death_in_a_call_leaves_the_outcome_unknown(caller: Caller) -> None:
    context = caller.context()
    result = caller.call(odd(), "die", context)
    assert result.is_error
    assert result.unknown
    assert "exited with code 7" in result.text
    assert context.stderr == ["about to die"]


def test_after_a_death_the_next_call_gets_a_new_process(caller: Caller) -> None:
    before = caller.call(odd(), "process").text
    caller.call(odd(), "die")
    assert caller.call(odd(), "process").text != before


def test_a_call_that_is_never_answered_ends_at_its_deadline(caller: Caller) -> None:
    caller.call(odd(), "echo")
    began = time.monotonic()
    result = caller.call(odd(), "hang", caller.context(deadline_s=0.3))
    assert result.unknown
    assert "did not answer within 0.3 s" in result.text
    assert time.monotonic() - began < slowness(time.monotonic)


def test_the_servers_own_timeout_counts_too(caller: Caller) -> None:
    assert "within 0.5 s" in caller.call(odd(timeout_s=0.5), "hang").text


def test_a_timed_out_call_is_cancelled_at_the_server_and_the_session_goes_on(
    caller: Caller,
) -> None:
    pid = caller.call(odd(), "process").text
    context = caller.context(deadline_s=0.2)
    caller.call(odd(), "hang", context)
    wait_until(lambda: context.frames[-1]["message"].get("method") == "notifications/cancelled")
    assert caller.call(odd(), "process").text == pid


def test_stop_cancels_the_call_at_the_server(caller: Caller) -> None:
    caller.call(odd(), "echo")
    context = caller.context()
    running = caller.start(odd(), "hang", context)
    wait_until(lambda: bool(context.frames))
    running.cancel()
    wait_until(lambda: context.frames[-1]["message"].get("method") == "notifications/cancelled")


def test_a_server_that_stops_reading_delays_nobody_elses_deadline(caller: Caller) -> None:
    caller.call(odd(), "echo")
    caller.start(odd(), "stuck", caller.context(deadline_s=0.2))
    began = time.monotonic()
    result = caller.call(odd(), "echo", caller.context(deadline_s=0.5), text="x" * 2**20)
    assert result.unknown
    assert time.monotonic() - began < 1.5 * slowness(time.monotonic)


def test_an_error_of_the_tool_is_an_error_result(caller: Caller) -> None:
    result = caller.call(odd(), "refuse")
    assert (result.text, result.is_error, result.unknown) == ("the disk is full", True, False)


def test_an_error_without_a_word_is_said_to_be_one(caller: Caller) -> None:
    result = caller.call(odd(), "refuse_silently")
    assert result.is_error
    assert result.text == "The server odd says that refuse_silently failed, but not why."


def test_an_error_of_the_protocol_is_an_error_result(caller: Caller) -> None:
    result = caller.call(odd(), "reject")
    assert result.is_error
    assert "-32602: unknown tool" in result.text


def test_an_error_with_the_code_of_a_closed_connection_is_the_servers_own(caller: Caller) -> None:
    pid = caller.call(odd(), "process").text
    result = caller.call(odd(), "reject_as_closed")
    assert result.text == "The server odd answered with error -32000: The license has expired."
    assert not result.unknown
    assert caller.call(odd(), "process").text == pid


def test_such_an_error_to_the_handshake_is_told(caller: Caller) -> None:
    result = caller.call(odd("--unlicensed"), "echo")
    assert "answered with error -32000: The license has expired" in result.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_errors_that_answer_notifications_belong_to_no_request(caller: Caller, mode: str) -> None:
    assert caller.call(odd("--complains", mode=mode), "echo", text="hi").text == "hi"


def test_an_error_without_an_id_answers_the_only_request(caller: Caller) -> None:
    result = caller.call(odd("--complains"), "reject_unread")
    assert "error -32700: Parse error" in result.text


def test_an_answer_that_is_no_json_rpc_is_told_in_a_sentence(caller: Caller) -> None:
    text = caller.call(odd(), "not_rpc").text
    assert text.endswith("ran not_rpc, but its answer cannot be used: it is not a JSON-RPC message")


def test_numbers_that_json_does_not_have_are_told(caller: Caller) -> None:
    context = caller.context()
    result = caller.call(odd(), "not_finite", context)
    expected = {"mean": "NaN", "most": "Infinity", "least": "-Infinity", "n": 1}
    assert (result.text, result.structured) == ("NaN is in here", expected)
    assert context.frames[-1]["message"]["result"]["structuredContent"] == expected
    assert "NaN or Infinity came" in context.stderr[-1]


def test_lines_on_stdout_that_are_no_messages_go_to_the_log(caller: Caller) -> None:
    context = caller.context()
    assert caller.call(odd(), "garbage", context).text == "after the garbage"
    assert "hello from print()" in context.stderr


def test_garbage_without_end_closes_the_connection(caller: Caller) -> None:
    result = caller.call(odd(), "garbage_flood")
    assert "writes to stdout what is not MCP" in result.text


def test_a_line_without_end_fills_no_memory_and_ends_at_the_deadline(caller: Caller) -> None:
    caller.call(odd(), "echo")
    before = _resident_kb()
    caller.call(odd(), "endless_line", caller.context(deadline_s=1.0))
    assert _resident_kb() - before < 100_000


def test_a_flood_on_stderr_does_not_hold_the_answer_back(caller: Caller) -> None:
    context = caller.context()
    assert caller.call(odd(), "stderr_flood", context).text == "after the flood"
    assert len("".join(context.stderr)) <= 64 * 1024


def test_who_writes_much_to_stderr_again_and_again_is_not_slowed_down(caller: Caller) -> None:
    caller.call(odd(), "stderr_flood", megabytes=32)
    context = caller.context(deadline_s=4.0)
    assert caller.call(odd(), "stderr_flood", context, megabytes=4).text == "after the flood"


def test_of_a_flood_of_notifications_the_first_are_kept_and_the_rest_counted(
    caller: Caller,
) -> None:
    context = caller.context()
    assert caller.call(odd(), "progress_flood", context).text == "after the notifications"
    assert context.frames[-1]["message"] == {"notifications_not_kept": 1000}


def test_the_answer_behind_a_flood_of_progress_comes_within_the_deadline(caller: Caller) -> None:
    heard: list[float] = []
    context = caller.context(deadline_s=8.0, progress=lambda done, *_: heard.append(done))
    assert caller.call(odd(), "progress_storm", context, thousands=20).text == "after the storm"
    assert 0 < len(heard) < 10_000
    assert context.frames[-1]["message"]["notifications_not_kept"] == 19_500


@pytest.mark.parametrize("tool", ["large", "large_backwards"])
def test_a_result_of_20_mb_is_refused_and_the_session_goes_on(caller: Caller, tool: str) -> None:
    pid = caller.call(odd(), "process").text
    result = caller.call(odd(), tool)
    assert "larger than 8 MiB" in result.text
    assert (result.is_error, result.unknown) == (True, False)
    assert caller.call(odd(), "process").text == pid


def test_invalid_utf8_is_replaced_and_later_calls_work(caller: Caller) -> None:
    assert caller.call(odd(), "invalid_utf8").text == "caf\N{REPLACEMENT CHARACTER}"
    assert caller.call(odd(), "echo", text="ok").text == "ok"


def test_a_result_that_breaks_the_protocol_is_an_error_result(caller: Caller) -> None:
    result = caller.call(odd(), "broken_result")
    assert result.is_error
    assert "its answer cannot be used" in result.text


def test_structured_content_against_its_schema_is_an_error_result(caller: Caller) -> None:
    result = caller.call(odd(), "lie")
    assert result.is_error
    assert "'total' is a required property" in result.text


def test_everything_that_came_back_is_kept(caller: Caller) -> None:
    result = caller.call(odd(), "mixed")
    assert [block["type"] for block in result.content] == ["text", "image", "resource_link"]
    assert result.structured == {"n": None}
    assert result.text.splitlines() == [
        "a picture",
        "[image, image/png, 3 bytes]",
        "[link file:///a.txt] a.txt",
    ]


def test_the_environment_is_an_allow_list_and_what_was_configured(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "REDIS_URL", "DATABASE_URL", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "canary")
    config = odd(env=(("TOKEN", "a value"),))
    environment = json.loads(caller.call(config, "environment").text)
    assert environment["TOKEN"] == "a value"
    assert set(environment) <= set(inherited()) | {"TOKEN", "LC_CTYPE"}
    assert "canary" not in environment.values()


def test_servers_know_the_way_out_of_this_network_but_no_password(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/ssl/ours.pem")
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://me:canary@proxy:3128")
    environment = json.loads(caller.call(odd(), "environment").text)
    assert environment["SSL_CERT_FILE"] == "/etc/ssl/ours.pem"
    assert environment["https_proxy"] == "http://proxy:3128"
    assert "HTTP_PROXY" not in environment


def test_a_result_and_its_frames_do_not_repeat_what_the_server_was_given_as_a_secret(
    caller: Caller,
) -> None:
    context = caller.context()
    result = caller.call(odd(env=(("TOKEN", "canary-123"),)), "environment", context)
    assert json.loads(result.text)["TOKEN"] == "[secret]"
    assert context.frames
    assert "canary-123" not in json.dumps(context.frames)


def test_settings_come_back_as_they_are_in_results_and_frames(caller: Caller) -> None:
    context = caller.context()
    env = (("DOCS_DIR", "/data/work"), ("TOKEN", "canary-123"), ("TOPIC", "information"))
    result = caller.call(odd(env=env), "environment", context)
    environment = json.loads(result.text)
    assert (environment["DOCS_DIR"], environment["TOPIC"]) == ("/data/work", "information")
    assert "/data/work" in json.dumps(context.frames)
    assert "canary-123" not in result.text + json.dumps(context.frames)


def test_the_log_does_not_repeat_what_the_server_was_given_as_a_secret(caller: Caller) -> None:
    context = caller.context()
    caller.call(odd(env=(("TOKEN", "canary-123"), ("MODE", "garbage"))), "leak", context)
    assert context.stderr == ["[secret] garbage"]


def test_a_command_that_does_not_exist_says_so(caller: Caller) -> None:
    result = caller.call(odd(command="no-such-program"), "echo")
    assert "the command 'no-such-program' was not found" in result.text
    assert (result.is_error, result.unknown) == (True, False)


def test_a_server_that_fails_to_start_gives_its_reason(caller: Caller) -> None:
    context = caller.context()
    result = caller.call(odd("--broken"), "echo", context)
    assert "exited with code 3" in result.text
    assert context.stderr == ["no license found"]


def test_a_server_that_does_not_answer_the_handshake_ends_the_call_at_its_deadline(
    caller: Caller,
) -> None:
    result = caller.call(odd("--silent"), "echo", caller.context(deadline_s=0.5))
    assert "No connection to the server odd within 0.5 s" in result.text
    assert not result.unknown


def test_closing_takes_the_grandchildren_along(caller: Caller) -> None:
    pid = int(caller.call(odd(), "grandchild").text)
    loop.close()
    wait_until(lambda: is_gone(pid))


def test_closing_takes_along_what_left_the_process_group(caller: Caller) -> None:
    pid = int(caller.call(odd(), "escape").text)
    loop.close()
    wait_until(lambda: is_gone(pid))


def _resident_kb() -> int:
    status = Path(f"/proc/{os.getpid()}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])
