"""What models and providers read of a tool, as pure functions.

names              the name under which a server's tool is offered
offered_schemas    the input schema, repaired to what providers accept
patterns           regular expressions of schemas, matched in bounded time
quality            tokens that a definition costs, and what it leaves undescribed
relevance          ranking of tools by words
schema_validation  arguments and results checked against a schema in bounded time
token_estimate     tokens of a text or a JSON value, estimated from characters
"""
