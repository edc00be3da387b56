"""Invented questions, answers and errors in two languages, the same in every run."""

from random import Random

# A word of each language that is in every trace, and one that is in few.
EVERYWHERE = ("answer", "的")
RARE = ("zanzibar", "青藏高原")
RARE_EVERY = 9_973

_NAMES = ("韩梅梅", "李雷", "王小明", "Alice", "Bob", "Zhang Wei", "María")
_TABLES = ("students", "orders", "log", "products", "invoices", "sessions", "成绩", "用户")
_QUESTIONS = (
    "数据库有几张表",
    "查询{name}的年龄, 然后在{table}表里记录下",
    "分别有多少条{table}记录",
    "请总结一下{table}表最近七天的变化",
    "How many rows does {table} have?",
    "Compare {table} with last month and tell {name} what changed",
    "Write a summary of the {table} report for {name}",
    "Why did the import of {table} fail yesterday?",
)
_SENTENCES = (
    "The table {table} has {number} rows, most of them from this week.",
    "I looked at the columns first, and then counted what belongs to {name}.",
    "Nothing in {table} was changed since the last import finished.",
    "根据查询结果, {table}表里一共有{number}条记录。",
    "{name}今年{number}岁, 已经写入日志。",
    "我先检查了表的结构, 然后再统计每个分类的数量。",
    "数据看起来是完整的, 没有发现重复的条目。",
)
ERRORS = (
    "The provider answered with status 429: too many requests.",
    "The connection was closed before the answer was complete.",
    "no such column: age_of_student",
    "查询超时, 请稍后再试",
)


def question(random: Random) -> str:
    return _filled(random, random.choice(_QUESTIONS))


def answer(random: Random, sentences: int) -> str:
    chosen = (_filled(random, random.choice(_SENTENCES)) for _ in range(sentences))
    return f"Here is the answer. 以下是查询的结果。\n{' '.join(chosen)}"


def _filled(random: Random, text: str) -> str:
    return text.format(
        name=random.choice(_NAMES), table=random.choice(_TABLES), number=random.randrange(10_000)
    )
