"""View models of the chat's templates, made from rows in a fixed number of queries.

thread        the turns that a page shows, and the gaps between them
turns         turns, with everything below
attempts      failed model calls, and notes on answers that are not whole
comparisons   answers that stand side by side
calls         cards of tool calls; `skills` and `questions` are parts of them
values        arguments and results as tables, trees or text
compactions   markers of what was left out of requests
attachments   attachments of a message
sidebar       the list of conversations: grouped by day, searched, paged
projects      the projects beside it
todos         the task list of a conversation
text          text for one line, and text that UTF-8 can carry
"""
