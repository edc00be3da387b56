"""`{% load i18n %}`: Django's tags; constant texts are translated while the template is compiled.

A template is compiled for one language (`languages.loader`). So `{% translate "Stop" %}` becomes
plain text, and `{% blocktranslate %}` a sentence of which only the values are still missing.
"""

from collections.abc import Mapping, Set
from typing import Any

from django import template
from django.template.base import (
    FilterExpression,
    Node,
    Parser,
    TextNode,
    Token,
    Variable,
    render_value_in_context,
)
from django.template.context import Context
from django.templatetags import i18n
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, ngettext

from languages.shipped import in_language
from languages.stored import shown

register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)

register.filter(shown)
register.filter(in_language)

# As `lang` and Intl take them (BCP 47).
LANGUAGE_TAGS = {"en": "en", "zh-hans": "zh-Hans"}


@register.tag("trans")
@register.tag("translate")
def translate(parser: Parser, token: Token) -> Node:
    node = i18n.do_translate(parser, token)
    variable, filters = node.filter_expression.var, node.filter_expression.filters
    is_constant = isinstance(variable, Variable) and variable.literal is not None and not filters
    if not is_constant or node.asvar or node.message_context:
        return node
    return TextNode(node.render(Context()))


@register.tag("blocktrans")
@register.tag("blocktranslate")
def blocktranslate(parser: Parser, token: Token) -> Node:
    node = i18n.do_block_translate(parser, token)
    if node.asvar or node.message_context:
        return node
    one, names = node.render_token_list(node.singular)
    if node.plural and node.counter and node.countervar:
        many, more_names = node.render_token_list(node.plural)
        forms = ngettext(one, many, 1), ngettext(one, many, 2)
        values: dict[str, FilterExpression] = dict(node.extra_context)
        values[node.countervar] = node.counter
        return PluralNode(forms, {*names, *more_names}, values, node.countervar)
    if not names:
        return TextNode(gettext(one) % {})
    return SentenceNode(gettext(one), set(names), node.extra_context)


class SentenceNode(Node):
    """A translated sentence with places for values, each named by a variable of the context."""

    def __init__(self, text: str, names: Set[str], values: Mapping[str, FilterExpression]) -> None:
        self.text = text
        self.names = names
        self.values = values

    def render(self, context: Context) -> str:
        given = {name: value.resolve(context) for name, value in self.values.items()}
        return self.text % {name: self._value(name, given, context) for name in self.names}

    def _value(self, name: str, given: Mapping[str, Any], context: Context) -> str:
        value = given[name] if name in given else context.get(name, "")
        return render_value_in_context(value, context)


class PluralNode(SentenceNode):
    """A sentence with two forms, of which a count chooses. In Chinese they are the same."""

    def __init__(
        self,
        forms: tuple[str, str],
        names: Set[str],
        values: Mapping[str, FilterExpression],
        count: str,
    ) -> None:
        super().__init__(forms[1], names, values)
        self.forms = forms
        self.count = values[count]

    def render(self, context: Context) -> str:
        given = {name: value.resolve(context) for name, value in self.values.items()}
        text = self.forms[0] if self.count.resolve(context) == 1 else self.forms[1]
        return text % {name: self._value(name, given, context) for name in self.names}


@register.tag
def lang(parser: Parser, token: Token) -> Node:
    """The language of the page, as the attribute `lang` takes it."""
    return TextNode(LANGUAGE_TAGS.get(str(get_language()), "en"))


@register.tag
def script_texts(parser: Parser, token: Token) -> Node:
    """The script with the texts of scripts, which runs before all modules; none for English."""
    if get_language() not in LANGUAGE_TAGS or get_language() == "en":
        return TextNode("")
    address = static(f"js/locale/{get_language()}.js")
    return TextNode(format_html('<script defer src="{}"></script>', address))
