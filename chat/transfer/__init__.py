"""Conversations for other programs, and from them.

| Module | What it has |
|---|---|
| `formats` | the formats of an export, by name |
| `own_json` | Roundtrip's own format (`docs/conversation-json.md`): everything, as a stream |
| `shown_branch` | the branch that a conversation shows, as the other formats write it |
| `markdown_text` | a branch as a readable document |
| `training` | branches as examples for training: OpenAI's JSONL, ShareGPT |
| `zips` | many documents as one zip, as a stream |
| `export_views` | downloads |
| `json_scanner`, `elements` | the conversations of a file, as places in it |
| `spooling` | an uploaded file, and the files of a zip, on disk |
| `draft`, `arranging` | an imported conversation as a tree of messages, and as turns |
| `origins` | the formats that are read: one module each |
| `reading` | the drafts of a file, or what is wrong with it |
| `storing` | writing a draft as a conversation |
| `imports`, `import_runner` | the job: asked for by a page, run by the `tools` worker |
| `import_views` | upload, preview, progress |
"""
