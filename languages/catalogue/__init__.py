"""`python -m languages`: from the sources to the catalogues, and what is wrong with them.

texts        `Text`, what is to be translated; in which files the product has texts
templates    the marked texts of a template, and those that are not marked
python       the marked texts of a Python module, and sentences that are not marked
javascript   the same of a script
po           `.po` files, sorted and without places, so that a difference shows what changed
compiled     the files that the product reads: `.mo` for Django, a script for the browser
problems     texts without a translation, or with other placeholders than their translation
update       all of it in order

The compiled files are committed with the `.po` files: a fresh clone has both languages, and needs
no gettext on the machine.
"""
