"""`{% module_script "js/chat/main.js" %}`: a script with all that it imports, fetched at once;
`{% stylesheets "base/tokens" "base/base" %}`: stylesheets as one file."""

from functools import lru_cache

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config.joined_styles import joined_path
from config.module_graph import preloads

register = template.Library()


@register.simple_tag
def module_script(module: str) -> SafeString:
    return _rendered.__wrapped__(module) if settings.DEBUG else _rendered(module)


@lru_cache
def _rendered(module: str) -> SafeString:
    links = format_html_join(
        "",
        '<link rel="modulepreload" href="{}">',
        ((static(path),) for path in preloads(module)),
    )
    return format_html('{}<script type="module" src="{}"></script>', links, static(module))


@register.simple_tag
@lru_cache
def stylesheets(*sheets: str) -> SafeString:
    return format_html('<link rel="stylesheet" href="{}">', static(joined_path(sheets)))
