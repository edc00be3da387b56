"""Advice for an admin about a failed model call, in one or two sentences."""

_BY_STATUS = {
    400: "The trace shows the request and the server's answer. Often the cause is a parameter "
    "that this model does not accept.",
    401: "Check the key on the provider's page: it may be missing, mistyped or revoked.",
    402: "The account at the provider has no credit left.",
    403: "The key is valid but may not use this model. Check its permissions at the provider.",
    404: "Check the model's id, and that the base URL ends where the provider says (mostly /v1).",
    413: "The request is too large for this server.",
    422: "The trace shows the request and the server's answer. Often the cause is a parameter "
    "that this model does not accept.",
    429: "Wait a little and test again. If it persists, the account's limit or credit is used up.",
}
_BY_KIND = {
    "ConnectFailed": "Check that the server is running and that the base URL is right as seen "
    "from the machine that Roundtrip runs on. In a container, 127.0.0.1 is the container itself.",
    "ConnectionLost": "Test again. If it persists, check the server's log.",
    "Stalled": "The server may still be loading the model: test again in a minute.",
    "Overdue": "The server may still be loading the model: test again in a minute.",
    "NotAStream": "Check the base URL: it usually ends in /v1.",
    "EmptyBody": "Check the base URL and the server's log.",
    "NoChunks": "Check the server's log; the trace shows what arrived.",
    "CutStream": "Test again. If it persists, check the server's log or a proxy in between.",
    "BrokenChunk": "The trace shows the bytes; a proxy in between may have changed them.",
    "InvalidUtf8": "The trace shows the bytes; a proxy in between may have changed them.",
    "Endless": "Set the most tokens of an answer in the model's parameters.",
    "ProviderError": "The trace shows what the server said.",
}
_SERVER = "The server has an internal problem. Test again, or check its log or status page."


def advice(kind: str, status: int | None) -> str:
    """Advice for a failure. `kind`: its class name; `status`: its HTTP status. Empty if unknown."""
    if kind != "StatusFailure":
        return _BY_KIND.get(kind, "")
    if status is not None and status >= 500:
        return _SERVER
    return _BY_STATUS.get(status or 0, "")
