"""`python -m config.healthcheck`: status 0 if the process of this container is ready, else 1 with a
sentence. Asks `/health/ready` on HEALTH_PORT, else on PORT. Standard library only: it runs every
ten seconds."""

import os
import sys
from http.client import HTTPConnection, HTTPException

TIMEOUT_S = 4.0
DEFAULT_PORT = "8000"


def main() -> int:
    port = os.environ.get("HEALTH_PORT") or os.environ.get("PORT") or DEFAULT_PORT
    try:
        connection = HTTPConnection("127.0.0.1", int(port), timeout=TIMEOUT_S)
        connection.request("GET", "/health/ready")
        answer = connection.getresponse()
        body = answer.read(2_000).decode(errors="replace")
    except (OSError, HTTPException, ValueError) as error:
        sys.stderr.write(f"Nothing answers on port {port}: {error}\n")
        return 1
    sys.stdout.write(f"{answer.status} {body}\n")
    return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
