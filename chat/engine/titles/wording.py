"""The request for a title, and what of its answer is one."""

import re

from chat.engine.generation.outcome import Generated
from chat.llm.messages import Message, text_of
from chat.llm.parameters import for_plain_text
from chat.llm.served import ModelInput
from chat.models import LanguageModel
from db.fields import storable
from limits.chat import MAX_FIRST_TITLE, MAX_TITLE_SOURCE
from limits.models import MAX_TITLE_TOKENS

INSTRUCTIONS = (
    "You write the title of a conversation for a list of conversations. Write at most six words, "
    "in the language of the user's message. No quotation marks, no full stop, no explanation: "
    "answer with the title alone."
)
# What models put around a title.
_LABEL = re.compile(r"^(?:title|标题|题目)\s*[:\uff1a]\s*", re.IGNORECASE)
_AROUND = " \t*_#`\"'“”‘’«»「」『』《》【】"
_ENDS = ".,;:\u3002\uff0c\uff1b\uff1a"


def request(model: LanguageModel, question: Message, answer: Message) -> ModelInput:
    """The title of the conversation that begins with this question and this answer."""
    text = "\n\n".join(
        f"<{role}>\n{_beginning(message)}\n</{role}>"
        for role, message in (("user", question), ("assistant", answer))
    )
    messages: list[Message] = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": text},
    ]
    parameters = for_plain_text(model.parameters)
    most = parameters.get("max_tokens")
    is_less = isinstance(most, int) and most < MAX_TITLE_TOKENS
    parameters["max_tokens"] = most if is_less else MAX_TITLE_TOKENS
    if parameters.get("reasoning_effort") in ("medium", "high", "xhigh"):
        parameters["reasoning_effort"] = "low"
    return ModelInput(messages, [], parameters)


def title_of(generated: Generated) -> str:
    """The title that a model wrote, on one line; "" if it wrote none, or not to the end."""
    if generated.error or generated.cut or generated.answer is None:
        return ""
    if generated.finish_reason == "length":
        return ""
    lines = text_of(generated.message.get("content")).splitlines()
    first = next((line for line in lines if line.strip(_AROUND)), "")
    return cleaned(first)


def cleaned(line: str) -> str:
    """A line without what models put around a title; at most `MAX_FIRST_TITLE` characters."""
    bare = _bare(_LABEL.sub("", _bare(" ".join(storable(line).split()))))
    return bare if len(bare) <= MAX_FIRST_TITLE else bare[: MAX_FIRST_TITLE - 1].rstrip() + "…"


def _bare(text: str) -> str:
    return text.lstrip(_AROUND).rstrip(_AROUND + _ENDS)


def _beginning(message: Message) -> str:
    text = text_of(message.get("content")).strip()
    return text if len(text) <= MAX_TITLE_SOURCE else text[:MAX_TITLE_SOURCE] + "…"
