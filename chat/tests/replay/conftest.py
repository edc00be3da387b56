"""A stub of a model server, and a broker that takes every ring."""

from chat.tests.providers.conftest import broker, make, provider, stub

__all__ = ["broker", "make", "provider", "stub"]
