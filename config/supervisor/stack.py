"""All processes of an instance, started in the order of their dependencies."""

import asyncio
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from config.home import BASE_DIR
from config.supervisor import ports, redis_service
from config.supervisor.journal import Journal, say
from config.supervisor.model_service import LocalModel
from config.supervisor.preparing import prepare
from config.supervisor.service import Plan, Service
from config.supervisor.waiting import until_ready
from limits.processes import MAX_REDIS_STOP_S, MAX_STOP_S

# Threads of the workers; tests of what users share have fewer, which less load fills.
TURNS_THREADS = os.environ.get("ROUNDTRIP_TURNS_THREADS") or "200"
TOOLS_THREADS = os.environ.get("ROUNDTRIP_TOOLS_THREADS") or "64"


class Stack:
    """Redis (without `REDIS_URL`), the web process, the workers, and a local model if requested."""

    def __init__(
        self,
        home: Path,
        listener: socket.socket,
        environment: Mapping[str, str],
        local_model: LocalModel | None = None,
        turns_processes: int = 1,
    ) -> None:
        self._home = home
        self._listener = listener
        self._environment = dict(environment)
        self._local_model = local_model
        self._turns_processes = turns_processes
        self._services: dict[str, Service] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> str:
        """Start everything, and wait until it is ready; returns the path of a sign-in link, or "".

        Raises NotPrepared, and FileNotFoundError if there is no redis-server.
        """
        if not self._environment.get("REDIS_URL"):
            say("Starting Redis …")
            plan = redis_service.redis_plan(self._home, self._environment)
            self._environment["REDIS_URL"] = plan.record["url"]
            self._add(plan, shown=False)
        if self._local_model:
            self._environment |= self._local_model.variables
        say("Preparing the database …")
        command = _python("config.prepare")
        path = await prepare(command, self._environment, BASE_DIR, self._journal("setup"))
        say("Starting the web server and the workers …")
        for plan in self._plans():
            self._add(plan)
        await until_ready(self._services, self._home / "logs")
        if self._local_model:
            self._start_model(self._local_model)
        return path

    def _start_model(self, model: LocalModel) -> None:
        """Started last and not waited for: loading a model takes long and uses all cores."""
        service = self._add(model.plan(self._environment))
        self._model_messages = asyncio.create_task(_say_model_state(service, model.file.name))

    async def stop(self) -> None:
        """End everything: first the processes that use Redis, then Redis."""
        redis = self._services.get("redis")
        others = [service for service in self._services.values() if service is not redis]
        await self._end(others, MAX_STOP_S)
        await self._end([redis] if redis else [], MAX_REDIS_STOP_S)

    def kill(self) -> None:
        for service in self._services.values():
            service.kill()

    async def _end(self, services: list[Service], seconds: float) -> None:
        tasks = [self._tasks[service.plan.name] for service in services]
        for service in services:
            service.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.shield(asyncio.gather(*tasks))
        for service in services:
            service.kill()
        await asyncio.gather(*tasks)

    def _plans(self) -> list[Plan]:
        web = {**self._environment, "ROUNDTRIP_SOCKET_FD": str(self._listener.fileno())}
        turns = _python("config.work", "turns", TURNS_THREADS, str(self._turns_processes))
        tools = _python("config.work", "tools", TOOLS_THREADS)
        return [
            Plan(
                "web",
                _python("config.web"),
                web,
                BASE_DIR,
                descriptors=[self._listener.fileno()],
                record={"url": ports.url_of(self._listener)},
            ),
            Plan("turns", turns, self._environment, BASE_DIR),
            Plan("tools", tools, self._environment, BASE_DIR),
        ]

    def _add(self, plan: Plan, *, shown: bool = True) -> Service:
        service = Service(plan, self._journal(plan.name, shown=shown), self._home / "run")
        self._services[plan.name] = service
        self._tasks[plan.name] = asyncio.create_task(service.run())
        return service

    def _journal(self, name: str, *, shown: bool = True) -> Journal:
        folder = self._home / "logs"
        folder.mkdir(mode=0o700, exist_ok=True)
        return Journal(folder, name, shown=shown)


async def _say_model_state(service: Service, name: str) -> None:
    say(f"The local model {name} is loading …")
    await service.ready.wait()
    say(f"The local model {name} is ready.")


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]
