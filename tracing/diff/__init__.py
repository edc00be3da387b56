"""Differences between two lists or two texts.

- `myers`: the shortest edit script
- `list_diff`: changes between two lists of ordinals
- `text_diff`: changes between two texts, by line and by word
"""
