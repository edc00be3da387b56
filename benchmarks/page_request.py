"""One request for a page of a running product, as a browser makes it."""

import http.client
import time
from urllib.parse import urlsplit

TIMEOUT_S = 30


def fetch(url: str, path: str, cookie: str) -> tuple[bytes, float]:
    """The body as it is on the wire, and the milliseconds until it was there. Raises RuntimeError
    if the status is not 200."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT_S)
    began = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
    response = connection.getresponse()
    body = response.read()
    elapsed_ms = (time.perf_counter() - began) * 1000
    connection.close()
    if response.status != http.client.OK:
        raise RuntimeError(f"{path}: status {response.status}")
    return body, elapsed_ms
