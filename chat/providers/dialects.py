"""Explanations of the dialects, for the form of a model."""

from dataclasses import dataclass

from languages.later import later

BOTH = ("openai", "cassette", "anthropic")


@dataclass(frozen=True)
class DialectChoice:
    """A dialect with its explanation, and the kinds of providers that offer it."""

    label: str
    sentence: str
    kinds: tuple[str, ...] = ("openai", "cassette")


CHOICES: dict[str, DialectChoice] = {
    "auto": DialectChoice(
        later("Find out"),
        later(
            "The model is asked once to call a tiny tool, and Roundtrip remembers the "
            "first way that "
            "works. A conversation never waits for it."
        ),
        BOTH,
    ),
    "native": DialectChoice(
        "native",
        later(
            "Tools and calls are fields of the request and the answer. For the large "
            "services, and for "
            "local servers that parse calls themselves."
        ),
    ),
    "nous": DialectChoice(
        "nous",
        later(
            "Tools are written into the system prompt and calls are read out of the text, as "
            "Qwen-Agent does it. Works with every server that returns plain text, and "
            "hides nothing "
            "from the trace."
        ),
    ),
    "functions": DialectChoice(
        "functions",
        later(
            "The form before tools: functions and function_call, one call a message. For "
            "older servers "
            "that refuse tools."
        ),
    ),
    "anthropic": DialectChoice(
        "anthropic",
        later(
            "Content blocks for text, calls and results, as the Messages API of Claude wants them."
        ),
        ("anthropic",),
    ),
}
