"""All pages of the product, and what a person with any screen, keyboard or language meets there.

table       the pages, by the rules of their addresses (`tests.access.routes`)
opened      menus, dialogs and panels to open on them
seeding     rows that fill them, in the product's settings
texts       what people and models say in these rows
running     a product of its own, for reports and pictures
visits      tabs on the pages, and what is found there, once for each page and language
survey      what is wrong with a page: axe, its width, its language
english     the words of a Chinese page that are not Chinese
directions  texts that turn what stands beside them round
keyboard    the way through a page by Tab

`tests/browser/test_pages.py` looks at all of them; `python -m tests.axe_report` writes what axe
found.
"""
