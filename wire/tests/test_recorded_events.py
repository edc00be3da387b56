from wire.recorded import body_events, data_of


def test_an_event_ends_with_an_empty_line_whatever_ends_lines() -> None:
    body = b"data: 1\n\nevent: ping\r\ndata: 2\r\n\r\ndata: 3\r\r"
    assert [(event.type, data_of(event)) for event in body_events(body)] == [
        ("", b"1"),
        ("ping", b"2"),
        ("", b"3"),
    ]


def test_each_event_knows_the_place_of_its_last_byte() -> None:
    body = b"data: one\n\n: a comment\n\ndata: two\n\n"
    assert [body[: event.end] for event in body_events(body)] == [b"data: one\n\n", body]


def test_separators_of_other_alphabets_end_no_line() -> None:
    body = 'data: {"a":"\u2028\x85"}\n\n'.encode()
    assert [event.data for event in body_events(body)] == ['{"a":"\u2028\x85"}']


def test_lines_of_one_event_are_joined_and_a_missing_last_line_end_is_forgiven() -> None:
    assert [data_of(event) for event in body_events(b"data: 1\ndata:2")] == [b"1\n2"]


def test_a_json_document_is_one_event() -> None:
    assert [data_of(event) for event in body_events(b' {"a": 1}\n')] == [b' {"a": 1}\n']


def test_a_web_page_has_no_events() -> None:
    assert body_events(b"<html>\n\n</html>") == []
