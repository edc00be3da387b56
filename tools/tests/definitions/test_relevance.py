"""Which tools fit a query: words, Chinese, and the exact scores."""

import math
from typing import Any

import pytest

from tools.definitions.relevance import Index, words
from tools.values.tool import Tool


def a_tool(name: str, description: str = "", **parameters: Any) -> Tool:
    properties = {name: {"description": about} for name, about in parameters.items()}
    return Tool(name, description, {"type": "object", "properties": properties})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("read_file", ["read", "file"]),
        ("readFile", ["read", "file"]),
        ("HTTPServer2Go", ["http", "server2", "go"]),
        ("sqlite-list_tables", ["sqlite", "list", "table"]),
        ("Queries, classes & databases!", ["query", "class", "database"]),
        ("status of indexes, addresses", ["status", "of", "index", "address"]),
        ("数据库查询", ["数据", "据库", "库查", "查询"]),
        ("查", ["查"]),
        ("用SQL查询", ["用", "sql", "查询"]),
        ("ＳＱＬ", ["sql"]),  # full width, as Chinese keyboards write it
        ("Straße naïve", ["strasse", "naïve"]),
        ("", []),
        ("!?… \0", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_the_score_is_bm25_s() -> None:
    """Calculated by hand: two documents of 2 and 4 words, k1 = 1.2, b = 0.75."""
    short, long = a_tool("read", "file"), a_tool("write", "file file disk")
    index = Index([short, long])

    def score(tool: Tool, query: str) -> float:
        return next(score for one, score in index.scored(query) if one is tool)

    idf_read, idf_file = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    norm = 1.2 * (0.25 + 0.75 * 2 / 3)
    expected = (idf_read + idf_file) * 2.2 / (1 + norm)
    assert score(short, "read the files") == pytest.approx(expected)
    norm = 1.2 * (0.25 + 0.75 * 4 / 3)
    assert score(long, "file") == pytest.approx(idf_file * 2 * 2.2 / (2 + norm))


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    tools = [a_tool(f"read_{n}", "reads a page") for n in range(9)]
    rare = a_tool("weather", "reads the sky")
    assert Index([*tools, rare]).ranked("reads weather")[0] == rare


def test_parameters_are_searched_too() -> None:
    mail = a_tool("send", "Sends it.", recipient="The address of a person.")
    assert Index([a_tool("other"), mail]).ranked("email address") == [mail]
    assert Index([a_tool("other"), mail]).ranked("recipient") == [mail]


def test_chinese_is_found_by_pairs_of_characters() -> None:
    weather, train = a_tool("a", "查询城市的天气预报"), a_tool("b", "查询火车时刻表")
    assert Index([weather, train]).ranked("明天的天气怎么样") == [weather]
    assert Index([weather, train]).ranked("火车什么时候开") == [train]


def test_what_shares_no_word_is_left_out() -> None:
    assert Index([a_tool("read"), a_tool("write")]).ranked("weather") == []
    assert Index([]).ranked("weather") == []
    assert Index([a_tool("")]).ranked("") == []


def test_equals_stay_in_their_order() -> None:
    tools = [a_tool("one", "same words"), a_tool("two", "same words")]
    assert Index(tools).ranked("same") == tools


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": {"a": True}}])
def test_odd_schemas_do_no_harm(schema: dict[str, Any]) -> None:
    odd = Tool("odd", "", schema)
    assert Index([odd]).ranked("odd") == [odd]
