"""Tools and their arguments."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_TOLD_NAMES: Annotated[
    int, Limit("names", "Unknown arguments that are named to the model", "Counted")
] = 10
MAX_TOLD_NAME: Annotated[int, Limit("characters", "One of them", "Cut")] = 80
MAX_SHOWN_RESULT: Annotated[
    int, Limit("characters", "Tool result in the page", "Cut; the trace has all of it")
] = 50_000
MAX_CHECKS_AT_ONCE: Annotated[
    int, Limit("servers", "Tests of servers of one owner at once", "Waits")
] = 3
MAX_CONTACTS: Annotated[
    int, Limit("contacts", "Contacts with a server that are kept", "The oldest are deleted")
] = 200
MAX_CONTACT_ERROR: Annotated[int, Limit("characters", "Error of a contact", "Cut")] = 500
MAX_DESCRIBED_PARTS: Annotated[
    int, Limit("parts", "Parts of a result that are described beside its text", "Left out")
] = 50
MAX_PART_LABEL: Annotated[int, Limit("characters", "Label of such a part", "Cut")] = 2_000
MAX_LISTED_NAMES: Annotated[
    int, Limit("names", "Tools that are named where a model asks for one that is none", "Counted")
] = 100
MAX_TOOL_GRACE_S: Annotated[
    float, Limit("seconds", "Time that a tool has after its deadline to say so itself", "Ended")
] = 2.0
MAX_IMPORTED_SERVERS: Annotated[
    int, Limit("servers", "Servers that are imported at once", "Refused with a sentence")
] = 100
MAX_SERVERS_TEXT: Annotated[
    int, Limit("characters", "Pasted configuration of servers", "Refused with a sentence")
] = 1_000_000
MAX_SERVER_NAME: Annotated[int, Limit("characters", "Name of an imported server", "Cut")] = 40
MAX_IMPORTED_TIMEOUT_S: Annotated[
    int,
    Limit(
        "seconds", "Timeout of an imported server", "Taken for milliseconds, and lowered to this"
    ),
] = 3600
MAX_TOOL_NAME: Annotated[
    int, Limit("characters", "Tool name that a model is given", "Shortened, with a digest")
] = 64
MAX_TOLD_DEFECTS: Annotated[
    int, Limit("defects", "Defects of a tool's schema that are told", "Counted")
] = 5
MAX_REPAIR_S: Annotated[
    float, Limit("seconds", "Repair of a tool's schema", "Offered without a schema")
] = 3.0
MAX_REPAIRS_S: Annotated[
    float, Limit("seconds", "Repair of all schemas of a server", "Offered without a schema")
] = 20.0
MAX_OFFERED_SCHEMA: Annotated[
    int, Limit("characters", "Schema of a tool that a model is given", "Offered without a schema")
] = 200_000
MAX_REFERENCES: Annotated[
    int, Limit("steps", "Steps from a `$ref` to the next", "Taken for a circle")
] = 50
MAX_PATTERN_TRIES: Annotated[
    int,
    Limit(
        "steps",
        "Steps of a regular expression that is run within the process",
        "Run in a process of its own",
    ),
] = 1_000_000
MAX_SIMPLE_PATTERN: Annotated[
    int,
    Limit(
        "characters",
        "Regular expression that is run within the process",
        "Run in a process of its own",
    ),
] = 1_000
MAX_FORM_FIELDS: Annotated[int, Limit("fields", "Fields of a server's form", "Left out")] = 60
MAX_FORM_CHOICES: Annotated[int, Limit("choices", "Choices of a field", "Left out")] = 500
MAX_FORM_ANSWER: Annotated[
    int, Limit("characters", "Text that a person enters into a field", "Refused with a sentence")
] = 20_000
MAX_QUESTIONS: Annotated[
    int, Limit("questions", "Questions to a person for one call", "The call fails")
] = 20
MAX_READING_AGE: Annotated[
    timedelta, Limit("seconds", "Age of a prompt or resource that was read", "Deleted")
] = timedelta(hours=1)
MAX_READING: Annotated[
    int, Limit("characters", "Prompt or resource that is read, as JSON", "Refused with a sentence")
] = 20_000_000
MAX_RANKED_TEXT: Annotated[
    int, Limit("characters", "Text of a query or tool that is compared", "Not read")
] = 4_000
MAX_RESULT_ROWS: Annotated[int, Limit("rows", "Table of a result on a page", "Not shown")] = 50
MAX_REVIEWED_WORDS: Annotated[
    int, Limit("words", "Words of two versions of a tool that are compared", "Shown whole")
] = 6_000
MAX_SCHEMA_STEPS: Annotated[
    int, Limit("steps", "Check of arguments against a schema", "Refused with a sentence")
] = 30_000
MAX_SCHEMA_CHECK_S: Annotated[
    float, Limit("seconds", "Check of arguments against a schema", "Refused with a sentence")
] = 3.0
MAX_META_CHECK_S: Annotated[
    float, Limit("seconds", "Check of a schema itself", "Taken for invalid")
] = 5.0
MAX_SCHEMA: Annotated[
    int, Limit("characters", "Schema that arguments are checked against", "Taken for invalid")
] = 1_000_000
MAX_REGEX_S: Annotated[
    float, Limit("seconds", "Regular expression of a schema", "Refused with a sentence")
] = 1.0
MAX_READING_ERROR: Annotated[
    int, Limit("characters", "Error of a resource or prompt that was asked for", "Cut")
] = 1_000
MAX_SIGN_IN_ERROR: Annotated[
    int, Limit("characters", "Error of a sign-in at a server's provider", "Cut")
] = 500
MAX_READING_WAIT: Annotated[
    timedelta, Limit("seconds", "Wait of a resource or prompt for a worker", "Shown as failed")
] = timedelta(minutes=10)
MAX_OAUTH_SIGN_IN: Annotated[
    timedelta, Limit("seconds", "Sign-in at a server's provider", "Ended with a sentence")
] = timedelta(minutes=10)
MAX_TRIAL_ARGUMENTS: Annotated[
    int, Limit("characters", "Arguments of a trial of a tool", "Refused with a sentence")
] = 1_000_000
MAX_TRIAL_ENTRIES: Annotated[int, Limit("entries", "Log of a trial", "Left out")] = 200
MAX_TRIAL_DETAIL: Annotated[int, Limit("characters", "Entry of that log", "Cut")] = 20_000
MAX_TRIAL_STDERR: Annotated[
    int,
    Limit("characters", "What a program writes to stderr during a trial", "The last of it is kept"),
] = 64_000
MAX_KEPT_TRIALS: Annotated[
    int, Limit("trials", "Trials of a user that are kept", "The oldest are deleted")
] = 20
MAX_OPEN_TRIALS: Annotated[
    int, Limit("trials", "Trials of a user at once", "Refused with a sentence")
] = 4
MAX_TRIED_TOOLS: Annotated[
    int, Limit("tools", "Tools of a server on the page of its trial", "Not shown")
] = 1_000
MAX_TRIAL_RESULT: Annotated[
    int, Limit("characters", "Result of a trial on its page", "Cut; the trace has all of it")
] = 2_000_000
MAX_SERVER_CHECK_SILENCE: Annotated[
    timedelta, Limit("seconds", "Silence of a worker about the test of a server", "Shown as failed")
] = timedelta(minutes=2)
MAX_OWN_SERVERS: Annotated[
    int,
    Limit("servers", "Servers that a user registers of their own", "Refused with a sentence"),
] = 50
MAX_REFRESHED_SERVERS: Annotated[
    int, Limit("servers", "Servers whose tools are listed again at once", "In the next round")
] = 2
MAX_DIGITS: Annotated[
    int, Limit("digits", "Number within `calculate`", "An error for the model")
] = 4_000
MAX_EXACT_DIGITS: Annotated[
    int, Limit("digits", "Decimal that `calculate` writes in full", "Rounded")
] = 50
MAX_ANGLE: Annotated[
    int, Limit("radians", "Angle within `calculate`", "An error for the model")
] = 10**12
MAX_EXPONENT: Annotated[int, Limit("", "Exponent within `calculate`", "An error for the model")] = (
    10**15
)
MAX_EXPRESSION: Annotated[
    int, Limit("characters", "Expression of `calculate`", "An error for the model")
] = 4_000
MAX_EXPRESSION_DEPTH: Annotated[
    int, Limit("levels", "Expression of `calculate`", "An error for the model")
] = 100
MAX_EFFORT: Annotated[
    int, Limit("units", "Work of `calculate`; 1 unit is about 10 µs", "An error for the model")
] = 50_000
MAX_READ_RESULT: Annotated[
    int, Limit("characters", "Part of a result that `read_result` returns", "Read by another call")
] = 20_000
MAX_SEARCH_BYTES: Annotated[
    int, Limit("bytes", "Answer of the search service", "An error for the model")
] = 4_000_000
MAX_SEARCH_RESULTS: Annotated[int, Limit("results", "Results of `web_search`", "Left out")] = 10
MAX_SEARCH_QUERY: Annotated[
    int, Limit("characters", "Query of `web_search`", "An error for the model")
] = 500
MAX_SEARCH_TITLE: Annotated[int, Limit("characters", "Title of a result", "Cut")] = 200
MAX_SEARCH_URL: Annotated[int, Limit("characters", "Address of a result", "Left out")] = 1_000
MAX_SEARCH_SNIPPET: Annotated[int, Limit("characters", "Text of a result", "Cut")] = 500
MAX_SEARCH_CONNECT_S: Annotated[
    float, Limit("seconds", "Connection to the search service", "An error for the model")
] = 5.0
MAX_SEARCH_SILENCE_S: Annotated[
    float, Limit("seconds", "Silence of the search service", "An error for the model")
] = 20.0
MAX_SEARCH_S: Annotated[float, Limit("seconds", "All of a search", "An error for the model")] = 30.0
MAX_SWEPT_JOBS: Annotated[
    int, Limit("jobs", "Overdue jobs of a kind that one sweep ends", "In the next sweep")
] = 200
