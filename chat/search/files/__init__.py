"""The search in files: attachments and project files that are text, PDF and Word files included.

passages    cuts a text into passages, with their page, line and heading
indexing    the worker's job, which takes the notes of the database's triggers
index       stores and finds the words of passages
ranking     the order of the passages that match a query
"""
