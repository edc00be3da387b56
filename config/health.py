"""`GET /health`, without sign-in: whether this process, its database and its Redis answer.

For a person and for the supervisor; what starts and restarts processes on many machines asks
`/health/live` and `/health/ready` (`probes`).
"""

import redis
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from limits.web import MAX_HEALTH_CHECK_S


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """`{"ok": …, "version": …, "database": …, "redis": …}`; 503 unless the database answers.

    Without Redis the status stays 200: messages are still saved and old ones can be read.
    """
    parts = {"database": database_answers(), "redis": redis_answers()}
    return JsonResponse(
        {"ok": all(parts.values()), "version": settings.VERSION, **parts},
        status=200 if parts["database"] else 503,
    )


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def redis_answers() -> bool:
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=MAX_HEALTH_CHECK_S,
        socket_timeout=MAX_HEALTH_CHECK_S,
        retry=None,
    )
    try:
        with client:
            return bool(client.ping())
    except redis.RedisError:
        return False
