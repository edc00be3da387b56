"""What Celery calls. The argument is a row's id; everything else is in the database."""

from celery import shared_task

from tools import checks


@shared_task(name="tools.refresh", ignore_result=True)
def refresh(server_pk: int) -> None:
    checks.run(server_pk)
