"""What a call used: as its provider counted it, else estimated, so that every call counts."""

from api.gateway.call import Call
from api.gateway.reading import estimate, responses
from api.gateway.reading.answered import Answered
from api.gateway.reading.values import Object
from limits.gateway import MAX_GATEWAY_READ_BYTES
from tracing.journal.cost import token_count
from tracing.store.encodings import decode_content

# What a provider answers without a model.
_WITHOUT_MODEL = frozenset(
    {"messages/count_tokens", "responses/input_tokens", "tokenize", "detokenize"}
)
_COUNTS = ("prompt_tokens", "completion_tokens")


def usage_of(call: Call, answered: Answered, sent: bytes, body: bytes) -> Object | None:
    """Tokens under the names of chat completions; with `estimated: true` where the provider did not
    report them, or had counted only the beginning of an answer that was cut. `body` is
    decompressed."""
    if not _has_worked(call):
        return answered.usage
    reported = _reported(answered)
    prompt, written = (token_count(reported.get(name)) for name in _COUNTS)
    has_ended = answered.finish_reason is not None or not (answered.problem or call.cut)
    if (prompt or written) and has_ended:
        return reported
    given, received = _estimated(call, sent, body)
    prompt, written = prompt or given, max(written, received)
    counts = {"prompt_tokens": prompt, "completion_tokens": written}
    return {**reported, **counts, "total_tokens": prompt + written, "estimated": True}


def _has_worked(call: Call) -> bool:
    """Whether a model may have worked for the call: its request reached the provider as a whole,
    which did not refuse it."""
    if call.method != "POST" or call.target.rstrip("/") in _WITHOUT_MODEL or call.is_unreached:
        return False
    return call.is_request_whole if call.status is None else call.status < 400


def _reported(answered: Answered) -> Object:
    usage = answered.usage or {}
    if "input_tokens" in usage and "prompt_tokens" not in usage:
        return responses.usage_of({"usage": usage}) or {}
    return usage


def _estimated(call: Call, sent: bytes, body: bytes) -> tuple[int, int]:
    """Tokens of the request and of the answer."""
    headers = (call.request_headers, call.response_headers)
    if call.loss is not None or max(len(sent), len(body)) > MAX_GATEWAY_READ_BYTES:
        return estimate.unread_tokens(call.request_bytes, call.response_bytes, headers)
    plain = decode_content(sent, call.request_headers, MAX_GATEWAY_READ_BYTES)
    return (
        estimate.request_tokens(plain, call.request_headers),
        estimate.answer_tokens(body, call.response_headers),
    )
