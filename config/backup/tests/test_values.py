"""A value of a column goes through an archive unchanged, from either kind of database."""

import json
import sqlite3
from contextlib import closing
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from config.backup import values
from config.backup.values import Column

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
WITHOUT_NUL = TEXTS.filter(lambda text: "\0" not in text)
INTEGERS = st.integers(-(2**63), 2**63 - 1)


def stored(column_type: str, value: Any) -> Any:
    """What SQLite has of a value in a column of this type."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE one (value {column_type})")
        database.execute("INSERT INTO one VALUES (?)", [value])
        return database.execute("SELECT value FROM one").fetchone()[0]


def through(column: Column, value: Any) -> Any:
    """From SQLite into a line of an archive, and back."""
    given_out = (values.from_sqlite(column) or (lambda same: same))(value)
    line = json.loads(json.dumps(given_out, ensure_ascii=False))
    return (values.to_sqlite(column) or (lambda same: same))(line)


@given(TEXTS)
def test_texts_are_the_same(text: str) -> None:
    assert stored("text", through(Column("x", "text"), text)) == text


@given(WITHOUT_NUL)
def test_texts_are_the_same_on_postgresql(text: str) -> None:
    convert = values.to_postgresql(Column("x", "text"))
    assert convert and convert(text) == text


def test_what_postgresql_refuses_in_a_text_is_replaced() -> None:
    convert = values.to_postgresql(Column("x", "text"))
    assert convert and convert("a\0b") == "a\ufffdb"


@given(st.binary() | TEXTS)
def test_bytes_stay_bytes_and_texts_in_their_column_stay_texts(value: bytes | str) -> None:
    assert stored("blob", through(Column("x", "bytes"), value)) == value


@given(TEXTS)
def test_a_text_in_a_column_of_bytes_becomes_its_bytes_on_postgresql(text: str) -> None:
    convert = values.to_postgresql(Column("x", "bytes"))
    assert convert and convert([text]) == text.encode()


@given(INTEGERS)
def test_integers_are_the_same(number: int) -> None:
    assert stored("bigint", through(Column("x", "integer"), number)) == number


@given(st.booleans())
def test_booleans_are_those_of_each_database(value: bool) -> None:
    line = (values.from_sqlite(Column("x", "boolean")) or bool)(int(value))
    assert line is value
    assert through(Column("x", "boolean"), int(value)) == int(value)


@given(st.decimals(-99_999_999, 99_999_999, places=6))
def test_decimals_have_all_their_places(number: Decimal) -> None:
    """As many digits as SQLite keeps, which has them as floating point numbers."""
    column = Column("x", "decimal", 6)
    read = stored("decimal", str(number))
    convert = values.from_sqlite(column)
    assert convert and Decimal(convert(read)) == number
    assert stored("decimal", through(column, read)) == read


@given(st.datetimes())
def test_moments_of_postgresql_are_written_as_django_does_on_sqlite(moment: Any) -> None:
    convert = values.from_postgresql(Column("x", "moment"))
    assert convert and convert(f"{moment:%Y-%m-%d %H:%M:%S.%f}".rjust(26, "0")) == str(moment)


def test_null_is_kept_by_who_reads_and_writes() -> None:
    assert json.loads(json.dumps([None])) == [None]
