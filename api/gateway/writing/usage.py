"""What a call used: as its provider counted it, else estimated, so that every call counts."""

from functools import partial

from api.gateway.call import Call
from api.gateway.reading import responses
from api.gateway.reading.answered import Answered
from api.gateway.reading.values import Object
from chat.llm import usage_estimate
from limits.gateway import MAX_GATEWAY_READ_BYTES
from tracing.store.encodings import decode_content

# What a provider answers without a model.
_WITHOUT_MODEL = frozenset(
    {"messages/count_tokens", "responses/input_tokens", "tokenize", "detokenize"}
)


def usage_of(call: Call, answered: Answered, sent: bytes, body: bytes) -> Object | None:
    """Tokens under the names of chat completions; with `estimated: true` where the provider did not
    report them, or had counted only the beginning of an answer that was cut. `body` is
    decompressed."""
    if not _has_worked(call):
        return answered.usage
    has_ended = answered.finish_reason is not None or not (answered.problem or call.cut)
    return usage_estimate.counted_usage(
        _reported(answered),
        has_ended=has_ended,
        estimated=partial(_estimated, call, sent, body),
    )


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
        return usage_estimate.unread_tokens(call.request_bytes, call.response_bytes, headers)
    plain = decode_content(sent, call.request_headers, MAX_GATEWAY_READ_BYTES)
    return (
        usage_estimate.request_tokens(plain, call.request_headers),
        usage_estimate.answer_tokens(body, call.response_headers),
    )
