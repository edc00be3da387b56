from typing import Any

from django.template.loaders import cached
from django.utils.translation import get_language


class Loader(cached.Loader):
    """Django's cached loader with a compiled template for each language: what the tags of
    `template_tags` translate while a template is compiled costs nothing when it is rendered."""

    def cache_key(self, template_name: str, skip: Any = None) -> str:
        return f"{get_language()} {super().cache_key(template_name, skip)}"
