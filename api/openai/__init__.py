"""`/v1`: what a client of OpenAI's API needs to talk to an assistant or to a plain model.

Each call is a turn with a trace, in a conversation of the token's person
(docs/decisions/openai-api.md). Source: the types of the package `openai`, and
https://platform.openai.com/docs/api-reference.

| Module | What it has |
|---|---|
| `views` | the addresses: authentication, errors, headers |
| `fields` | every field of the two kinds of requests, and what becomes of it |
| `checks` | reading values of a body: what does not fit is refused by the name of its field |
| `contents` | content parts: text, images, files |
| `chat_request`, `chat_messages` | a body of `/v1/chat/completions` as a `Call` |
| `response_request`, `response_items` | a body of `/v1/responses` as a `Call` |
| `call` | `Call`: what is asked for, whichever way |
| `parameters` | parameters of the model, and which of them it takes |
| `answerers` | the ids of `/v1/models`: assistants and models that the person may use |
| `sending` | from a `Call` to a turn, in a new conversation or in one that it goes on with |
| `histories` | hashes of messages, by which a conversation is found again |
| `following` | the events of a turn, from the event log that the websocket has too |
| `outcome` | what a turn has come to, read from the database |
| `chat_answer`, `response_answer` | both as OpenAI writes them: documents and events |
| `errors` | refusals and failures as OpenAI writes them |
"""
