# mypy: ignore-errors
"""A Chainlit application with one model that stores its threads in SQLite, as its documentation has
it. `chainlit run` starts it; STUB_URL, MODEL and DATABASE are its environment."""

import os
import sqlite3

import chainlit as cl
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from openai import AsyncOpenAI

DATABASE = os.environ["DATABASE"]
TABLES = """
CREATE TABLE IF NOT EXISTS users (
    "id" TEXT PRIMARY KEY, "identifier" TEXT NOT NULL UNIQUE, "metadata" TEXT, "createdAt" TEXT
);
CREATE TABLE IF NOT EXISTS threads (
    "id" TEXT PRIMARY KEY, "createdAt" TEXT, "name" TEXT, "userId" TEXT, "userIdentifier" TEXT,
    "tags" TEXT, "metadata" TEXT
);
CREATE TABLE IF NOT EXISTS steps (
    "id" TEXT PRIMARY KEY, "name" TEXT, "type" TEXT, "threadId" TEXT, "parentId" TEXT,
    "streaming" INTEGER, "waitForAnswer" INTEGER, "isError" INTEGER, "metadata" TEXT, "tags" TEXT,
    "input" TEXT, "output" TEXT, "createdAt" TEXT, "command" TEXT, "start" TEXT, "end" TEXT,
    "generation" TEXT, "showInput" TEXT, "language" TEXT, "indent" INTEGER, "defaultOpen" INTEGER,
    "autoCollapse" INTEGER, "modes" TEXT, "icon" TEXT
);
CREATE TABLE IF NOT EXISTS elements (
    "id" TEXT PRIMARY KEY, "threadId" TEXT, "type" TEXT, "url" TEXT, "chainlitKey" TEXT,
    "name" TEXT, "display" TEXT, "objectKey" TEXT, "size" TEXT, "page" INTEGER, "language" TEXT,
    "forId" TEXT, "mime" TEXT, "props" TEXT
);
CREATE TABLE IF NOT EXISTS feedbacks (
    "id" TEXT PRIMARY KEY, "forId" TEXT, "threadId" TEXT, "value" INTEGER, "comment" TEXT
);
"""

with sqlite3.connect(DATABASE) as database:
    database.executescript(f"PRAGMA journal_mode=WAL; {TABLES}")

client = AsyncOpenAI(base_url=os.environ["STUB_URL"], api_key="none", max_retries=0)


@cl.data_layer
def data_layer() -> SQLAlchemyDataLayer:
    return SQLAlchemyDataLayer(conninfo=f"sqlite+aiosqlite:///{DATABASE}")


@cl.header_auth_callback
async def user_of(headers) -> cl.User:
    return cl.User(identifier=headers["x-user"])


@cl.on_message
async def on_message(message: cl.Message) -> None:
    answer = cl.Message(content="")
    stream = await client.chat.completions.create(
        model=message.content, messages=cl.chat_context.to_openai(), stream=True
    )
    async for chunk in stream:
        if chunk.choices and (text := chunk.choices[0].delta.content):
            await answer.stream_token(text)
    await answer.update()
