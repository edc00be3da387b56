"""View models of the chat's templates, made from rows in a fixed number of queries.

thread        the turns that a page shows, and the gaps between them
turns         turns, with everything below; `turn_rows` reads their rows
branches      ‹ 2/3 ›: what stands beside a turn
comparisons   answers that stand side by side
attempts      failed model calls, and notes on answers that are not whole
figures       speed and cost of an answer
sources       pages and places in files that an answer may cite
calls         cards of tool calls; `skills` and `questions` are parts of them
values        arguments and results as tables, trees or text
compactions   markers of what was left out of requests
attachments   attachments of a message
queue         what is below the last turn: messages in line, deletions that can be undone
viewers       who looks at a conversation, and what they may do; `reader`: their time zone
group_shares  the panel in which an owner shares it
sidebar       the list of conversations: grouped by day, searched, paged
projects      the projects beside it
todos         the task list of a conversation
text          text for one line, and text that UTF-8 can carry
"""
