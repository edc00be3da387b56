"""Model calls and providers."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from limits.table import Limit

MAX_EPILOGUE_S: Annotated[
    float,
    Limit(
        "seconds", "Wait for the end of a response after its last event", "The connection is closed"
    ),
] = 2.0
MAX_PROVIDER_CONNECT_S: Annotated[
    float, Limit("seconds", "Time to connect to a provider", "The attempt fails")
] = 5.0
MAX_PROVIDER_KEEPALIVE_S: Annotated[
    float, Limit("seconds", "Age of an idle connection to a provider", "The connection is closed")
] = 30.0
MAX_PROVIDER_SILENCE_S: Annotated[
    float, Limit("seconds", "Time without data from a provider", "The attempt fails")
] = 60.0
MAX_ATTEMPTS: Annotated[
    int, Limit("attempts", "Attempts of a model call", "The turn ends with an error message")
] = 4
MAX_RETRY_AFTER_S: Annotated[
    float, Limit("seconds", "`Retry-After` of a provider", "The turn ends with an error message")
] = 120.0
MAX_SUMMARY_PAUSE_S: Annotated[
    float,
    Limit("seconds", "Pause before the next attempt of a summary", "Lowered to this"),
] = 30.0
MAX_SEARCHED_FOR_SECRETS_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Uncompressed response that is searched for secrets", "The response is not stored"
    ),
] = 64 * 1024 * 1024
MAX_REPORTED_TOKENS: Annotated[
    int, Limit("tokens", "Tokens that a provider reports for one call", "Counted as this value")
] = 100_000_000
MAX_WINDOW_REFUSALS: Annotated[
    int,
    Limit(
        "refusals",
        "Requests of a round that the provider refused as too long",
        "The turn ends with an error message",
    ),
] = 8
MAX_RESULT_IMAGES: Annotated[
    int,
    Limit(
        "images",
        "Images of a tool result that are sent to a model",
        "The others are mentioned in the text",
    ),
] = 8
MAX_STRUCTURED_RESULT: Annotated[
    int,
    Limit(
        "characters",
        "Structured content of a tool result that replaces its text",
        "The text is sent",
    ),
] = 10_000
MAX_SUMMARY_FAILURES: Annotated[
    int, Limit("failures", "Failed attempts of a summary", "The turn goes on without it")
] = 2
MAX_CUT_SUMMARIES: Annotated[
    int,
    Limit(
        "attempts",
        "Attempts of a summary that a restart interrupted",
        "The turn goes on without it",
    ),
] = 5
MAX_CUT_ATTEMPTS: Annotated[
    int,
    Limit(
        "attempts",
        "Attempts of a round that a restart interrupted",
        "The turn ends with an error message",
    ),
] = 5
MAX_CHAT_TEMPLATE: Annotated[
    int, Limit("characters", "Chat template of a model", "Refused with an error message")
] = 200_000
MAX_TEMPLATE_PROMPT: Annotated[
    int, Limit("characters", "Prompt that a chat template produces", "The attempt fails")
] = 8_000_000
MAX_TEMPLATE_S: Annotated[
    float,
    Limit("seconds", "Wall time of a chat template", "The process is ended; the attempt fails"),
] = 5.0
MAX_TEMPLATE_CPU_S: Annotated[
    int, Limit("seconds", "CPU time of a chat template", "The process is ended; the attempt fails")
] = 4
MAX_TEMPLATE_MEMORY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Address space of the process that runs a chat template",
        "The process is ended; the attempt fails",
    ),
] = 384 * 1024 * 1024
MAX_LISTED_PROBLEMS: Annotated[
    int,
    Limit(
        "errors",
        "Parse problems of a response that are listed",
        "The others are counted, not listed",
    ),
] = 20
MAX_ANTHROPIC_NAME: Annotated[
    int, Limit("characters", "Tool name in the Messages API", "Truncated, with a digest")
] = 128
MAX_FAILURE_EVIDENCE_BYTES: Annotated[
    int, Limit("bytes", "Response body that an error carries", "Truncated; the trace has all of it")
] = 2000
MAX_FAILURE_QUOTE: Annotated[
    int, Limit("characters", "Quote of the provider in an error message", "Truncated")
] = 300
MAX_REDACTED_TEXTS: Annotated[
    int,
    Limit(
        "texts",
        "Texts of a response that are searched for secrets across events",
        "The response is not stored",
    ),
] = 300_000
MAX_REDACTED_CHARACTERS: Annotated[
    int,
    Limit(
        "characters", "Characters that are redacted in one response", "The response is not stored"
    ),
] = 100_000
MAX_REFUSED_WINDOW: Annotated[
    int, Limit("tokens", "Context window that a provider's refusal names", "The number is ignored")
] = 100_000_000
MAX_ERROR_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of an error that is searched for its message", "Not searched")
] = 65_536
MAX_LISTED_MODELS: Annotated[
    int, Limit("models", "Models in a provider's list", "The others are omitted")
] = 5_000
MAX_MODEL_ID: Annotated[
    int, Limit("characters", "Id of a model in a provider's list", "The model is omitted")
] = 200
MAX_MODEL_LABEL: Annotated[int, Limit("characters", "Display name of a model", "Truncated")] = 80
MAX_PRICE: Annotated[
    Decimal, Limit("dollars", "Price of a million tokens", "Treated as unknown")
] = Decimal(999_999)
MAX_PRICE_LOOKUP_S: Annotated[
    float, Limit("seconds", "Looking prices up in the list of genai-prices", "Tried again later")
] = 20.0
MAX_LISTED_WINDOW: Annotated[
    int, Limit("tokens", "Context window of a model in a provider's list", "Treated as unknown")
] = 2**31 - 1
MAX_MODEL_LIST_CONNECT_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time to connect for a provider's list of models",
        "Refused with an error message",
    ),
] = 5.0
MAX_MODEL_LIST_SILENCE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time without data while a provider's list of models is read",
        "Refused with an error message",
    ),
] = 10.0
MAX_MODEL_LIST_S: Annotated[
    float,
    Limit(
        "seconds", "Total time to read a provider's list of models", "Refused with an error message"
    ),
] = 20.0
MAX_MODEL_LIST_BYTES: Annotated[
    int, Limit("bytes", "Provider's list of models", "Refused with an error message")
] = 5 * 1024 * 1024
MAX_CHECK_TEXT: Annotated[
    int, Limit("characters", "Response text on the page of a model's test", "Truncated")
] = 2_000
MAX_STOP_SEQUENCES: Annotated[
    int, Limit("texts", "Stop sequences in a model's parameters", "Refused with an error message")
] = 16
MAX_INTEGER_PARAMETER: Annotated[
    int, Limit("", "Integer in a model's parameters", "Refused with an error message")
] = 2**63 - 1
MAX_CHECK_CALL_S: Annotated[
    float, Limit("seconds", "Duration of one call of a model's test", "The test fails")
] = 300.0
MAX_TITLE_TOKENS: Annotated[
    int, Limit("tokens", "Answer to a request for a title", "Sent as max_tokens")
] = 1_000
MAX_TITLE_S: Annotated[
    float, Limit("seconds", "Duration of a request for a title", "The first words stay the title")
] = 30.0
MAX_ADDED_MODELS: Annotated[
    int, Limit("models", "Models that are added at once", "The others are omitted")
] = 500
MAX_CHECK_WAIT: Annotated[
    timedelta,
    Limit("seconds", "Time until a worker takes a model's test", "Counts as failed"),
] = timedelta(seconds=30)
MAX_CHECK_SILENCE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time without a sign of life from the worker of a model's test",
        "Counts as failed",
    ),
] = timedelta(minutes=6)
MAX_RUN_WAIT: Annotated[
    timedelta,
    Limit("seconds", "Time until a worker takes a playground run", "Counts as failed"),
] = timedelta(seconds=30)
MAX_RUN_SILENCE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time without a sign of life from the worker of a playground run",
        "Counts as failed",
    ),
] = timedelta(seconds=30)
MAX_REQUEST_ATTACHMENTS_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Attachments in one request to a model",
        "The oldest are replaced by their names",
        "`ATTACHMENTS_REQUEST_BYTES`",
    ),
] = 24_000_000
MAX_BUDGET_TOKENS: Annotated[
    int,
    Limit(
        "tokens",
        "Thinking of an older Claude model at the highest effort",
        "The budget is this many tokens",
    ),
] = 24_000
MAX_LOCAL_MODEL_ANSWER_S: Annotated[
    float,
    Limit(
        "seconds",
        "Wait of the first steps for the local model to answer",
        "It counts as being loaded",
    ),
] = 0.5
