"""Advice for an admin about a failed model call, in one or two sentences."""

from languages.stored import stored

_BY_STATUS = {
    400: stored(
        "The trace shows the request and the server's answer. Often the cause is a parameter "
        "that this model does not accept."
    ),
    401: stored("Check the key on the provider's page: it may be missing, mistyped or revoked."),
    402: stored("The account at the provider has no credit left."),
    403: stored(
        "The key is valid but may not use this model. Check its permissions at the provider."
    ),
    404: stored(
        "Check the model's id, and that the base URL ends where the provider says (mostly /v1)."
    ),
    413: stored("The request is too large for this server."),
    422: stored(
        "The trace shows the request and the server's answer. Often the cause is a parameter "
        "that this model does not accept."
    ),
    429: stored(
        "Wait a little and test again. If it persists, the account's limit or credit is used up."
    ),
}
_BY_KIND = {
    "ConnectFailed": stored(
        "Check that the server is running and that the base URL is right as seen "
        "from the machine that Roundtrip runs on. In a container, 127.0.0.1 is the "
        "container itself."
    ),
    "ConnectionLost": stored("Test again. If it persists, check the server's log."),
    "Stalled": stored("The server may still be loading the model: test again in a minute."),
    "Overdue": stored("The server may still be loading the model: test again in a minute."),
    "NotAStream": stored("Check the base URL: it usually ends in /v1."),
    "EmptyBody": stored("Check the base URL and the server's log."),
    "NoChunks": stored("Check the server's log; the trace shows what arrived."),
    "CutStream": stored(
        "Test again. If it persists, check the server's log or a proxy in between."
    ),
    "BrokenChunk": stored("The trace shows the bytes; a proxy in between may have changed them."),
    "InvalidUtf8": stored("The trace shows the bytes; a proxy in between may have changed them."),
    "Endless": stored("Set the most tokens of an answer in the model's parameters."),
    "ProviderError": stored("The trace shows what the server said."),
}
_SERVER = stored("The server has an internal problem. Test again, or check its log or status page.")


def advice(kind: str, status: int | None) -> str:
    """Advice for a failure. `kind`: its class name; `status`: its HTTP status. Empty if unknown."""
    if kind != "StatusFailure":
        return _BY_KIND.get(kind, "")
    if status is not None and status >= 500:
        return _SERVER
    return _BY_STATUS.get(status or 0, "")
