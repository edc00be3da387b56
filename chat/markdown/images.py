"""Images of other hosts: a link until the person agrees, then by way of this server.

The key in the HTML says that the address came from a text that was rendered here: the server
fetches nothing else.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from django.core.signing import Signer
from django.utils.crypto import constant_time_compare
from markdown_it.token import Token

_SIGNER = Signer(salt="chat.markdown.images")


def image_key(url: str) -> str:
    return _SIGNER.signature(url)


def is_image_key(url: str, key: str) -> bool:
    return constant_time_compare(key, image_key(url))


def render_image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The render rule of an image."""
    token = tokens[index]
    text = renderer.renderInlineAsText(token.children or [], options, env).strip()
    source = str(token.attrs.get("src", ""))
    link = f'<a class="image-link" href="{escape(source)}">{escape(text or "image")}</a>'
    if not source.lower().startswith(("http://", "https://")):
        return link
    return f'<remote-image data-key="{escape(image_key(source))}">{link}</remote-image>'
