"""Checks that a user name is not confusable with another one.

The rules follow Unicode's UTS 39, as far as Python's character data allow:

- One script, or Latin with the scripts of Chinese, Japanese or Korean (the level *highly
  restrictive*), and only scripts in general use (UAX 31, table 5). Python has no script property;
  the first word of a character's name stands for it.
- No invisible characters.
- No name that differs from another one only by case, by compatibility forms (NFKC), or by letters
  that look alike: both have the same *skeleton*. `_CONFUSABLES` has the common pairs.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from languages.later import later

SEVERAL_SCRIPTS = later("This name mixes letters of several scripts. Use letters of one.")
INVISIBLE = later("This name has a character that cannot be seen. Leave it out.")
UNCOMMON_SCRIPT = later("This name has a letter that is not in general use. Choose another name.")
TOO_SIMILAR = later("This name looks too much like that of another user. Choose another one.")

_HAN = frozenset({"CJK", "IDEOGRAPHIC", "LATIN"})
_COMBINATIONS = (
    _HAN | {"HIRAGANA", "KATAKANA"},
    _HAN | {"BOPOMOFO"},
    _HAN | {"HANGUL"},
)
_SCRIPTS_IN_USE = frozenset(
    (
        *("LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "CYRILLIC"),
        *("GREEK", "ARABIC", "ARMENIAN", "BENGALI", "DEVANAGARI", "ETHIOPIC", "GEORGIAN"),
        *("GUJARATI", "GURMUKHI", "HEBREW", "KANNADA", "KHMER", "LAO", "MALAYALAM", "MYANMAR"),
        *("ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
    )
)
_WORD = re.compile(r"[A-Z]+")
# Characters that look like the letter before the colon, after case folding.
_CONFUSABLES = {
    ord(confusable): ord(letter)
    for letter, confusables in {
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
    for confusable in confusables
}


def check(name: str, except_for: User | None = None) -> None:
    """Raises ValidationError, with a sentence for the user, if a rule forbids the name.

    `except_for` is the user who gets the name, whose present one does not count.
    """
    name = unicodedata.normalize("NFKC", name)
    if any(_is_invisible(character) for character in name):
        raise ValidationError(INVISIBLE)
    scripts = {_script(character) for character in name if not _belongs_to_no_script(character)}
    if scripts - _SCRIPTS_IN_USE:
        raise ValidationError(UNCOMMON_SCRIPT)
    if len(scripts) > 1 and not any(scripts <= combination for combination in _COMBINATIONS):
        raise ValidationError(SEVERAL_SCRIPTS)
    others = User.objects.exclude(pk=except_for.pk) if except_for else User.objects.all()
    if looks_like_one_of(name, others.values_list("username", flat=True).iterator()):
        raise ValidationError(TOO_SIMILAR)


def looks_like_one_of(name: str, others: Iterable[str]) -> bool:
    """Whether `name` shares a skeleton with one of `others`."""
    own = set(_skeletons(name))
    return any(not own.isdisjoint(_skeletons(other)) for other in others)


def _skeletons(name: str) -> tuple[str, str]:
    """The two skeletons of a name: with each capital I read as i, and as l."""
    normal = unicodedata.normalize("NFKC", name)
    return _skeleton(normal), _skeleton(normal.replace("I", "l"))


def _skeleton(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name.casefold())
    return folded.translate(_CONFUSABLES)


def _belongs_to_no_script(character: str) -> bool:
    return character.isascii() and not character.isalpha()


def _script(character: str) -> str:
    word = _WORD.match(unicodedata.name(character, ""))
    return word[0] if word else ""


def _is_invisible(character: str) -> bool:
    """Whether it is a format, control or space character, or a Hangul filler, which is a letter."""
    is_filler = "FILLER" in unicodedata.name(character, "")
    return is_filler or unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp")
