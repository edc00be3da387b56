"""Testing and probing a model at a real endpoint; each check is a trace of its own."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import LanguageModel, Provider
from chat.providers import check_runner, checks
from chat.providers.checks import CheckKind, CheckResult
from chat.tests.providers.conftest import CANARY
from chat.tests.providers.scripted import Asked, Reply, scripted, streamed
from tracing.models import Payload, Span, Trace
from tracing.store import payloads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

Make = Callable[..., LanguageModel]


def check(model: LanguageModel, user: User, what: CheckKind = CheckKind.PROBE) -> LanguageModel:
    """Asks, and does what the worker does."""
    assert checks.ask(model, user, what)
    check_runner.run(model.pk)
    model.refresh_from_db()
    return model


def generations(model: LanguageModel) -> list[Span]:
    return list(Span.objects.filter(trace=model.check_trace, kind="generation").order_by("id"))


def test_a_test_makes_one_call_and_keeps_all_four_stages(
    broker: Celery, make: Make, staff: User
) -> None:
    model = check(make("stub-n5"), staff, CheckKind.TEST)
    assert model.check_state == "succeeded"
    (generation,) = generations(model)
    assert generation.attributes["usage"]["completion_tokens"] == 5
    stages = Payload.objects.filter(span=generation).values_list("stage", flat=True)
    assert sorted(stages) == ["input", "output", "request", "response"]


def test_a_check_is_a_trace_of_the_admin_who_asked(broker: Celery, make: Make, staff: User) -> None:
    trace = check(make("stub-n5", label="Small"), staff, CheckKind.TEST).check_trace
    assert trace is not None
    assert (trace.archive.owner, trace.name, trace.status) == (staff, "Test of Small", "succeeded")
    assert [span.kind for span in trace.spans.order_by("id")] == ["turn", "round", "generation"]
    assert not trace.spans.filter(status="running").exists()


def test_a_failing_call_leaves_its_sentence_and_its_evidence(
    broker: Celery, make: Make, staff: User
) -> None:
    model = check(make("stub-f401"), staff, CheckKind.TEST)
    assert model.check_state == "failed"
    assert "rejected the API key (HTTP 401)" in model.check_error
    (generation,) = generations(model)
    assert (generation.status, generation.attributes["status_code"]) == ("failed", 401)
    assert model.check_trace is not None
    assert model.check_trace.status == "failed"


def test_a_server_that_is_not_there_fails_the_check(
    broker: Celery, make: Make, staff: User
) -> None:
    model = make("stub-n5")
    Provider.objects.update(base_url="http://127.0.0.1:1/v1")
    assert "could not be reached" in check(model, staff, CheckKind.TEST).check_error


def test_a_probe_finds_parallel_native_calls(broker: Celery, make: Make, staff: User) -> None:
    model = check(make("stub-t2-z3-n5", dialect="auto"), staff)
    assert len(generations(model)) == 1
    found = model.probed
    assert found.pop("at")
    assert found == {
        "dialect": "native",
        "calls": True,
        "parallel_calls": True,
        "reasoning_field": "reasoning_content",
        "usage_in_streams": True,
        "tried": ["native"],
    }
    assert model.speaks == "native"


def test_calls_written_as_text_mean_nous(broker: Celery, make: Make, staff: User) -> None:
    model = check(make("stub-nous-t2-think-z3-nousage", dialect="auto"), staff)
    assert model.speaks == "nous"
    assert model.probed["tried"] == ["native", "nous"]
    assert model.probed["reasoning_field"] == "think"
    assert model.probed["usage_in_streams"] is False
    assert [span.attributes["dialect"] for span in generations(model)] == ["native", "nous"]


def test_a_model_that_calls_nothing_speaks_natively(
    broker: Celery, make: Make, staff: User
) -> None:
    model = check(make("stub-n5", dialect="auto"), staff)
    assert (model.speaks, model.probed["calls"]) == ("native", False)
    assert model.probed["tried"][-1] == "nous"


def test_a_probe_that_failed_changes_nothing_that_was_found(
    broker: Celery, make: Make, staff: User
) -> None:
    model = check(make("stub-f401", dialect="auto", probed={"dialect": "nous"}), staff)
    assert (model.check_state, model.speaks) == ("failed", "nous")
    assert len(generations(model)) == 1


def test_the_key_is_in_nothing_that_a_check_leaves(broker: Celery, make: Make, staff: User) -> None:
    model = check(make("stub-t2-n5"), staff)
    kept = Payload.objects.select_related("span__trace").filter(span__trace=model.check_trace)
    evidence = b"".join(payloads.load_all(list(kept)))
    told = [payload.attributes for payload in kept] + [
        span.attributes for span in generations(model)
    ]
    assert evidence
    assert CANARY.encode() not in evidence
    assert CANARY not in f"{told}{model.probed}{model.check_error}"


def test_a_second_ask_while_one_is_on_its_way_starts_nothing(
    broker: Celery, make: Make, staff: User
) -> None:
    model = make()
    assert checks.ask(model, staff, CheckKind.TEST)
    assert not checks.ask(model, staff, CheckKind.TEST)
    assert Trace.objects.count() == 1


def test_a_late_duplicate_of_the_ring_changes_nothing(
    broker: Celery, make: Make, staff: User
) -> None:
    model = check(make(), staff, CheckKind.TEST)
    check_runner.run(model.pk)
    assert len(generations(model)) == 1


def test_without_redis_the_check_says_so(make: Make, staff: User) -> None:
    model = make()
    checks.ask(model, staff, CheckKind.TEST)
    model.refresh_from_db()
    assert model.check_state == "failed"
    assert "Redis is unreachable" in model.check_error
    assert model.check_trace is not None
    assert model.check_trace.status == "failed"


def picky(refused: str) -> Callable[[Asked], Reply]:
    """A server that takes no requests with this key, and whose model writes calls as text."""

    def answer(asked: Asked) -> Reply:
        if refused in asked.body:
            return Reply({"error": {"message": f"{refused} need a flag"}}, status=400)
        if "functions" in asked.body:
            call = {"name": "calculate", "arguments": '{"expr": "6 * 7"}'}
            return streamed({"function_call": call})
        call_text = '<tool_call>\n{"name": "calculate", "arguments": {"expr": "1"}}\n</tool_call>'
        return streamed({"content": f"{call_text}\n{call_text}"})

    return answer


def test_a_server_that_refuses_tools_is_asked_for_functions(
    broker: Celery, make: Make, staff: User
) -> None:
    with scripted(picky("tools")) as server:
        Provider.objects.filter(pk=make("m", dialect="auto").provider_id).update(
            base_url=server.base_url
        )
        model = check(LanguageModel.objects.get(), staff)
    assert (model.check_state, model.speaks) == ("succeeded", "functions")
    assert model.probed["parallel_calls"] is False
    assert [span.status for span in generations(model)] == ["failed", "succeeded"]


def test_a_server_that_only_takes_text_is_spoken_to_in_nous(
    broker: Celery, make: Make, staff: User
) -> None:
    def answer(asked: Asked) -> Reply:
        return picky("functions" if "functions" in asked.body else "tools")(asked)

    with scripted(answer) as server:
        Provider.objects.filter(pk=make("m", dialect="auto").provider_id).update(
            base_url=server.base_url
        )
        model = check(LanguageModel.objects.get(), staff)
    assert model.probed["tried"] == ["native", "functions", "nous"]
    assert (model.speaks, model.probed["parallel_calls"]) == ("nous", True)


def test_a_server_that_knows_no_usage_in_streams_is_not_asked_for_it(
    broker: Celery, make: Make, staff: User
) -> None:
    def answer(asked: Asked) -> Reply:
        if "stream_options" in asked.body:
            return Reply({"error": {"message": "unknown field stream_options"}}, status=400)
        call = {"name": "calculate", "arguments": "{}"}
        return streamed({"tool_calls": [{"index": 0, "id": "1", "function": call}]})

    with scripted(answer) as server:
        Provider.objects.filter(pk=make("m", dialect="auto").provider_id).update(
            base_url=server.base_url
        )
        model = check(LanguageModel.objects.get(), staff)
    assert (model.speaks, model.probed["usage_in_streams"]) == ("native", False)
    assert "stream_options" not in server.asked[1].body


def test_a_probe_does_not_believe_an_earlier_one(broker: Celery, make: Make, staff: User) -> None:
    model = check(make("stub-t2-n5", dialect="auto", probed={"usage_in_streams": False}), staff)
    assert model.probed["usage_in_streams"] is True


def test_a_model_of_the_messages_api_is_probed_in_its_own_dialect(
    broker: Celery, make: Make, staff: User
) -> None:
    model = make("stub-t2-z3-n5", dialect="auto")
    Provider.objects.update(kind="anthropic")
    found = check(LanguageModel.objects.get(pk=model.pk), staff).probed
    assert (found["dialect"], found["parallel_calls"]) == ("anthropic", True)
    assert (found["reasoning_field"], found["usage_in_streams"]) == ("thinking", True)


def test_a_check_that_never_came_back_can_be_asked_for_again(
    broker: Celery, make: Make, staff: User
) -> None:
    model = make()
    checks.ask(model, staff, CheckKind.TEST)
    assert checks.begin(model.pk) is not None  # by a worker that was killed then
    long_ago = timezone.now() - timedelta(hours=1)
    LanguageModel.objects.update(check_changed=long_ago)
    model.refresh_from_db()
    assert model.is_overdue
    lost = model.check_trace
    assert lost is not None
    assert check(model, staff, CheckKind.TEST).check_state == "succeeded"
    lost.refresh_from_db()
    assert lost.status == "stopped"


def test_a_worker_that_comes_back_late_changes_nothing(
    broker: Celery, make: Make, staff: User
) -> None:
    model = make()
    checks.ask(model, staff, CheckKind.TEST)
    late = checks.begin(model.pk)
    assert late is not None
    LanguageModel.objects.update(check_changed=timezone.now() - timedelta(hours=1))
    check(model, staff, CheckKind.TEST)
    checks.finish(late, CheckResult("too late"))
    model.refresh_from_db()
    assert (model.check_state, model.check_error) == ("succeeded", "")


def test_the_key_is_in_no_log(
    broker: Celery, make: Make, staff: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    check(make("stub-f401"), staff)
    Provider.objects.update(api_key=f"{CANARY}\nX: y")
    check(LanguageModel.objects.get(), staff, CheckKind.TEST)
    assert CANARY not in caplog.text
    assert CANARY not in LanguageModel.objects.get().check_error
