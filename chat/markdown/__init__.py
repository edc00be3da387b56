"""Markdown to safe HTML: whole texts, and block by block while a text streams.

`render` is `BlockSplitter` fed with the whole text, so what streamed and what is stored look the
same. Work is linear in the length of the text: every character is parsed once, in its block.
"""

from chat.markdown.citations import Citation, Citations
from chat.markdown.splitter import Block, BlockSplitter, render

__all__ = ["Block", "BlockSplitter", "Citation", "Citations", "render"]
