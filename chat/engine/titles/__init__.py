"""A title by a model: one small request after the first answer of a conversation.

    first answer ─► due ─ ring ─► running ─► naming.begin ─ the call ─► naming.finish

It is rung when the turn has ended, and runs in a `turns` worker that has room for it; otherwise the
next answer asks again. It is tried once, within bounds of time and tokens. It is a trace of its own
kind in the conversation's archive. If it fails the conversation keeps its first words, and what a
person named it is never replaced.

- `due`: whether a turn that ended asks for a title
- `wording`: the request, and what of its answer is a title
- `naming`: the rows
- `running`: the call
"""
