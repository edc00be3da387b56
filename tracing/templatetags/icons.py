"""`{% icon "alert" %}`, in every template."""

from functools import lru_cache

from django import template
from django.template.base import FilterExpression, Node, Parser, TextNode, Token
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.tag
def icon(parser: Parser, token: Token) -> Node:
    """A symbol of `static/icons.svg` as decoration. One that is named by a text is text of the
    compiled template: pages have up to a hundred."""
    try:
        _, name = token.split_contents()
    except ValueError:
        raise template.TemplateSyntaxError("icon takes the name of a symbol") from None
    expression = parser.compile_filter(name)
    if isinstance(expression.var, str) and not expression.filters:
        return TextNode(icon_html(expression.var))
    return IconNode(expression)


class IconNode(Node):
    """An icon whose name depends on the context."""

    def __init__(self, name: FilterExpression) -> None:
        self.name = name

    def render(self, context: Context) -> SafeString:
        return icon_html(str(self.name.resolve(context)))


@lru_cache(maxsize=256)
def icon_html(name: str) -> SafeString:
    return format_html(
        '<svg class="icon icon-{name}" width="16" height="16" aria-hidden="true" focusable="false">'
        '<use href="{sprite}#{name}"></use></svg>\n',
        name=name,
        sprite=static("icons.svg"),
    )
