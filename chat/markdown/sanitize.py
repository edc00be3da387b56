"""The second wall: whatever the renderer made, only these tags, attributes and links get through.

The first wall is that HTML in Markdown is text. Nothing that is let through here makes the browser
ask another host for anything before a person follows a link, or agrees to an image.
"""

import nh3
from pygments.token import STANDARD_TYPES

# MathML Core without links, actions, embedded HTML and styles.
_MATH_TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot"),
    *("mstyle", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts"),
    *("mprescripts", "mtable", "mtr", "mtd", "mpadded", "mphantom", "menclose", "merror"),
}
_MATH_ATTRIBUTES = {
    *("mathvariant", "displaystyle", "scriptlevel", "stretchy", "symmetric", "fence", "separator"),
    *("largeop", "movablelimits", "accent", "accentunder", "form", "lspace", "rspace", "minsize"),
    *("maxsize", "linethickness", "width", "height", "depth", "voffset", "notation"),
    *("columnalign", "rowspacing", "columnspacing", "columnlines", "rowlines", "columnspan"),
    *("rowspan", "frame", "mathcolor"),
}
# Filled by the script of the page.
_OWN_TAGS = {"code-tools", "table-tools", "callout-name", "remote-image"}
_TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "sup"),
    *("strong", "em", "s", "a", "code", "pre", "span", "figure", "figcaption", "button", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *_MATH_TAGS,
    *_OWN_TAGS,
}
_ATTRIBUTES = {
    "a": {"href", "title", "target", "data-source"},
    "ol": {"start", "dir"},
    "pre": {"tabindex"},
    "div": {"tabindex", "dir", "data-note"},
    "span": {"tabindex"},
    "button": {"type", "data-footnote"},
    "remote-image": {"data-key"},
    **{tag: {"dir"} for tag in ("p", "h3", "h4", "h5", "h6", "ul", "blockquote", "table")},
    **dict.fromkeys(_MATH_TAGS, _MATH_ATTRIBUTES),
    "math": {"display", "alttext"},
}
_CALLOUTS = {"note", "tip", "important", "warning", "caution"}
_MATH_CLASSES = {
    *("math-right", "math-left", "math-end-0", "math-start-0", "math-start-1", "math-line-right"),
    *(
        "math-line-left",
        "math-line-top",
        "math-line-bottom",
        "math-half",
        "math-wide",
        "math-prime",
    ),
}
_CLASSES = {
    **dict.fromkeys(("mtd", "mtable", "mspace"), _MATH_CLASSES),
    "span": {*filter(None, STANDARD_TYPES.values()), "tex", "formula", "task-box"},
    "figure": {"code", "long"},
    "button": {"footnote-ref", "sort"},
    "div": {"table-block", "table-scroll", "footnote", "callout"}
    | {f"callout-{kind}" for kind in _CALLOUTS},
    "callout-name": _CALLOUTS,
    "a": {"image-link", "bare", "cite"},
    "p": {"plain", "callout-title"},
    "ul": {"continued"},
    "ol": {"continued"},
    "li": {"task"},
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
