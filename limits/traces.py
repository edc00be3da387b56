"""Traces: recording, keeping and search."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from limits.table import Limit

MAX_ID_DIGITS: Annotated[int, Limit("digits", "Number in an address", "404")] = 18
MAX_SYSTEM_PROMPT_KEY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Text around the lists of a request that is looked at for a system prompt",
        "Not looked at",
    ),
] = 64 * 1024
MAX_STORED_BYTES: Annotated[int, Limit("bytes", "Stored blob, unpacked", "Refused as damaged")] = (
    1 << 31
)
MAX_DIGEST_NAME: Annotated[int, Limit("characters", "Name in the figures of a trace", "Cut")] = 200
MAX_DIGEST_TOKENS: Annotated[
    int, Limit("tokens", "Tokens of a span in the figures", "Counted as this many")
] = 10**10
MAX_DIGEST_DOLLARS: Annotated[
    Decimal, Limit("dollars", "Cost of a span in the figures", "Counted as this many")
] = Decimal(1_000_000)
MAX_ERROR_RESULT_BYTES: Annotated[
    int, Limit("bytes", "Result that is read for its error", "Not read")
] = 1_000_000
MAX_DIGEST_ERROR: Annotated[int, Limit("characters", "Error in the figures of a trace", "Cut")] = (
    500
)
MAX_KNOWN_MESSAGE_KINDS: Annotated[
    int, Limit("messages", "Messages whose role a process remembers", "All are looked up again")
] = 100_000
MAX_QUERY_VALUES: Annotated[int, Limit("values", "Values in one query", "In the next query")] = (
    5_000
)
MAX_INSERTED_ROWS: Annotated[int, Limit("rows", "Rows in one INSERT", "In the next one")] = 32
MAX_WORKER_SILENCE_S: Annotated[
    int, Limit("seconds", "Silence of a worker", "It counts as gone")
] = 10
MAX_PERIOD: Annotated[
    timedelta, Limit("seconds", "Range of the dashboard", "Refused with a sentence")
] = timedelta(days=1_100)
MAX_COUNTED_PENDING: Annotated[
    int, Limit("traces", "Traces without figures that are counted", "Shown as more")
] = 1000
MAX_ACT_TRACES: Annotated[
    int,
    Limit("traces", "Traces that are deleted or kept at once", "Left as they are, with a sentence"),
] = 10_000
MAX_EXPORTED_TRACES: Annotated[
    int, Limit("traces", "Traces in one export", "Left out, with a sentence")
] = 500
MAX_ID_TRACES: Annotated[
    int, Limit("traces", "Traces that an id names in a search", "Left out")
] = 2_000
MAX_SORTED_TRACES: Annotated[
    int, Limit("traces", "Traces that are looked through for a rare order", "Left out")
] = 5_000
MAX_OPTIONS: Annotated[
    int, Limit("values", "Values of a filter to choose from", "Can be written into the address")
] = 200
MAX_RELAXED_FILTERS: Annotated[
    int, Limit("filters", "Filters that are tried without where nothing fits", "Not tried")
] = 8
MAX_COUNTED_OUTDATED: Annotated[
    int, Limit("traces", "Traces that are to be indexed again, and are counted", "Shown as more")
] = 1_000
MAX_FILTER: Annotated[int, Limit("characters", "Text of a filter", "Cut")] = 200
MAX_FILTER_NUMBER: Annotated[int, Limit("", "Number of a filter", "Passed over")] = 10**15
MAX_INDEXED_TRACE: Annotated[
    int, Limit("characters", "Text of a trace that is indexed", "Not found by search")
] = 400_000
MAX_INDEXED_STAGE: Annotated[
    int, Limit("characters", "Text of one stage that is indexed", "Not found by search")
] = 200_000
MAX_PARSED_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Stage that is parsed to be indexed", "Indexed by its beginning")
] = 8_000_000
MAX_POSITIONS: Annotated[
    int, Limit("places", "Places of a word in one part of the index", "Left out")
] = 255
MAX_TERMS: Annotated[int, Limit("terms", "Words and phrases of a search", "Left out")] = 16
MAX_PHRASE_WORDS: Annotated[int, Limit("words", "Words of a phrase of a search", "Left out")] = 32
MAX_SNIPPET_TEXT: Annotated[
    int, Limit("characters", "Text that is read for a snippet", "Not read")
] = 100_000
MAX_SNIPPET_PLACES: Annotated[
    int, Limit("places", "Places of a word that are looked at for a snippet", "Not looked at")
] = 200
MAX_INDEXED_NAMES: Annotated[
    int, Limit("names", "Names of spans of a trace that are indexed", "Not found by search")
] = 200
MAX_INDEXED_ERRORS: Annotated[
    int, Limit("errors", "Errors of a trace that are indexed", "Not found by search")
] = 200
MAX_INDEXED_IDS: Annotated[
    int, Limit("ids", "Ids of calls of a trace that are indexed", "Not found by search")
] = 2_000
MAX_WORD: Annotated[int, Limit("characters", "Word of the index", "Cut")] = 64
MAX_MATCHES: Annotated[
    int, Limit("matches", "Matches of a search within a body", "Left out, with a note")
] = 1_000
MAX_FIND: Annotated[int, Limit("characters", "Text that is looked for within a body", "Cut")] = 200
MAX_INDEXED_AT_ONCE: Annotated[
    int, Limit("payloads", "Payloads of a trace that are indexed at once", "In the next round")
] = 40
MAX_COUNTED_TRACES: Annotated[
    int, Limit("traces", "Ended traces that one run of the worker counts", "In the next run")
] = 500
