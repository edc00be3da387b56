"""The connection pool of this process to Redis, for threads; and errors of asyncio clients."""

from functools import cache

import redis
from django.conf import settings

# What a call of redis-py's asyncio client raises while Redis is away. RuntimeError is uvloop's for
# a connection that was closed after the client had taken it.
ASYNC_ERRORS = (redis.RedisError, OSError, RuntimeError)


@cache
def client() -> "redis.Redis":
    """Short time-outs: a dead Redis must not hold a thread."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=2.0, retry=None
    )
