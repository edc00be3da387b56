"""Conversations in the structures of other products, written by hand."""

import io
import json
from typing import Any

UNTIL = "00000000-0000-0000-0000-000000000000"


def file_of(value: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(value).encode())


def chatgpt_node(
    own: str, parent: str | None, role: str, text: str = "", **message: Any
) -> dict[str, Any]:
    content = message.pop("content", {"content_type": "text", "parts": [text]})
    return {
        "id": own,
        "parent": parent,
        "children": [],
        "message": {
            "id": own,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": 1_700_000_000.5,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "end_turn": True,
            "weight": 1.0,
            "metadata": {},
            "recipient": "all",
            **message,
        },
    }


def chatgpt(**fields: Any) -> dict[str, Any]:
    """A question with two answers; the second one was gone on with after a call of a tool."""
    nodes = [
        {"id": "root", "message": None, "parent": None, "children": ["q1"]},
        chatgpt_node("q1", "root", "user", "数据库有几张表?"),
        chatgpt_node("a1", "q1", "assistant", "Three.", metadata={"model_slug": "gpt-4o"}),
        chatgpt_node(
            "c2",
            "q1",
            "assistant",
            recipient="python",
            content={"content_type": "code", "language": "unknown", "text": "print(6)"},
        ),
        chatgpt_node("t2", "c2", "tool", content={"content_type": "execution_output", "text": "6"}),
        chatgpt_node("a2", "t2", "assistant", "Six."),
        chatgpt_node("q2", "a2", "user", "Which?"),
        chatgpt_node("a3", "q2", "assistant", "These."),
    ]
    return {
        "title": "Tables",
        "create_time": 1_700_000_000.0,
        "update_time": 1_700_000_100.0,
        "mapping": {str(node["id"]): node for node in nodes},
        "moderation_results": [],
        "current_node": "a3",
        "conversation_id": "gpt-1",
        **fields,
    }


def claude(**fields: Any) -> dict[str, Any]:
    def message(own: str, sender: str, parent: str, content: list[Any], **more: Any) -> Any:
        times = {"created_at": "2025-03-01T10:00:00.000000Z", "updated_at": "2025-03-01T10:00:01Z"}
        files: dict[str, Any] = {"attachments": [], "files": []}
        ids = {"uuid": own, "sender": sender, "parent_message_uuid": parent}
        return {**ids, "text": "", "content": content, **times, **files, **more}

    calls = [
        {"type": "thinking", "thinking": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "quokka"}},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "name": "web_search",
            "content": [{"type": "text", "text": "A marsupial."}],
            "is_error": False,
        },
        {"type": "text", "text": "It is a marsupial.", "citations": []},
    ]
    attached = {
        "file_name": "notes.txt",
        "file_size": 5,
        "file_type": "txt",
        "extracted_content": "hello",
    }
    return {
        "uuid": "claude-1",
        "name": "Quokkas",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "updated_at": "2025-03-01T10:05:00.000000Z",
        "account": {"uuid": "somebody"},
        "chat_messages": [
            message(
                "h1",
                "human",
                "00000000-0000-4000-8000-000000000000",
                [{"type": "text", "text": "What is a quokka?"}],
                attachments=[attached],
            ),
            message("m1", "assistant", "h1", calls),
            message("h2", "human", "m1", [{"type": "text", "text": "Thanks"}]),
            message("m2", "assistant", "h2", [{"type": "text", "text": "Welcome."}]),
            message("h3", "human", "m1", [{"type": "text", "text": "More?"}]),
        ],
        **fields,
    }


def open_webui_item(kind: str, text: str) -> dict[str, Any]:
    """Reasoning, or a text, of an answer's `output`."""
    content = [{"type": "output_text", "text": text}]
    return {"type": kind, "id": "i", "status": "completed", "content": content}


def open_webui_result(call: str, text: str, status: str = "completed") -> dict[str, Any]:
    output = [{"type": "input_text", "text": text}]
    return {"type": "function_call_output", "call_id": call, "output": output, "status": status}


def open_webui(**fields: Any) -> dict[str, Any]:
    reasoning = (
        '<details type="reasoning" done="true" duration="3">\n'
        "<summary>Thought for 3 seconds</summary>\n&gt; 2 + 2\n</details>\n4"
    )
    messages = {
        "u1": {
            "id": "u1",
            "parentId": None,
            "childrenIds": ["x1", "x2"],
            "role": "user",
            "content": "2 + 2?",
            "timestamp": 1_710_000_000,
            "models": ["llama", "qwen"],
            "files": [{"type": "file", "name": "sums.pdf"}],
        },
        "x1": {
            "id": "x1",
            "parentId": "u1",
            "childrenIds": [],
            "role": "assistant",
            "content": reasoning.replace("&gt;", ">"),
            "model": "llama",
            "modelName": "Llama",
            "done": True,
            "timestamp": 1_710_000_001,
        },
        "x2": {
            "id": "x2",
            "parentId": "u1",
            "childrenIds": [],
            "role": "assistant",
            "content": "five",
            "model": "qwen",
            "timestamp": 1_710_000_001,
        },
    }
    return {
        "id": "webui-1",
        "user_id": "u",
        "title": "Sums",
        "chat": {
            "title": "Sums",
            "models": ["llama", "qwen"],
            "history": {"messages": messages, "currentId": "x1"},
            "messages": [],
            "timestamp": 1_710_000_000_000,
        },
        "created_at": 1_710_000_000,
        "updated_at": 1_710_000_100,
        "share_id": None,
        "archived": False,
        "pinned": False,
        **fields,
    }


def librechat(**fields: Any) -> dict[str, Any]:
    def message(own: str, parent: str, text: str, *, by_user: bool, **more: Any) -> dict[str, Any]:
        return {
            "messageId": own,
            "parentMessageId": parent,
            "conversationId": "libre-1",
            "text": text,
            "sender": "User" if by_user else "GPT",
            "isCreatedByUser": by_user,
            "createdAt": "2025-01-02T03:04:05.678Z",
            **more,
        }

    blocks = [
        {"type": "think", "think": "I look."},
        {
            "type": "tool_call",
            "tool_call": {
                "id": "call_1",
                "name": "search",
                "args": '{"q":"x"}',
                "output": "found",
                "type": "tool_call",
            },
        },
        {"type": "text", "text": "Found."},
    ]
    return {
        "conversationId": "libre-1",
        "endpoint": "openAI",
        "title": "Searching",
        "exportAt": "10:00:00",
        "branches": True,
        "recursive": False,
        "options": {"model": "gpt-4o"},
        "messages": [
            message("l1", UNTIL, "Find it", by_user=True),
            message("l2", "l1", "", by_user=False, content=blocks, model="gpt-4o"),
            message("l3", "l1", "Nothing.", by_user=False),
        ],
        **fields,
    }


def qwen_agent() -> list[dict[str, Any]]:
    call = {"name": "image_gen", "arguments": '{"prompt": "a dog"}'}
    return [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": [{"text": "画一只狗"}, {"image": "file:///dog.png"}]},
        {"role": "assistant", "content": "", "reasoning_content": "Draw.", "function_call": call},
        {"role": "function", "name": "image_gen", "content": "https://images.example/dog.png"},
        {"role": "assistant", "content": "Here it is."},
    ]
