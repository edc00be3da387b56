"""Traces: recording, keeping and search."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from limits.table import Limit

MAX_ID_DIGITS: Annotated[
    int, Limit("digits", "Number in an address", "Refused with status 404")
] = 18
MAX_SYSTEM_PROMPT_KEY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Text of a request outside of its lists that is searched for a system prompt",
        "Not searched",
    ),
] = 64 * 1024
MAX_STORED_BYTES: Annotated[
    int, Limit("bytes", "Uncompressed size of a stored blob", "Refused as damaged")
] = 1 << 31
MAX_BASE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Part of a payload that is stored as its difference from another",
        "Stored in full",
    ),
] = 1 << 20
MAX_DIGEST_NAME: Annotated[
    int, Limit("characters", "Name in the aggregates of a trace", "Truncated")
] = 200
MAX_DIGEST_TOKENS: Annotated[
    int, Limit("tokens", "Tokens of a span in the aggregates", "Counted as this value")
] = 10**10
MAX_DIGEST_DOLLARS: Annotated[
    Decimal, Limit("dollars", "Cost of a span in the aggregates", "Counted as this value")
] = Decimal(1_000_000)
MAX_ERROR_RESULT_BYTES: Annotated[
    int, Limit("bytes", "Tool result that is searched for its error", "Not searched")
] = 1_000_000
MAX_DIGEST_ERROR: Annotated[
    int, Limit("characters", "Error in the aggregates of a trace", "Truncated")
] = 500
MAX_KNOWN_MESSAGE_KINDS: Annotated[
    int, Limit("messages", "Messages whose role a process caches", "The cache is emptied")
] = 100_000
MAX_REMEMBERED_ARCHIVES: Annotated[
    int,
    Limit(
        "conversations",
        "Conversations of which a process knows the latest request",
        "The next request of another one is cut and looked up as a whole",
    ),
] = 512
MAX_QUERY_VALUES: Annotated[
    int, Limit("values", "Values in one query", "Asked for by the next query")
] = 5_000
MAX_INSERTED_ROWS: Annotated[
    int, Limit("rows", "Rows in one INSERT", "Inserted by the next one")
] = 32
MAX_WORKER_SILENCE_S: Annotated[
    int, Limit("seconds", "Time without a sign of life from a worker", "The worker counts as gone")
] = 10
MAX_PERIOD: Annotated[
    timedelta, Limit("seconds", "Period of the dashboard", "Refused with an error message")
] = timedelta(days=1_100)
MAX_COUNTED_PENDING: Annotated[
    int, Limit("traces", "Traces without aggregates that are counted", "Shown as more than this")
] = 1000
MAX_BULK_TRACES: Annotated[
    int,
    Limit(
        "traces",
        "Traces that are deleted or kept at once",
        "The others are unchanged, with a message",
    ),
] = 10_000
MAX_EXPORTED_TRACES: Annotated[
    int, Limit("traces", "Traces in one export", "The others are omitted, with a message")
] = 500
MAX_ID_TRACES: Annotated[
    int, Limit("traces", "Traces that match an id in a search", "The others are omitted")
] = 2_000
MAX_SORTED_TRACES: Annotated[
    int,
    Limit("traces", "Traces that are read for an order without an index", "The others are omitted"),
] = 5_000
MAX_OPTIONS: Annotated[
    int, Limit("values", "Values that a filter offers", "The others work in the page's address")
] = 200
MAX_RELAXED_FILTERS: Annotated[
    int,
    Limit(
        "filters",
        "Filters that are dropped one by one when nothing matches",
        "The others are not tried",
    ),
] = 8
MAX_COUNTED_OUTDATED: Annotated[
    int,
    Limit("traces", "Traces with an outdated index that are counted", "Shown as more than this"),
] = 1_000
MAX_FILTER: Annotated[int, Limit("characters", "Text of a filter", "Truncated")] = 200
MAX_FILTER_NUMBER: Annotated[int, Limit("", "Number in a filter", "The filter is ignored")] = 10**15
MAX_INDEXED_TRACE: Annotated[
    int, Limit("characters", "Indexed text of a trace", "The rest is not found by search")
] = 400_000
MAX_INDEXED_STAGE: Annotated[
    int, Limit("characters", "Indexed text of one stage", "The rest is not found by search")
] = 200_000
MAX_PARSED_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Stage that is parsed for the index", "Only its beginning is indexed")
] = 8_000_000
MAX_POSITIONS: Annotated[
    int, Limit("places", "Positions of a word in one part of the index", "The others are omitted")
] = 255
MAX_TERMS: Annotated[
    int, Limit("terms", "Words and phrases in a search", "The others are omitted")
] = 16
MAX_PHRASE_WORDS: Annotated[
    int, Limit("words", "Words in a phrase of a search", "The others are omitted")
] = 32
MAX_SNIPPET_TEXT: Annotated[
    int, Limit("characters", "Text that is searched for a snippet", "The rest is not searched")
] = 100_000
MAX_SNIPPET_PLACES: Annotated[
    int,
    Limit(
        "places",
        "Occurrences of a word that are considered for a snippet",
        "The others are ignored",
    ),
] = 200
MAX_INDEXED_NAMES: Annotated[
    int, Limit("names", "Indexed span names of a trace", "The others are not found by search")
] = 200
MAX_INDEXED_ERRORS: Annotated[
    int, Limit("errors", "Indexed errors of a trace", "The others are not found by search")
] = 200
MAX_INDEXED_IDS: Annotated[
    int, Limit("ids", "Indexed call ids of a trace", "The others are not found by search")
] = 2_000
MAX_WORD: Annotated[int, Limit("characters", "Word in the index", "Truncated")] = 64
MAX_MATCHES: Annotated[
    int,
    Limit("matches", "Matches of a search within one body", "The others are omitted, with a note"),
] = 1_000
MAX_FIND: Annotated[int, Limit("characters", "Query of a search within one body", "Truncated")] = (
    200
)
MAX_INDEXED_AT_ONCE: Annotated[
    int,
    Limit(
        "payloads",
        "Payloads of a trace that one step of indexing reads",
        "Indexed in the next step",
    ),
] = 40
MAX_PRELOADED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Payloads that are read together to index several traces",
        "The others are read one trace at a time",
    ),
] = 4_000_000
MAX_PRELOADED_MESSAGES: Annotated[
    int,
    Limit(
        "messages",
        "Messages of a trace that are read together with those of others to index them",
        "Read by themselves",
    ),
] = 100
MAX_SPANS_AT_ONCE: Annotated[
    int,
    Limit(
        "spans",
        "Spans of ended traces that the worker aggregates together",
        "Traces with more are aggregated one at a time",
    ),
] = 2_000
MAX_UNCOUNTED_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time without aggregates after the end of a trace, while many turns run",
        "Aggregated although many turns run",
    ),
] = 10.0
MAX_COUNTING_S: Annotated[
    float,
    Limit("seconds", "Time in which one worker alone aggregates", "Another worker may do it too"),
] = 30.0
MAX_COUNTED_TRACES: Annotated[
    int,
    Limit(
        "traces", "Ended traces that one run of the worker aggregates", "Aggregated in the next run"
    ),
] = 500
MAX_INDEXING_S: Annotated[
    float,
    Limit(
        "seconds",
        "Indexing of traces in one beat of a worker's timer",
        "Continues at the next beat",
    ),
] = 0.2
MAX_INDEXED_TRACES: Annotated[
    int,
    Limit("traces", "Traces indexed in one beat of a worker's timer", "Indexed at the next beat"),
] = 50
