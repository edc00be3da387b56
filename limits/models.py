"""Model calls and providers."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from limits.table import Limit

MAX_EPILOGUE_S: Annotated[
    float,
    Limit("seconds", "Wait for the end of a body after its last event", "The connection is closed"),
] = 2.0
MAX_PROVIDER_CONNECT_S: Annotated[
    float, Limit("seconds", "Connection to a provider", "The attempt fails")
] = 5.0
MAX_PROVIDER_KEEPALIVE_S: Annotated[
    float, Limit("seconds", "Idle connection to a provider", "Closed")
] = 30.0
MAX_PROVIDER_SILENCE_S: Annotated[
    float, Limit("seconds", "Silence of a provider", "The attempt fails")
] = 60.0
MAX_ATTEMPTS: Annotated[
    int, Limit("attempts", "Attempts of a model call", "The turn ends with a sentence")
] = 4
MAX_RETRY_AFTER_S: Annotated[
    float, Limit("seconds", "Pause that a provider asks for", "The turn ends with a sentence")
] = 120.0
MAX_SUMMARY_PAUSE_S: Annotated[
    float, Limit("seconds", "Pause before another attempt of a summary", "Tried after this one")
] = 30.0
MAX_SEARCHED_FOR_SECRETS_BYTES: Annotated[
    int, Limit("bytes", "Unpacked body that is searched for secrets", "Not kept")
] = 64 * 1024 * 1024
MAX_REPORTED_TOKENS: Annotated[
    int, Limit("tokens", "Tokens that a provider reports for a call", "Counted as this many")
] = 100_000_000
MAX_WINDOW_REFUSALS: Annotated[
    int,
    Limit(
        "refusals",
        "Requests of a round that were too long for the model",
        "The turn ends with a sentence",
    ),
] = 8
MAX_RESULT_IMAGES: Annotated[
    int, Limit("images", "Images of a tool result that a model is sent", "Named in the text")
] = 8
MAX_STRUCTURED_RESULT: Annotated[
    int,
    Limit(
        "characters",
        "Structured content of a result that is sent in place of its text",
        "The text is sent",
    ),
] = 10_000
MAX_SUMMARY_FAILURES: Annotated[int, Limit("failures", "Failures of a summary", "Done without")] = 2
MAX_CUT_SUMMARIES: Annotated[
    int, Limit("attempts", "Attempts of a summary that a restart cut", "Done without")
] = 5
MAX_CUT_ATTEMPTS: Annotated[
    int,
    Limit("attempts", "Attempts of a round that a restart cut", "The turn ends with a sentence"),
] = 5
MAX_CHAT_TEMPLATE: Annotated[
    int, Limit("characters", "Chat template of a model", "Refused with a sentence")
] = 200_000
MAX_TEMPLATE_PROMPT: Annotated[
    int, Limit("characters", "Prompt that a chat template writes", "The attempt fails")
] = 8_000_000
MAX_TEMPLATE_S: Annotated[
    float, Limit("seconds", "Run of a chat template, by the clock", "Ended; the attempt fails")
] = 5.0
MAX_TEMPLATE_CPU_S: Annotated[
    int, Limit("seconds", "Run of a chat template, CPU time", "Ended; the attempt fails")
] = 4
MAX_TEMPLATE_MEMORY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Address space of the process that runs a chat template",
        "Ended; the attempt fails",
    ),
] = 384 * 1024 * 1024
MAX_TOLD_ERRORS: Annotated[
    int, Limit("errors", "Errors of an answer that are told one by one", "Counted")
] = 20
MAX_ANTHROPIC_NAME: Annotated[
    int, Limit("characters", "Tool name in the Messages API", "Shortened, with a digest")
] = 128
MAX_FAILURE_EVIDENCE_BYTES: Annotated[
    int, Limit("bytes", "Body that an error keeps", "Cut; the trace has all of it")
] = 2000
MAX_FAILURE_QUOTE: Annotated[
    int, Limit("characters", "Provider's own words in an error", "Cut")
] = 300
MAX_REDACTED_TEXTS: Annotated[
    int,
    Limit(
        "texts",
        "Texts of a body that are searched for secrets across events",
        "The body is not kept",
    ),
] = 300_000
MAX_REDACTED_CHARACTERS: Annotated[
    int, Limit("characters", "Characters that are replaced in such a body", "The body is not kept")
] = 100_000
MAX_TOLD_WINDOW: Annotated[
    int, Limit("tokens", "Context window that a refusal names", "Taken for a misread number")
] = 100_000_000
MAX_ERROR_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of an error that is read for its sentence", "Not read")
] = 65_536
MAX_LISTED_MODELS: Annotated[int, Limit("models", "Models of a provider's list", "Left out")] = (
    5_000
)
MAX_MODEL_ID: Annotated[int, Limit("characters", "Id of a model", "Left out of the list")] = 200
MAX_MODEL_LABEL: Annotated[int, Limit("characters", "Name of a model", "Cut")] = 80
MAX_PRICE: Annotated[
    Decimal, Limit("dollars", "Price of a million tokens", "Taken for unknown")
] = Decimal(999_999)
MAX_LISTED_WINDOW: Annotated[
    int, Limit("tokens", "Context window of a listed model", "Taken for unknown")
] = 2**31 - 1
MAX_MODEL_LIST_CONNECT_S: Annotated[
    float, Limit("seconds", "Connection for a list of models", "Refused with a sentence")
] = 5.0
MAX_MODEL_LIST_SILENCE_S: Annotated[
    float, Limit("seconds", "Silence while a list of models is read", "Refused with a sentence")
] = 10.0
MAX_MODEL_LIST_S: Annotated[
    float, Limit("seconds", "All of a list of models", "Refused with a sentence")
] = 20.0
MAX_MODEL_LIST_BYTES: Annotated[
    int, Limit("bytes", "List of models", "Refused with a sentence")
] = 5 * 1024 * 1024
MAX_CHECK_TEXT: Annotated[
    int, Limit("characters", "Answer of a model on the page of its test", "Cut")
] = 2_000
MAX_STOP_SEQUENCES: Annotated[
    int, Limit("texts", "Stop sequences of a model's parameters", "Refused with a sentence")
] = 16
MAX_INTEGER_PARAMETER: Annotated[
    int, Limit("", "Whole number among a model's parameters", "Refused with a sentence")
] = 2**63 - 1
MAX_CHECK_CALL_S: Annotated[float, Limit("seconds", "Call of a model's test", "The test fails")] = (
    300.0
)
MAX_ADDED_MODELS: Annotated[int, Limit("models", "Models that are added at once", "Left out")] = 500
MAX_CHECK_WAIT: Annotated[
    timedelta, Limit("seconds", "Wait of a model's test for a worker", "Shown as failed")
] = timedelta(seconds=30)
MAX_CHECK_SILENCE: Annotated[
    timedelta, Limit("seconds", "Silence of a worker about a model's test", "Shown as failed")
] = timedelta(minutes=6)
MAX_RUN_WAIT: Annotated[
    timedelta, Limit("seconds", "Wait of a playground run for a worker", "Shown as failed")
] = timedelta(seconds=30)
MAX_RUN_SILENCE: Annotated[
    timedelta, Limit("seconds", "Silence of a worker about a playground run", "Shown as failed")
] = timedelta(seconds=30)
MAX_REQUEST_ATTACHMENTS_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Attachments in a request to a model",
        "The oldest are named only",
        "`ATTACHMENTS_REQUEST_BYTES`",
    ),
] = 24_000_000
