"""The formats that are imported. What a conversation is, is recognised by its structure.

| Module | Whose |
|---|---|
| `roundtrip` | our own (`docs/conversation-json.md`) |
| `chatgpt` | ChatGPT's data export: `mapping` of nodes with `parent` |
| `claude` | Claude's data export: `chat_messages` |
| `open_webui` | Open WebUI's export of chats: `chat.history.messages` with `parentId` |
| `librechat` | LibreChat's export: `messages` with `parentMessageId`, or a nested tree |
| `message_list` | Qwen-Agent's histories, OpenAI's messages, ShareGPT: lists of messages |
| `chains` | messages of a file that are several here |
| `images` | images of questions as attachments |
| `content` | what several of them need |
"""
