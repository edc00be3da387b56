"""Celery's configuration; `config.celery` says why."""

from django.conf import settings

broker_url = settings.REDIS_URL
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
broker_transport_options = {
    "socket_connect_timeout": 0.5,
    # A worker that waits for a ring takes more time than that (config.work).
    "socket_timeout": 1,
    "socket_keepalive": True,
    "max_retries": 0,
    # A ring that is lost is found by the timer of a worker. Kept as unacknowledged it would cost
    # Redis two transactions, and would come again after an hour.
    "ack_emulation": False,
    # One list a queue to look at, not four.
    "priority_steps": [0],
}
# One connection a thread that rings at the same time; more would wait.
broker_pool_limit = 20

include = ["config.worker", "chat.tasks", "tools.tasks"]
task_routes = {
    "chat.advance": {"queue": "turns"},
    "chat.execute": {"queue": "tools"},
    "tools.*": {"queue": "tools"},
}
task_default_queue = "turns"
task_create_missing_queues = True
task_ignore_result = True
task_store_errors_even_if_ignored = False
task_acks_late = False
task_publish_retry = False
task_serializer = "json"
accept_content = ["json"]

worker_prefetch_multiplier = 1
worker_hijack_root_logger = False
worker_redirect_stdouts = False
worker_enable_remote_control = False
worker_send_task_events = False
worker_cancel_long_running_tasks_on_connection_loss = False
timezone = "UTC"
