"""`python -m tests.recordings`: records the conversations of `scripts` again.

For when a prompt, a tool's description or a tool's result has changed on purpose.
"""

import json
import sys
from pathlib import Path

from benchmarks.product import running_product
from tests.recordings.model import running
from tests.recordings.scripts import CONVERSATIONS

HERE = Path(__file__).parent


def main() -> int:
    with running() as url, running_product() as product:
        wanted = {"base_url": url, "conversations": CONVERSATIONS}
        recorded = product.run("tests.recordings.recording", wanted)
    for name, text in recorded.items():
        file = HERE / f"{name}.cassette.json"
        file.write_text(json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n")
        sys.stdout.write(f"{file.name}: {file.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
