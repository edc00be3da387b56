"""The languages of the interface: English, the source, and 简体中文
(`docs/decisions/languages.md`).

choice          which language a request or a websocket gets; the middleware
loader          templates are compiled once for each language
template_tags   `{% load i18n %}`: Django's tags, whose texts are translated at that moment
stored          sentences that are kept in English and translated where they are shown
later           texts of constants
shipped         names and descriptions that ship and may be changed
names           names of models and columns in the admin
docstrings      what the docstring of a tool says
catalogue       `python -m languages`: what is to be translated, the compiled files, the checks

Imports nothing of the other packages.
"""
