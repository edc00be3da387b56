"""Text for people from stored bytes and numbers.

- `text`: decode, clip, make control characters visible
- `figures`: durations and sizes
- `binaries`: replace long base64 by a description
- `json_text`: JSON with highlighting and line breaks
- `json_tree`: JSON as a tree that folds
"""
