"""`{% url %}`, in every template: as Django's, from the cached addresses."""

from django import template
from django.template import defaulttags
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import URLNode
from django.urls import NoReverseMatch
from django.utils.html import conditional_escape

from db.addresses import address

register = template.Library()


@register.tag
def url(parser: Parser, token: Token) -> URLNode:
    node = defaulttags.url(parser, token)
    return AddressNode(node.view_name, node.args, node.kwargs, node.asvar)


class AddressNode(URLNode):
    """Addresses here depend on no `current_app`: each namespace has one instance."""

    def render(self, context: Context) -> str:
        if self.kwargs:
            return super().render(context)
        args = [argument.resolve(context) for argument in self.args]
        try:
            text = address(self.view_name.resolve(context), *args)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            text = ""
        if self.asvar:
            context[self.asvar] = text
            return ""
        return conditional_escape(text) if context.autoescape else text
