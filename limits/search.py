"""Search and list of conversations."""

from typing import Annotated

from limits.table import Limit

MAX_QUERY: Annotated[int, Limit("characters", "Text of a search in conversations", "Truncated")] = (
    200
)
MAX_INDEXED_MESSAGE: Annotated[
    int, Limit("characters", "Indexed text of a message", "The rest is not found by search")
] = 200_000
MAX_INDEXED_TEXTS: Annotated[
    int,
    Limit("texts", "Messages and titles that one transaction indexes", "Indexed by the next one"),
] = 50
MAX_INDEXED_CHARACTERS: Annotated[
    int,
    Limit(
        "characters",
        "Messages that one transaction indexes, without the last one",
        "Indexed by the next one",
    ),
] = 50_000
MAX_INDEXING_TEXTS_S: Annotated[
    float,
    Limit(
        "seconds",
        "Indexing of messages in one beat of a worker's timer",
        "Continues at the next beat",
    ),
] = 1.0
MAX_COUNTED_UNINDEXED: Annotated[
    int, Limit("texts", "Texts without an index that are counted", "Shown as more than this")
] = 1_000
MAX_RESULTS_A_PAGE: Annotated[
    int, Limit("conversations", "Page of a search's results", "On the next page")
] = 20
MAX_RESULT_PAGES: Annotated[
    int, Limit("pages", "Pages of a search's results", "Not shown; the search can be narrowed")
] = 25
MAX_HITS: Annotated[
    int,
    Limit("messages", "Messages shown of a conversation that was found", "Found by opening it"),
] = 3
MAX_WALKED_HITS: Annotated[
    int,
    Limit(
        "messages",
        "Messages with the words of a search that are looked through, the latest first",
        "The others are not found, with a note",
    ),
] = 20_000
MAX_SCOPED_CONVERSATIONS: Annotated[
    int,
    Limit(
        "conversations",
        "Conversations that fit a search's filters and are searched one by one",
        "All are searched, and the others left out",
    ),
] = 200
MAX_TITLE_HITS: Annotated[
    int,
    Limit("conversations", "Conversations found by their title", "The others are not found"),
] = 1_000
MAX_FOUND: Annotated[
    int,
    Limit(
        "messages",
        "Messages found by a search within one conversation, the latest",
        "The others are not counted, with a note",
    ),
] = 1_000
MAX_TAG: Annotated[int, Limit("characters", "Name of a tag", "Refused with an error message")] = 40
MAX_TAGS: Annotated[
    int, Limit("tags", "Tags of a conversation", "Refused with an error message")
] = 10
MAX_USER_TAGS: Annotated[int, Limit("tags", "Tags of a user", "Refused with an error message")] = (
    200
)
MAX_PINNED: Annotated[
    int, Limit("conversations", "Pinned conversations of a user", "Refused with an error message")
] = 30
MAX_SELECTED: Annotated[
    int,
    Limit(
        "conversations",
        "Conversations that one action changes",
        "Refused with an error message",
    ),
] = 500
MAX_PASSAGE: Annotated[
    int, Limit("characters", "Passage into which a file is cut", "The rest is the next passage")
] = 1_200
MAX_FILE_PASSAGES: Annotated[
    int, Limit("passages", "Indexed passages of a file", "The rest is not found by `search_files`")
] = 5_000
MAX_INDEXED_PASSAGES: Annotated[
    int, Limit("passages", "Passages that one transaction indexes", "Indexed by the next one")
] = 100
MAX_PASSAGE_CANDIDATES: Annotated[
    int,
    Limit(
        "passages",
        "Passages with words of a query that `search_files` ranks",
        "The others are not found",
    ),
] = 200
MAX_FILE_TERMS: Annotated[
    int, Limit("words", "Words of a query of `search_files`", "The others are ignored")
] = 32
MAX_FOUND_PASSAGES: Annotated[
    int, Limit("passages", "Passages that one `search_files` returns", "The others are not shown")
] = 20
MAX_READ_PASSAGES: Annotated[
    int,
    Limit(
        "characters",
        "Text that one `search_files` reads on in a file",
        "The rest takes another call",
    ),
] = 12_000
MAX_FILE_QUERY: Annotated[
    int, Limit("characters", "Query of `search_files`", "The call fails; the model gets the error")
] = 1_000
MAX_SHOWN_PASSAGES: Annotated[
    int, Limit("passages", "Passages on the page of a file's text", "On the next page")
] = 60
