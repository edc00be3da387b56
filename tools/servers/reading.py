"""Reading a resource or a prompt, in the `tools` worker."""

import logging
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

import jobs
from languages.stored import stored
from tools import loop
from tools.accounts.sessions import configured
from tools.errors import OUR_FAULT, ToolError
from tools.mcp.prompts import get_prompt
from tools.mcp.resources import read_resource
from tools.models import Reading
from tools.servers import readings
from tools.servers.readings import READING

logger = logging.getLogger(__name__)


def run(pk: int) -> None:
    """Runs a reading, unless another worker has taken it; ends it whatever happens."""
    reading = jobs.take(READING, pk, "server")
    if reading is None:
        return
    config = configured(reading.server.config(), reading.user_id)
    connection.close()  # not held while this thread waits
    try:
        with jobs.keep_alive(READING, reading):
            answer = loop.run(_read(reading, config), config.timeout_s + 20)
        readings.succeed(reading, answer)
    except ToolError as error:
        readings.fail(reading, str(error))
    except TimeoutError:
        readings.fail(
            reading, stored("The server %(name)s did not answer in time.", name=config.name)
        )
    except Exception:
        logger.exception("reading %s failed", reading)
        readings.fail(reading, f"{OUR_FAULT}.")


async def _read(reading: Reading, config: Any) -> dict[str, Any]:
    # The folder of this machine; who asked may be another one.
    wanted, workspace = reading.wanted, Path(settings.WORKSPACES) / Path(reading.workspace).name
    if reading.kind == Reading.Kind.RESOURCE:
        return await read_resource(config, str(wanted["uri"]), workspace)
    arguments = {str(name): str(value) for name, value in wanted.get("arguments", {}).items()}
    return await get_prompt(config, str(wanted["name"]), arguments, workspace)
