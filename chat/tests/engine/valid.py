"""What makes a request for a chat completion invalid, after OpenAI's reference."""

from typing import Any

KEYS = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "function_call", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
    "function": {"role", "content", "name"},
}


def check_completions_request(body: dict[str, Any]) -> None:
    """Every key is known, every call is answered once, right behind its message and in order."""
    waiting: list[str] = []
    for message in body["messages"]:
        role = message["role"]
        assert message.keys() <= KEYS[role], message
        if role in ("tool", "function"):
            assert waiting and _answers(message) == waiting.pop(0), message
            continue
        assert not waiting, f"unanswered: {waiting}"
        waiting = _asked(message)
        assert waiting or message["content"], f"says nothing: {message}"
    assert not waiting, f"unanswered: {waiting}"
    assert body["messages"][-1]["role"] != "assistant"


def _asked(message: dict[str, Any]) -> list[str]:
    """What has to be answered: ids, or the name of a function."""
    if function := message.get("function_call"):
        return [function["name"]]
    ids = [call["id"] for call in message.get("tool_calls", ())]
    assert len(set(ids)) == len(ids)
    return ids


def _answers(message: dict[str, Any]) -> str:
    answered: str = message["name" if message["role"] == "function" else "tool_call_id"]
    assert isinstance(message["content"], str)
    return answered
