"""A message with prose, a list, a table and code, which the model `echo` streams back."""

PROSE = "The **quick** `fox` jumps over the *lazy* dog, see [the page](https://example.org/x). "
CHINESE = "数据库中共有 **5 张表**，其中“订单”表最大，约占总记录数的四分之三。"
TABLE_ROWS = 20
CODE = """def newest(rows: list[int], count: int = 10) -> list[int]:
    # The rows with the highest numbers.
    return sorted(rows, reverse=True)[:count]

"""


def message(characters: int) -> str:
    """A text of at least so many characters: the same section again and again, numbered."""
    text = ""
    number = 0
    while len(text) < characters:
        number += 1
        text += section(number)
    return text


def section(number: int) -> str:
    rows = "".join(f"| {row} | {row * number} | index {row} |\n" for row in range(TABLE_ROWS))
    items = "".join(f"- item **{item}** of {number}, with `code`\n" for item in range(8))
    return (
        f"## Section {number}\n\n{PROSE * 3}\n\n{CHINESE * 3}\n\n{items}\n"
        f"| n | value | remark |\n|---|--:|---|\n{rows}\n```python\n{CODE * 6}```\n\n"
    )
