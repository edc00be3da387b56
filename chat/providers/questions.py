"""The inputs of checks: questions with a tiny tool."""

from chat.llm.messages import ToolDefinition
from chat.llm.served import ModelInput
from chat.models import LanguageModel

TOOL: ToolDefinition = {
    "type": "function",
    "function": {
        "name": "calculate",
        "description": "Works out an arithmetic expression.",
        "parameters": {
            "type": "object",
            "properties": {"expr": {"type": "string", "description": "Such as 6 * 7"}},
            "required": ["expr"],
        },
    },
}
HELLO = "This is a test of the connection. Say hello in one short sentence."
CALL = "Then call the tool calculate for 6 * 7."
PROBE = (
    "Work out 6 * 7 and 17 + 25 with the tool calculate. Call it twice, both calls at once, "
    "and write nothing else."
)


def test(model: LanguageModel) -> ModelInput:
    """Asks for a greeting, and for a call if the model takes tools."""
    text = f"{HELLO} {CALL}" if model.takes_tools else HELLO
    return _input(model, text, [TOOL] if model.takes_tools else [])


def probe(model: LanguageModel) -> ModelInput:
    """Asks for two independent calls."""
    return _input(model, PROBE, [TOOL])


def _input(model: LanguageModel, text: str, tools: list[ToolDefinition]) -> ModelInput:
    return ModelInput([{"role": "user", "content": text}], tools, dict(model.parameters))
