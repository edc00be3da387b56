"""Waits for services to be ready; messages name the late ones and the usual time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.supervisor.journal import say
from config.supervisor.service import Service

_TITLES = {
    "redis": "Redis",
    "web": "the web server",
    "turns": "the worker for answers",
    "tools": "the worker for tools",
}


@dataclass(frozen=True)
class Patience:
    """Seconds of waiting before the first message, and in all."""

    quiet: float = 10.0
    longest: float = 60.0


async def until_ready(
    services: Mapping[str, Service], logs: Path, patience: Patience = Patience()
) -> None:
    """Returns when all are ready, or after `patience.longest`, with a message for each late one."""
    starting = {
        name: asyncio.create_task(service.ready.wait()) for name, service in services.items()
    }
    try:
        await asyncio.wait(starting.values(), timeout=patience.quiet)
        if late := _late_names(services):
            say(
                f"Still starting: {_joined(late)}. This takes up to {patience.longest:g} s on a "
                "slow machine, or the first time after an installation."
            )
            await asyncio.wait(starting.values(), timeout=patience.longest - patience.quiet)
        for name in _late_names(services):
            say(
                f"{_capital(_TITLES.get(name, name))} has not started within "
                f"{patience.longest:g} s. Its log has the reason: "
                f"{logs / name}.log"
            )
    finally:
        for task in starting.values():
            task.cancel()


def _late_names(services: Mapping[str, Service]) -> list[str]:
    return [name for name, service in services.items() if not service.ready.is_set()]


def _joined(names: list[str]) -> str:
    *others, last = [_TITLES.get(name, name) for name in names]
    return f"{', '.join(others)} and {last}" if others else last


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
