"""What every kind of job does: asked for twice, taken once, cut, late, swept, cancelled."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

import jobs
from chat import tasks as chat_tasks
from chat.models import (
    AccountDeletion,
    DataArchive,
    Import,
    LanguageModel,
    Playground,
    PlaygroundRun,
    Provider,
)
from chat.own_data import archives, deletion
from chat.playground import runs
from chat.providers import checks as model_checks
from chat.transfer import imports
from jobs.models import BaseJob
from tests.brokers import MEMORY, ringing
from tools import tasks as tools_tasks
from tools.accounts import sign_ins
from tools.health import checks
from tools.models import Reading, Server, SignIn, Trial
from tools.servers import readings, refreshing
from tools.trials import trials
from tools.values.server_config import ServerConfig
from tracing.models import Archive, Trace

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

Kind = jobs.Kind[Any]
DRAFT = '{"model": "%s", "messages": [{"role": "user", "content": "?"}]}'


def _user() -> User:
    return User.objects.get_or_create(username="ada")[0]


def _server() -> Server:
    about = {"transport": "http", "url": "https://mcp.example/"}
    return Server.objects.get_or_create(name="notes", defaults=about)[0]


def _model() -> LanguageModel:
    provider = Provider.objects.get_or_create(name="p", base_url="http://127.0.0.1:9/v1")[0]
    return LanguageModel.objects.get_or_create(provider=provider, name="m")[0]


def ask_server_check() -> Server:
    checks.ask(_server())
    return _server()


def ask_model_check() -> LanguageModel:
    model_checks.ask(_model(), _user(), model_checks.CheckKind.TEST)
    return _model()


def ask_trial() -> Trial:
    return trials.ask_connection(_user(), ServerConfig("t", "http", url="https://mcp.example/"))


def ask_reading() -> Reading:
    return readings.ask(_user(), _server(), "resource", {"uri": "a:b"}, Path("/"))


def ask_sign_in() -> SignIn:
    return sign_ins.ask(_server(), _user().pk, "https://roundtrip.example/")


def ask_run() -> PlaygroundRun:
    archive = Archive.objects.get_or_create(owner=_user())[0]
    playground = Playground.objects.get_or_create(archive=archive)[0]
    return runs.ask(playground, DRAFT % _model().public_id, _user())


@dataclass(frozen=True)
class Case:
    """A kind of job: asking for one as a page does, cancelling it, and what differs."""

    kind: Kind
    ask: Callable[[], Any]
    cancel: Callable[[Any], object]
    open_after_two: int = 1  # jobs that are open once two were asked for
    # What asks for it again when its worker is gone, in place of failing.
    asks_again: Callable[[], object] | None = None

    def sweep(self) -> None:
        self.asks_again() if self.asks_again else jobs.sweep(self.kind)


def ask_import() -> Import:
    row = Import(user=_user(), name="a.json", size=1)
    jobs.ask(imports.IMPORT, row, row.user_id)
    return row


def ask_archive() -> DataArchive:
    return archives.ask(_user())


def ask_deletion() -> AccountDeletion:
    return deletion.ask(User.objects.create_user(f"leaving {User.objects.count()}"))


CASES = [
    Case(checks.SERVER_CHECK, ask_server_check, Server.delete, asks_again=refreshing.ask_the_stale),
    Case(model_checks.MODEL_CHECK, ask_model_check, LanguageModel.delete),
    Case(trials.TRIAL, ask_trial, Trial.delete, open_after_two=2),
    Case(readings.READING, ask_reading, Reading.delete, open_after_two=2),
    Case(sign_ins.SIGN_IN, ask_sign_in, lambda job: sign_ins.cancel(job.server, job.user_id)),
    Case(runs.PLAYGROUND_RUN, ask_run, runs.stop, open_after_two=2),
    Case(imports.IMPORT, ask_import, Import.delete, open_after_two=2),
    Case(archives.ARCHIVE, ask_archive, DataArchive.delete),
    Case(
        deletion.DELETION,
        ask_deletion,
        AccountDeletion.delete,
        open_after_two=2,
        asks_again=deletion.go_on,
    ),
]


@pytest.fixture(params=CASES, ids=lambda case: case.kind.model.__name__)
def case(request: pytest.FixtureRequest) -> Case:
    case: Case = request.param
    return case


@pytest.fixture(autouse=True)
def broker(request: pytest.FixtureRequest) -> Iterator[Celery]:
    """A broker in memory that takes every ring, or the one at the parameter's address."""
    with ringing(getattr(request, "param", MEMORY)) as app:
        app.conf.broker_transport_options = {"max_retries": 0}  # as the product has it
        yield app


def value(kind: Kind, pk: int, column: str) -> str:
    return str(kind.model._default_manager.values_list(column, flat=True).get(pk=pk))


def state(kind: Kind, pk: int) -> str:
    return value(kind, pk, kind.model.columns.state)


def error(kind: Kind, pk: int) -> str:
    return value(kind, pk, kind.model.columns.error)


def take(case: Case, pk: int) -> BaseJob:
    job: BaseJob | None = jobs.take(case.kind, pk)
    assert job is not None
    return job


def let_an_hour_pass(kind: Kind) -> None:
    changed = {kind.model.columns.changed: timezone.now() - timedelta(hours=1)}
    kind.model._default_manager.update(**changed)


def open_jobs(kind: Kind) -> int:
    name = kind.model.columns.state
    return int(kind.model._default_manager.filter(**{f"{name}__in": jobs.OPEN}).count())


def test_asking_rings_a_worker_of_its_queue_with_the_key(case: Case, broker: Celery) -> None:
    with broker.connection_for_read() as opened, opened.SimpleQueue(case.kind.queue) as queue:
        asked = case.ask()
        message = queue.get(timeout=5)
        message.ack()
    assert message.headers["task"] == case.kind.task
    assert message.payload[0][0] == asked.pk
    assert state(case.kind, asked.pk) == "asked"


def test_each_task_is_one_that_workers_know(case: Case) -> None:
    known = {task.name for task in (*_tasks(chat_tasks), *_tasks(tools_tasks))}
    assert case.kind.task in known


def _tasks(module: Any) -> list[Any]:
    return [value for value in vars(module).values() if hasattr(value, "apply_async")]


@pytest.mark.postgres
def test_two_that_are_asked_for_are_two_jobs_or_one(case: Case) -> None:
    case.ask()
    case.ask()
    assert open_jobs(case.kind) == case.open_after_two


@pytest.mark.postgres
def test_of_many_rings_one_takes_the_job(case: Case) -> None:
    asked = case.ask()

    def take_once(_: int) -> bool:
        try:
            return jobs.take(case.kind, asked.pk) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        assert sum(workers.map(take_once, range(8))) == 1


def test_a_job_that_was_finished_stays_so(case: Case) -> None:
    job = take(case, case.ask().pk)
    assert jobs.finish(case.kind, job, "It broke.")
    assert not jobs.finish(case.kind, job)
    assert (state(case.kind, job.pk), error(case.kind, job.pk)) == ("failed", "It broke.")
    assert jobs.take(case.kind, job.pk) is None


@pytest.mark.postgres
def test_a_job_whose_worker_died_is_swept(case: Case) -> None:
    job = take(case, case.ask().pk)
    let_an_hour_pass(case.kind)
    case.sweep()
    if case.asks_again:
        assert state(case.kind, job.pk) == "asked"
    else:
        assert state(case.kind, job.pk) == "failed"
        assert error(case.kind, job.pk) == case.kind.worker_gone


def test_a_job_that_no_worker_took_is_swept(case: Case) -> None:
    asked = case.ask()
    let_an_hour_pass(case.kind)
    case.sweep()
    if case.asks_again:
        assert state(case.kind, asked.pk) == "asked"
    else:
        assert error(case.kind, asked.pk) == case.kind.not_taken
        assert jobs.take(case.kind, asked.pk) is None


def test_a_job_that_runs_in_this_process_is_not_swept(case: Case) -> None:
    job = take(case, case.ask().pk)
    let_an_hour_pass(case.kind)
    with jobs.keep_alive(case.kind, job):
        jobs.renew(every_s=0)
    case.sweep()
    assert state(case.kind, job.pk) == "running"


def test_a_job_whose_work_raised_is_not_kept_alive(case: Case) -> None:
    job = take(case, case.ask().pk)
    with suppress(ZeroDivisionError), jobs.keep_alive(case.kind, job):
        raise ZeroDivisionError
    let_an_hour_pass(case.kind)
    jobs.renew(every_s=0)
    assert case.kind.model._default_manager.get(pk=job.pk).is_overdue


def test_what_is_finished_late_changes_nothing(case: Case) -> None:
    late = take(case, case.ask().pk)
    let_an_hour_pass(case.kind)
    case.sweep()
    swept = state(case.kind, late.pk)
    assert not jobs.beat(case.kind, late)
    assert not jobs.finish(case.kind, late)
    assert state(case.kind, late.pk) == swept


@pytest.mark.postgres
def test_who_was_late_does_not_end_what_another_worker_has_taken(case: Case) -> None:
    late = take(case, case.ask().pk)
    let_an_hour_pass(case.kind)
    case.sweep()
    taken = take(case, case.ask().pk)
    assert not jobs.finish(case.kind, late)
    assert state(case.kind, taken.pk) == "running"
    assert jobs.finish(case.kind, taken)


def test_a_job_that_was_cancelled_is_not_taken(case: Case) -> None:
    asked = case.ask()
    pk = asked.pk
    case.cancel(asked)
    assert jobs.take(case.kind, pk) is None


def test_a_job_that_is_cancelled_while_it_runs_ends_quietly(case: Case) -> None:
    job = take(case, case.ask().pk)
    pk = job.pk
    case.cancel(case.kind.model._default_manager.get(pk=pk))
    jobs.finish(case.kind, job, is_stopped=True)
    left = case.kind.model._default_manager.filter(pk=pk)
    assert not left.filter(**{f"{case.kind.model.columns.state}__in": jobs.OPEN}).exists()


@pytest.mark.parametrize("broker", ["redis://127.0.0.1:9/0"], indirect=True)
def test_without_redis_a_job_fails_at_once_and_says_why(case: Case) -> None:
    asked = case.ask()
    assert state(case.kind, asked.pk) == "failed"
    assert error(case.kind, asked.pk) == case.kind.unreachable
    assert "Redis" in case.kind.unreachable


@pytest.mark.parametrize("end", ["finished", "swept"])
def test_the_end_of_a_job_ends_its_trace(case: Case, end: str) -> None:
    job = take(case, case.ask().pk)
    if end == "finished":
        jobs.finish(case.kind, job, "It broke.")
    else:
        let_an_hour_pass(case.kind)
        case.sweep()
    assert not Trace.objects.filter(status=Trace.Status.RUNNING).exists()


def test_what_only_an_open_job_needs_is_forgotten_at_its_end(case: Case) -> None:
    job = take(case, case.ask().pk)
    jobs.finish(case.kind, job)
    row = case.kind.model._default_manager.get(pk=job.pk)
    assert {name: getattr(row, name) for name in case.kind.emptied} == case.kind.emptied
