from django.utils.functional import lazy
from django.utils.translation import gettext


def later(text: str, /, **values: object) -> str:
    """A text that is translated each time it is shown: Django's `gettext_lazy`, with values for
    the places `%(name)s`. For constants, which are made before anybody asks for a language. It is
    no `str` for `isinstance`, `join` and `json`: give those `str(text)`."""
    return _later(text, values)


def _formatted(text: str, values: dict[str, object]) -> str:
    return gettext(text) % values if values else gettext(text)


_later = lazy(_formatted, str)
