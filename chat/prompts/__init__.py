"""Prompt templates: texts with variables that people insert into messages.

variables      the variables of a text, and filling them in
interchange    templates as JSON, out and in
forms, views   the pages
"""
