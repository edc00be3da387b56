"""What the search of conversations and their list cost: times, and bytes of the index.

texts     questions and answers of two languages, whose words are as frequent as in real texts
filling   conversations of a user, and of others, written and indexed
report    `results/conversation_search.md`
"""
