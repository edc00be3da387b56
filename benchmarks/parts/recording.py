"""What recording costs (`benchmarks.recording`): growth of the database and CPU a span, for
conversations of 3, 100 and 500 rounds."""

import json
import subprocess
import sys
from typing import Any

from benchmarks.parts.scale import Scale
from benchmarks.site import Site
from tests.environment import clean_environment


def measure(site: Site, scale: Scale) -> dict[str, float]:
    """In a process of its own, with the code of the product that is measured."""
    rounds = [word for count in scale.recorded_rounds for word in ("--rounds", str(count))]
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.recording", "--json", "--sqlite", *rounds],
        cwd=site.product.folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {name: value for row in rows for name, value in _figures(row).items()}


def _figures(row: dict[str, Any]) -> dict[str, float]:
    name, grown = f"recording.{row['rounds']}", row["compacted"]
    return {
        f"{name}.cpu_s_1000_spans": row["cpu_s"],
        f"{name}.growth_to_messages": grown / row["message_bytes"],
        f"{name}.growth_to_messages_and_responses": grown
        / (row["message_bytes"] + row["response_bytes"]),
    }
