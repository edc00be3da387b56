"""The service that runs a local model, if `LOCAL_MODEL` is set."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config import home, model_file
from config.home import BASE_DIR
from config.model_file import ModelFile, NotInstalled
from config.supervisor import ports
from config.supervisor.journal import say
from config.supervisor.service import Plan
from limits.processes import MAX_MODEL_IMPORT_S


@dataclass(frozen=True)
class LocalModel:
    """A model file, and the reserved port for its server."""

    file: ModelFile
    port: socket.socket

    @property
    def description(self) -> dict[str, Any]:
        """The result of `home.local_model` without the key."""
        return {
            "base_url": f"http://127.0.0.1:{self.port.getsockname()[1]}/v1",
            "name": self.file.name,
            "context": self.file.context,
            "bundled": self.file.bundled,
        }

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that describe the model to the other processes."""
        return {home.LOCAL_MODEL: json.dumps(self.description)}

    def plan(self, environment: Mapping[str, str]) -> Plan:
        port = self.port.getsockname()[1]
        arguments = [str(self.file.path), str(self.file.context), str(port)]
        return Plan(
            name="model",
            command=[sys.executable, "-m", "config.local_model", *arguments],
            environment=environment,
            folder=BASE_DIR,
            record={"model": self.description},
        )


def find() -> LocalModel | None:
    """The requested model; None without one, or, after a message, if it cannot run here.

    Raises UnusableModel.
    """
    value = model_file.requested(os.environ)
    if not value:
        return None
    try:
        file = model_file.find(value)
        _check_import()
    except NotInstalled as error:
        say(f"A local model cannot run here: {error}. Everything else starts.")
        return None
    return LocalModel(file, ports.reserve())


def _check_import() -> None:
    """Raises NotInstalled. Imports in a process of its own, which a signal may end."""
    command = [sys.executable, "-c", "import xllamacpp"]
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=MAX_MODEL_IMPORT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled("importing xllamacpp does not end") from None
    if process.returncode != 0:
        reason = process.stderr.strip().rpartition("\n")[2] or f"exit status {process.returncode}"
        raise NotInstalled(f"xllamacpp cannot be imported ({reason})")
