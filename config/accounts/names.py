"""User names that nobody can take for another's.

The rules follow Unicode's UTS 39, as far as Python's character data go:

- One script, or Latin beside what Chinese, Japanese or Korean are written with (its level *highly
  restrictive*), and only scripts in general use (UAX 31, table 5). Python does not know a
  character's script; the first word of its name is it.
- No letter that is not seen.
- No name that differs from another one only by case, by compatibility forms (NFKC), or by letters
  that look the same: its *skeleton* is the other's. `_LOOK_ALIKE` has the common ones.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

SEVERAL_SCRIPTS = "This name mixes letters of several scripts. Use letters of one."
NOT_SEEN = "This name has a character that cannot be seen. Leave it out."
ODD_SCRIPT = "This name has a letter that is not in general use. Choose another name."
TOO_LIKE = "This name looks too much like that of another user. Choose another one."

_HAN = frozenset({"CJK", "IDEOGRAPHIC", "LATIN"})
_TOGETHER = (
    _HAN | {"HIRAGANA", "KATAKANA"},
    _HAN | {"BOPOMOFO"},
    _HAN | {"HANGUL"},
)
_IN_USE = frozenset(
    (
        *("LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "CYRILLIC"),
        *("GREEK", "ARABIC", "ARMENIAN", "BENGALI", "DEVANAGARI", "ETHIOPIC", "GEORGIAN"),
        *("GUJARATI", "GURMUKHI", "HEBREW", "KANNADA", "KHMER", "LAO", "MALAYALAM", "MYANMAR"),
        *("ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
    )
)
_WORD = re.compile(r"[A-Z]+")
# What looks like the letters before the colon, after case is folded.
_LOOK_ALIKE = {
    ord(like): ord(letter)
    for letter, likes in {
        "a": "аαɑ",
        "b": "вβ",
        "c": "сϲ",
        "d": "ԁ",
        "e": "е",
        "g": "ɡց",
        "h": "һհн",
        "i": "іıι",
        "j": "јյ",
        "k": "кκ",
        "l": "ӏ1",
        "m": "мμ",
        "n": "ոηп",
        "o": "оοօ0",
        "p": "рρ",
        "q": "ԛզ",
        "r": "г",
        "s": "ѕ",
        "t": "тτ",
        "u": "սυ",
        "v": "ѵν",
        "w": "ԝաω",
        "x": "хχ",
        "y": "уγү",
        "z": "ζ",
        "一": "ー",
        "二": "ニ",
        "八": "ハ",
        "力": "カ",
        "卜": "ト",
        "口": "ロ",
        "夕": "タ",
        "工": "エ",
        "へ": "ヘ",
    }.items()
    for like in likes
}


def check(name: str, except_for: User | None = None) -> None:
    """Raises ValidationError with a sentence if the name can be taken for another one.

    `except_for` is whose name it is to be.
    """
    name = unicodedata.normalize("NFKC", name)
    if any(_is_unseen(character) for character in name):
        raise ValidationError(NOT_SEEN)
    scripts = {_script(character) for character in name if not _is_common(character)}
    if scripts - _IN_USE:
        raise ValidationError(ODD_SCRIPT)
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        raise ValidationError(SEVERAL_SCRIPTS)
    others = User.objects.exclude(pk=except_for.pk) if except_for else User.objects.all()
    if looks_like_one_of(name, others.values_list("username", flat=True).iterator()):
        raise ValidationError(TOO_LIKE)


def looks_like_one_of(name: str, others: Iterable[str]) -> bool:
    own = set(_skeletons(name))
    return any(not own.isdisjoint(_skeletons(other)) for other in others)


def _skeletons(name: str) -> tuple[str, str]:
    """What a name is read as. A capital I is an i and looks like an l."""
    normal = unicodedata.normalize("NFKC", name)
    return _skeleton(normal), _skeleton(normal.replace("I", "l"))


def _skeleton(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name.casefold())
    return folded.translate(_LOOK_ALIKE)


def _is_common(character: str) -> bool:
    return character.isascii() and not character.isalpha()


def _script(character: str) -> str:
    word = _WORD.match(unicodedata.name(character, ""))
    return word[0] if word else ""


def _is_unseen(character: str) -> bool:
    """Format and control characters, and Hangul's fillers, which count as letters."""
    is_filler = "FILLER" in unicodedata.name(character, "")
    return is_filler or unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp")
