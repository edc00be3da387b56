"""The Celery tasks. Arguments are ids of rows, the id of their user (0: unknown), and the time of
the ring; everything else is in the database."""

from functools import partial

from celery import shared_task

from chat.engine.titles import running as titles
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance, slots
from chat.own_data import archives, deletion
from chat.playground import running as playground
from chat.providers import check_runner
from chat.transfer import import_runner
from chat.webhooks import deliveries
from tools.calls.slots import tools_worker


@shared_task(name="chat.advance", ignore_result=True)
def advance_turn(turn_id: int, rung: float | None = None, user_id: int = 0) -> None:
    advance(turn_id, rung, user_id)


@shared_task(name="chat.execute", ignore_result=True, bind=True)
def execute_call(self: object, call_id: int, user_id: int = 0) -> None:
    request = getattr(self, "request", None)
    execute(call_id, task_id=str(getattr(request, "id", "") or ""), user_id=user_id)


@shared_task(name="chat.check_model", ignore_result=True)
def check_model(model_id: int, user_id: int = 0) -> None:
    slots.run(user_id, ("check", model_id), partial(check_runner.run, model_id))


@shared_task(name="chat.run_playground", ignore_result=True)
def run_playground(run_id: int, user_id: int = 0) -> None:
    slots.run(user_id, ("playground", run_id), partial(playground.run, run_id))


@shared_task(name="chat.title", ignore_result=True)
def name_conversation(turn_id: int, user_id: int) -> None:
    """Never in the way of a turn: without room for it the next answer asks again."""
    if slots.has_room(user_id):
        slots.run(user_id, ("title", turn_id), partial(titles.run, turn_id))


@shared_task(name="chat.import", ignore_result=True)
def run_import(import_id: int, user_id: int = 0, language: str | None = None) -> None:
    work = partial(import_runner.run, import_id, language)
    tools_worker.run(user_id, ("import", import_id), work)


@shared_task(name="chat.archive_data", ignore_result=True)
def archive_data(archive_id: int, user_id: int = 0) -> None:
    tools_worker.run(user_id, ("archive", archive_id), partial(archives.run, archive_id))


@shared_task(name="chat.delete_account", ignore_result=True)
def delete_account(deletion_id: int, user_id: int = 0) -> None:
    tools_worker.run(user_id, ("deletion", deletion_id), partial(deletion.run, deletion_id))


@shared_task(name="chat.deliver_webhook", ignore_result=True)
def deliver_webhook(delivery_id: int, user_id: int = 0) -> None:
    tools_worker.run(user_id, ("webhook", delivery_id), partial(deliveries.run, delivery_id))
