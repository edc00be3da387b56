"""Tools and their arguments."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_LISTED_ARGUMENTS: Annotated[
    int,
    Limit(
        "names",
        "Unknown arguments that an error for the model lists",
        "The others are counted, not listed",
    ),
] = 10
MAX_LISTED_ARGUMENT: Annotated[
    int, Limit("characters", "Unknown argument in an error for the model", "Truncated")
] = 80
MAX_SHOWN_RESULT: Annotated[
    int, Limit("characters", "Tool result on a page", "Truncated; the trace has all of it")
] = 50_000
MAX_CHECKS_AT_ONCE: Annotated[
    int, Limit("servers", "Concurrent tests of servers of one owner", "Further tests wait")
] = 3
MAX_CONTACTS: Annotated[
    int, Limit("contacts", "Stored contacts with a server", "The oldest are deleted")
] = 200
MAX_CONTACT_ERROR: Annotated[
    int, Limit("characters", "Error of a contact with a server", "Truncated")
] = 500
MAX_DESCRIBED_PARTS: Annotated[
    int,
    Limit(
        "parts", "Parts of a result that are described besides its text", "The others are omitted"
    ),
] = 50
MAX_PART_LABEL: Annotated[
    int, Limit("characters", "Description of a part of a result", "Truncated")
] = 2_000
MAX_LISTED_NAMES: Annotated[
    int,
    Limit(
        "names",
        "Tools that are listed to a model that asked for an unknown one",
        "The others are counted, not listed",
    ),
] = 100
MAX_TOOL_GRACE_S: Annotated[
    float,
    Limit("seconds", "Time after its deadline for a tool to report by itself", "The call is ended"),
] = 2.0
MAX_IMPORTED_SERVERS: Annotated[
    int, Limit("servers", "Servers that are imported at once", "Refused with an error message")
] = 100
MAX_SERVERS_TEXT: Annotated[
    int,
    Limit(
        "characters",
        "Imported configuration of servers, as pasted text",
        "Refused with an error message",
    ),
] = 1_000_000
MAX_SERVER_NAME: Annotated[int, Limit("characters", "Name of an imported server", "Truncated")] = 40
MAX_IMPORTED_TIMEOUT_S: Annotated[
    int,
    Limit("seconds", "Timeout of an imported server", "Read as milliseconds, and lowered to this"),
] = 3600
MAX_TOOL_NAME: Annotated[
    int, Limit("characters", "Tool name in a request to a model", "Truncated, with a digest")
] = 64
MAX_LISTED_DEFECTS: Annotated[
    int,
    Limit(
        "defects",
        "Defects of a tool's schema that are listed",
        "The others are counted, not listed",
    ),
] = 5
MAX_REPAIR_S: Annotated[
    float,
    Limit(
        "seconds", "Time to repair the schema of one tool", "The tool is offered without a schema"
    ),
] = 3.0
MAX_REPAIRS_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time to repair all schemas of a server",
        "The other tools are offered without a schema",
    ),
] = 20.0
MAX_OFFERED_SCHEMA: Annotated[
    int,
    Limit(
        "characters",
        "Schema of a tool in a request to a model",
        "The tool is offered without a schema",
    ),
] = 200_000
MAX_REFERENCES: Annotated[
    int, Limit("steps", "Chained `$ref`s of a schema", "Treated as circular")
] = 50
MAX_PATTERN_TRIES: Annotated[
    int,
    Limit(
        "steps",
        "Steps of a regular expression that is run within the process",
        "Run in a separate process",
    ),
] = 1_000_000
MAX_SIMPLE_PATTERN: Annotated[
    int,
    Limit(
        "characters",
        "Regular expression that is run within the process",
        "Run in a separate process",
    ),
] = 1_000
MAX_FORM_FIELDS: Annotated[
    int, Limit("fields", "Fields of a form that a server asks to fill in", "The others are omitted")
] = 60
MAX_FORM_CHOICES: Annotated[
    int, Limit("choices", "Choices of one field of such a form", "The others are omitted")
] = 500
MAX_FORM_ANSWER: Annotated[
    int,
    Limit("characters", "Text that a person enters into a field", "Refused with an error message"),
] = 20_000
MAX_QUESTIONS: Annotated[
    int, Limit("questions", "Questions to a person during one call", "The call fails")
] = 20
MAX_READING_AGE: Annotated[
    timedelta, Limit("seconds", "Age of the stored content of a prompt or resource", "Deleted")
] = timedelta(hours=1)
MAX_READING: Annotated[
    int,
    Limit(
        "characters", "Content of a prompt or resource, as JSON", "Refused with an error message"
    ),
] = 20_000_000
MAX_RANKED_TEXT: Annotated[
    int, Limit("characters", "Text of a query or tool that is ranked", "The rest is ignored")
] = 4_000
MAX_RESULT_ROWS: Annotated[
    int, Limit("rows", "Rows of a result's table on a page", "The others are not shown")
] = 50
MAX_REVIEWED_WORDS: Annotated[
    int,
    Limit(
        "words", "Words of two versions of a tool that are compared", "Shown without differences"
    ),
] = 6_000
MAX_SCHEMA_STEPS: Annotated[
    int,
    Limit(
        "steps", "Steps of validating arguments against a schema", "Refused with an error message"
    ),
] = 30_000
MAX_SCHEMA_CHECK_S: Annotated[
    float,
    Limit(
        "seconds", "Time of validating arguments against a schema", "Refused with an error message"
    ),
] = 3.0
MAX_META_CHECK_S: Annotated[
    float,
    Limit("seconds", "Time of checking that a schema is valid", "The schema counts as invalid"),
] = 5.0
MAX_SCHEMA: Annotated[
    int,
    Limit(
        "characters", "Schema that arguments are validated against", "The schema counts as invalid"
    ),
] = 1_000_000
MAX_REGEX_S: Annotated[
    float,
    Limit("seconds", "Time of one regular expression of a schema", "Refused with an error message"),
] = 1.0
MAX_READING_ERROR: Annotated[
    int, Limit("characters", "Error of reading a resource or prompt", "Truncated")
] = 1_000
MAX_SIGN_IN_ERROR: Annotated[
    int,
    Limit(
        "characters", "Error of a sign-in at the authorization server of an MCP server", "Truncated"
    ),
] = 500
MAX_READING_WAIT: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time until a worker reads a resource or prompt",
        "Counts as failed",
    ),
] = timedelta(minutes=10)
MAX_OAUTH_SIGN_IN: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Duration of a sign-in at the authorization server of an MCP server",
        "Ended with an error message",
    ),
] = timedelta(minutes=10)
MAX_TRIAL_ARGUMENTS: Annotated[
    int, Limit("characters", "Arguments of a trial of a tool", "Refused with an error message")
] = 1_000_000
MAX_TRIAL_ENTRIES: Annotated[
    int, Limit("entries", "Entries in the log of a trial", "The others are omitted")
] = 200
MAX_TRIAL_DETAIL: Annotated[
    int, Limit("characters", "One entry in the log of a trial", "Truncated")
] = 20_000
MAX_TRIAL_STDERR: Annotated[
    int,
    Limit("characters", "Standard error of a program during a trial", "The end of it is kept"),
] = 64_000
MAX_KEPT_TRIALS: Annotated[
    int, Limit("trials", "Stored trials of a user", "The oldest are deleted")
] = 20
MAX_OPEN_TRIALS: Annotated[
    int, Limit("trials", "Open trials of a user", "Refused with an error message")
] = 4
MAX_TRIED_TOOLS: Annotated[
    int, Limit("tools", "Tools of a server on the page of its trials", "The others are not shown")
] = 1_000
MAX_TRIAL_RESULT: Annotated[
    int, Limit("characters", "Result of a trial on its page", "Truncated; the trace has all of it")
] = 2_000_000
MAX_SERVER_CHECK_SILENCE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time without a sign of life from the worker of a server's test",
        "Counts as failed",
    ),
] = timedelta(minutes=2)
MAX_OWN_SERVERS: Annotated[
    int,
    Limit("servers", "Servers that a user registers", "Refused with an error message"),
] = 50
MAX_REFRESHED_SERVERS: Annotated[
    int, Limit("servers", "Servers whose tools are listed anew at once", "Listed in the next run")
] = 2
MAX_DIGITS: Annotated[
    int, Limit("digits", "Number in `calculate`", "The call fails; the model gets the error")
] = 4_000
MAX_EXACT_DIGITS: Annotated[
    int, Limit("digits", "Digits of a decimal that `calculate` returns", "Rounded")
] = 50
MAX_ANGLE: Annotated[
    int, Limit("radians", "Angle in `calculate`", "The call fails; the model gets the error")
] = 10**12
MAX_EXPONENT: Annotated[
    int, Limit("", "Exponent in `calculate`", "The call fails; the model gets the error")
] = 10**15
MAX_EXPRESSION: Annotated[
    int,
    Limit("characters", "Expression of `calculate`", "The call fails; the model gets the error"),
] = 4_000
MAX_EXPRESSION_DEPTH: Annotated[
    int,
    Limit(
        "levels",
        "Nesting of an expression of `calculate`",
        "The call fails; the model gets the error",
    ),
] = 100
MAX_EFFORT: Annotated[
    int,
    Limit(
        "units",
        "Work of one `calculate`; 1 unit is about 10 µs",
        "The call fails; the model gets the error",
    ),
] = 50_000
MAX_READ_RESULT: Annotated[
    int,
    Limit(
        "characters",
        "Part of a result that one `read_result` returns",
        "The rest takes another call",
    ),
] = 20_000
MAX_SEARCH_BYTES: Annotated[
    int,
    Limit("bytes", "Response of the search service", "The call fails; the model gets the error"),
] = 4_000_000
MAX_SEARCH_RESULTS: Annotated[
    int, Limit("results", "Results of `web_search`", "The others are omitted")
] = 10
MAX_SEARCH_QUERY: Annotated[
    int, Limit("characters", "Query of `web_search`", "The call fails; the model gets the error")
] = 500
MAX_SEARCH_TITLE: Annotated[int, Limit("characters", "Title of a search result", "Truncated")] = 200
MAX_SEARCH_URL: Annotated[
    int, Limit("characters", "Address of a search result", "The result is omitted")
] = 1_000
MAX_SEARCH_SNIPPET: Annotated[int, Limit("characters", "Text of a search result", "Truncated")] = (
    500
)
MAX_SEARCH_CONNECT_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time to connect to the search service",
        "The call fails; the model gets the error",
    ),
] = 5.0
MAX_SEARCH_SILENCE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time without data from the search service",
        "The call fails; the model gets the error",
    ),
] = 20.0
MAX_SEARCH_S: Annotated[
    float, Limit("seconds", "Total time of a search", "The call fails; the model gets the error")
] = 30.0
MAX_SWEPT_JOBS: Annotated[
    int, Limit("jobs", "Overdue jobs of one kind that one sweep ends", "Ended by the next sweep")
] = 200
MAX_SOURCE_QUOTE: Annotated[
    int, Limit("characters", "Words of a source on the card of a call", "Truncated")
] = 300
MAX_PAGE_URL: Annotated[
    int,
    Limit("characters", "Address of `fetch_page`", "The call fails; the model gets the error"),
] = 2_000
MAX_PAGE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Page that `fetch_page` reads, as sent and unpacked",
        "The call fails; the model gets the error",
    ),
] = 8_000_000
MAX_PAGE_TEXT_BYTES: Annotated[
    int,
    Limit("bytes", "Text of a page that `fetch_page` reads", "The rest is left out, with a note"),
] = 2_000_000
MAX_PAGE_PART: Annotated[
    int,
    Limit(
        "characters",
        "Part of a page that one `fetch_page` returns",
        "The rest takes another call",
    ),
] = 40_000
MAX_PAGE_LINKS: Annotated[
    int,
    Limit("links", "Addresses of links below a part of a page", "The others are omitted"),
] = 100
MAX_PAGE_REDIRECTS: Annotated[
    int,
    Limit("redirects", "Redirects of `fetch_page`", "The call fails; the model gets the error"),
] = 5
MAX_PAGE_CONNECT_S: Annotated[
    float,
    Limit(
        "seconds", "Time to connect to a page's host", "The call fails; the model gets the error"
    ),
] = 5.0
MAX_PAGE_SILENCE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time without data from a page's host",
        "The call fails; the model gets the error",
    ),
] = 10.0
MAX_PAGE_S: Annotated[
    float,
    Limit("seconds", "Total time of fetching a page", "The call fails; the model gets the error"),
] = 25.0
MAX_PAGE_CPU_S: Annotated[
    int,
    Limit(
        "seconds",
        "CPU time of reading an HTML page as Markdown",
        "The call fails; the model gets the error",
    ),
] = 10
MAX_KEPT_PAGES: Annotated[
    int,
    Limit("pages", "Pages kept in memory for their further parts", "The oldest are fetched again"),
] = 20
MAX_KEPT_PAGE_AGE_S: Annotated[
    float, Limit("seconds", "Time that a page is kept for its further parts", "Fetched again")
] = 300.0
