"""What people and models say on the pages that are looked at: in Chinese, so that English on a
Chinese page is the interface's, with right-to-left text and with what misleads."""

TITLE = "排序算法 שלום עולם \u202egpj.exe\u200b"
LONG_WORD = "很长的文件名" + "_without_any_space" * 12
REASONING = "先想想**归并排序**，再看稳定性。"
FORM = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "城市", "description": "要去的城市"},
        "days": {"type": "integer", "title": "天数", "minimum": 1, "maximum": 9},
        "class": {"type": "string", "title": "舱位", "enum": ["经济舱", "商务舱"]},
        "window": {"type": "boolean", "title": "靠窗"},
    },
    "required": ["city"],
}
PLAN = [
    {"id": "1", "text": "读取表", "status": "completed"},
    {"id": "2", "text": "写入日志", "status": "in_progress"},
    {"id": "3", "text": "核对结果", "status": "pending"},
]
ANSWER = r"""# 排序

复杂度是 $O(n \log n)$，见[^1]和 https://example.org/sorting 。

## 公式

$$
\begin{aligned}
T(n) &= 2\,T(n/2) + n \\
     &= n \log_2 n
\end{aligned}
$$

> [!WARNING]
> 不稳定。

> مرحبا بالعالم، هذا نص من اليمين إلى اليسار.

| 名称 | 行数 | 比例 | 说明 |
|:-----|-----:|:-----:|:----|
| 日志 | 1,200 | 9 % | 每次查询都写一行，写在最后，从不修改 |
| 学生 | 87 | 50 % | 姓名、年龄、班级、入学时间、家长电话 |

```python
def sort(items: list[int]) -> list[int]:  # 一行很长的注释，长到手机上放不下
    return sorted(items)
```

```html
<p>预览</p>
```

1. 第一步
   - 子步骤
2. 第二步

- [x] 测量
- [ ] 记录

![图表](https://images.example/chart.png)

---

~~删除~~ **加粗** *斜体* `代码`

[^1]: 在两个核上测量。
"""
