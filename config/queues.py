"""Celery's configuration; `config.celery` has the reasons."""

from django.conf import settings

broker_url = settings.REDIS_URL
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
broker_transport_options = {
    "socket_connect_timeout": 0.5,
    # Seconds for a sender; a worker that waits for tasks sets a longer one (config.worker).
    "socket_timeout": 1,
    "socket_keepalive": True,
    "max_retries": 0,
    # The timer of a worker finds the work of a lost task. Keeping unacknowledged tasks would cost
    # two transactions in Redis each, and deliver them again after an hour.
    "ack_emulation": False,
    # One Redis list per queue instead of four.
    "priority_steps": [0],
}
# Connections of a process: each thread that is sending a task needs one, further threads wait.
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

# Turns and calls run in threads of the process that renews their leases.
worker_pool = "threads"
worker_consumer = "config.redis_consumer:RedisConsumer"
worker_prefetch_multiplier = 1
worker_hijack_root_logger = False
worker_redirect_stdouts = False
worker_enable_remote_control = False
worker_send_task_events = False
worker_cancel_long_running_tasks_on_connection_loss = False
timezone = "UTC"
