from chat.tests.transfer.conftest import broker, home

__all__ = ["broker", "home"]
