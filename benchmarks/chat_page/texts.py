"""Questions and answers of a conversation about an everyday database, each with its number, so that
no two are equal."""

QUESTIONS = (
    "Which tables does the database of run {n} have, and how are they related?",
    "Write a function that reads shard {n} in chunks and retries what fails.",
    "Compare the plans of query {n} with and without the index, as a table.",
    "数据库 {n} 中有几张表，各有多少条记录？请用表格列出。",
    "Look up the five slowest statements of host {n} and say why each is slow.",
    "Thanks. Which of the {n} steps comes next?",
)

LIST = """There are three groups of tables in run {n}:

1. **Facts**: `orders_{n}`, `items_{n}` and `payments_{n}`, with a row for each event. The key is
   always `(tenant, id)`, so that a tenant's rows stand together.
2. **Dimensions**: `customers_{n}` and `products_{n}`, which change rarely.
3. **Bookkeeping**: `migrations` and `locks`. Do not write to them by hand.

Each order belongs to one customer and has one or more items; a payment settles *one* order. See the
[documentation](https://example.org/schema/{n}) for the deletion rules.

> A row of `items_{n}` without an order is an error of the import, not of the schema.
"""

CODE = '''Here is the reader for shard {n}; it gives up after three attempts:

```python
import time
from collections.abc import Iterator
from pathlib import Path

CHUNK = 65_536
MAX_ATTEMPTS = 3


def read_shard_{n}(path: Path, *, pause_s: float = 0.2) -> Iterator[bytes]:
    """Yields the shard in chunks; raises OSError after `MAX_ATTEMPTS` failures."""
    offset, attempts = 0, 0
    while True:
        try:
            with path.open("rb") as source:
                source.seek(offset)
                while chunk := source.read(CHUNK):
                    offset += len(chunk)
                    attempts = 0
                    yield chunk
            return
        except OSError:
            attempts += 1
            if attempts == MAX_ATTEMPTS:
                raise
            time.sleep(pause_s * 2**attempts)
```

The offset only moves on when a chunk was read, so nothing is delivered twice. `pause_s` is doubled
with each attempt; with the default it waits **0.4** and **0.8** seconds.
'''

TABLE = """| plan of query {n} | rows read | time | remark |
|---|---:|---:|---|
| full scan | 1,204,{n:03d} | 812 ms | reads every page |
| index on `created` | 48,210 | 41 ms | sorts afterwards |
| index on `(tenant, created)` | 310 | 0.9 ms | no sort is needed |
| covering index | 310 | 0.6 ms | reads no row at all |

The third is the one to take: it is **900 times** faster than the scan, and costs 24 MB.
"""

CHINESE = """数据库 {n} 中共有 **5 张表**，记录数如下：

| 表名 | 记录数 | 说明 |
|---|---:|---|
| `订单_{n}` | 12,480 | 每笔订单一行 |
| `客户_{n}` | 3,210 | 含姓名、年龄、城市 |
| `商品_{n}` | 871 | 价格以分为单位 |

其中“订单”表最大，约占总记录数的四分之三。建议为 `(客户编号, 创建时间)` 建立联合索引，
这样按客户查询最近的订单就不必全表扫描。需要我写出建立索引的语句吗？
"""

FOUND = """The slowest statement of host {n} reads `orders` without an index: **812 ms** for 1.2
million rows. The other four wait for its locks, so one index mends all five:

```sql
CREATE INDEX orders_{n}_newest ON orders_{n} (tenant, created DESC);
```
"""

SHORT = "Step {n}: create the index, then run `ANALYZE`. It takes about a minute."

ANSWERS = (LIST, CODE, TABLE, CHINESE, FOUND, SHORT)
