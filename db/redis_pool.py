"""The connection pool of this process to Redis, for threads."""

from functools import cache

import redis
from django.conf import settings


@cache
def client() -> "redis.Redis":
    """Short time-outs: a dead Redis must not hold a thread."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=2.0, retry=None
    )
