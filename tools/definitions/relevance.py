"""Which tools fit some words: BM25 over name, description and parameters.

    score = Σ over the words asked for  idf · f (k1 + 1) / (f + k1 (1 - b + b · length / average))

with idf = ln(1 + (N - n + ½) / (n + ½)), so that no word counts against a tool. Source: Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from limits.tools import MAX_RANKED_TEXT
from tools.values.tool import Tool

K1 = 1.2
B = 0.75

# Scripts that are written without spaces: Han, kana, Thai, Lao, Khmer; and Hangul, whose endings
# hang on the words.
_UNSPACED = (
    r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|[^\W_{_UNSPACED}]+")
# readFile ─► read File, HTTPServer ─► HTTP Server
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(text: str) -> list[str]:
    """The index terms of a text: words in lower case without a plural's ending, names split at `_`,
    `-` and capitals, and pairs of neighbouring characters in scripts without spaces."""
    normal = unicodedata.normalize("NFKC", text[:MAX_RANKED_TEXT])
    return [word for run in _RUN.finditer(normal) for word in _of_run(run)]


def _of_run(run: re.Match[str]) -> Iterator[str]:
    text = run[0]
    if run["unspaced"]:
        yield from (text[at : at + 2] for at in range(max(len(text) - 1, 1)))
        return
    for word in _HUMP.split(text):
        yield _singular(word.casefold())


def _singular(word: str) -> str:
    """Without the ending of a plural, roughly as Harman does ("How effective is suffixing?",
    1991)."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "xes")) else word[:-1]


@dataclass(frozen=True)
class _Read:
    """An inverted index: the length of each text in words, and for each word the texts that
    contain it, with its count."""

    lengths: list[int]
    found: dict[str, list[tuple[int, int]]]

    @property
    def average(self) -> float:
        return sum(self.lengths) / max(len(self.lengths), 1) or 1.0


class Index:
    """Tools, to be asked which of them fit best."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self.tools = list(tools)
        self._read = _read(tuple(map(_text, self.tools)))

    def ranked(self, query: str) -> list[Tool]:
        """The tools that share a word with the query, the best first; of equals, in their order."""
        return [tool for tool, _ in self.scored(query)]

    def scored(self, query: str) -> list[tuple[Tool, float]]:
        """The same, with how well each fits."""
        read = self._read
        average = read.average
        scores: defaultdict[int, float] = defaultdict(float)
        for word in sorted(set(words(query)) & read.found.keys()):
            idf = self._idf(len(read.found[word]))
            for at, count in read.found[word]:
                norm = K1 * (1 - B + B * read.lengths[at] / average)
                scores[at] += idf * count * (K1 + 1) / (count + norm)
        best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
        return [(self.tools[at], score) for at, score in best]

    def _idf(self, found: int) -> float:
        return math.log(1 + (len(self.tools) - found + 0.5) / (found + 0.5))


def parameters_of(schema: Any) -> dict[str, dict[str, Any]]:
    """Name and schema of each parameter. Servers list all kinds of things: what is none is left
    out."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    found = properties.items() if isinstance(properties, dict) else ()
    return {str(name): one if isinstance(one, dict) else {} for name, one in found}


def _text(tool: Tool) -> str:
    parts = [tool.name.replace("-", " "), tool.description]
    for name, schema in parameters_of(tool.parameters).items():
        about = schema.get("description")
        parts += [name, about if isinstance(about, str) else ""]
    return "\n".join(parts)


@lru_cache(maxsize=8)
def _read(texts: tuple[str, ...]) -> _Read:
    """Every round asks for the same tools again."""
    counts = [Counter(words(text)) for text in texts]
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, counted in enumerate(counts):
        for word, count in counted.items():
            found[word].append((at, count))
    return _Read([counted.total() for counted in counts], dict(found))
