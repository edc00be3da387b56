"""The second wall: whatever the renderer made, only these tags, attributes and links get through.

The first wall is that HTML in Markdown is text. Nothing that is let through here makes the browser
ask another host for anything before a person follows a link.
"""

import nh3
from pygments.token import STANDARD_TYPES

_TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "s", "a", "code", "pre", "span", "figure", "figcaption", "button", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "title", "target"},
    "ol": {"start", "dir"},
    "pre": {"tabindex"},
    "div": {"tabindex"},
    "button": {"type", "data-copy-code"},
    **{tag: {"dir"} for tag in ("p", "h3", "h4", "h5", "h6", "ul", "blockquote", "table")},
}
_CLASSES = {
    "span": {*filter(None, STANDARD_TYPES.values())},
    "figure": {"code"},
    "button": {"code-copy"},
    "div": {"table-scroll"},
    "a": {"image-link"},
    "p": {"plain"},
    "ul": {"continued"},
    "ol": {"continued"},
    "th": {"align-center", "align-right"},
    "td": {"align-center", "align-right"},
}
_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer nofollow",
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


def sanitize(html: str) -> str:
    return _CLEANER.clean(html)
