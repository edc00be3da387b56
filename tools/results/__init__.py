"""What a tool answered, as pages show it.

blocks    a stored result as tables, texts and media
content   content blocks as MCP writes them: types, names and decoded bytes
views     the bytes of one block
"""
