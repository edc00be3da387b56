"""Presets, which people know as assistants: their pages, how they travel, the two that ship.

views        the pages              forms, fields   what people write
choosing     the picker of a conversation, and what is changed later
interchange  a preset as JSON, out and in
shipped      what a deployment begins with
"""
