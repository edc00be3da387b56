"""Names and descriptions that ship with the program and that admins may change: assistants, skills,
tools. They are kept, and read by models, in English; who reads one that is still as it was shipped
reads it in their language.
"""

from django.utils.translation import get_language
from django.utils.translation.trans_real import CONTEXT_SEPARATOR, translation

CONTEXT = "shipped"


def shipped(text: str) -> str:
    """The text itself, marked for the catalogue."""
    return text


def in_language(text: str) -> str:
    """A text that ships in the reader's language; itself, if it is another one."""
    language = get_language()
    if not text or language is None or language.startswith("en"):
        return text
    key = CONTEXT + CONTEXT_SEPARATOR + str(text)
    found: str = translation(language).gettext(key)
    return text if found == key else found
