"""What the page of a conversation and the sidebar cost, with 100 to 10,000 rows.

texts     questions and answers: lists, code, tables, English and Chinese
filling   conversations of any length, with the rows that the engine leaves behind
seeding   fills a product, and counts the queries of its pages
report    `results/chat_page.json` and `chat_page.md`
"""
