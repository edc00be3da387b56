"""What providers write when a request is longer than the model's context window."""

import pytest

from chat.llm.errors import ProviderError, StatusFailure
from chat.llm.length_refusal import Refusal, is_too_long, refusal_of

SENTENCES = [
    (  # OpenAI
        "This model's maximum context length is 4097 tokens. However, your messages resulted in "
        "7575 tokens. Please reduce the length of the messages.",
        (4097, 7575),
    ),
    (  # OpenAI, DeepSeek, vLLM
        "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens "
        "(9591 in the messages, 10000 in the completion). Please reduce the length.",
        (16384, 9591),
    ),
    (  # OpenAI, older
        "This model's maximum context length is 4097 tokens, however you requested 4116 tokens "
        "(3860 in your prompt; 256 for the completion).",
        (4097, 3860),
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in "
        "290001 tokens.",
        (272000, 290001),
    ),
    ("Your input exceeds the context window of this model. Please adjust your input.", (0, 0)),
    (  # vLLM
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context "
        "length is 4096 tokens and your request has 17 input tokens (4096 > 4096 - 17).",
        (4096, 17),
    ),
    (
        "You passed 4097 input tokens and requested 1 output tokens. However, the model's context "
        "length is only 4096 tokens, resulting in a maximum input length of 4095 tokens.",
        (4096, 4097),
    ),
    (
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        (4096, 5000),
    ),
    (  # llama.cpp
        '{"error":{"code":400,"message":"the request exceeds the available context size. try '
        'increasing the context size or enable context shift","type":"exceed_context_size_error",'
        '"n_prompt_tokens":14429,"n_ctx":8192}}',
        (8192, 14429),
    ),
    (
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        (4096, 5000),
    ),
    ("Requested tokens (2285) exceed context window of 2048", (2048, 2285)),
    ("the input length exceeds the context length", (0, 0)),  # Ollama
    (  # LM Studio
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens, which is not enough.",
        (4096, 0),
    ),
    ("prompt is too long: 210000 tokens > 200000 maximum", (200000, 210000)),  # Anthropic
    (
        "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease "
        "input length or `max_tokens` and try again",
        (200000, 198000),
    ),
    (  # Mistral
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
        "context length",
        (32768, 40000),
    ),
    (  # Gemini
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        (1048576, 1200000),
    ),
    (  # SGLang
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        (4096, 5000),
    ),
    (
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You "
        "requested a total of 5000 tokens: 4000 tokens from the input messages and 1000 tokens "
        "for the completion.",
        (4096, 4000),
    ),
    (  # OpenRouter
        "This endpoint's maximum context length is 4,096 tokens. However, you requested about "
        "5,000 tokens (4,000 of text input, 1,000 in the output).",
        (4096, 4000),
    ),
    (  # xAI
        "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
        (131072, 200000),
    ),
    (  # TGI, Together
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 "
        "`inputs` tokens and 1000 `max_new_tokens`",
        (4096, 5000),
    ),
    (  # Cohere
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
        (4081, 5000),
    ),
    (  # Cerebras
        "Please reduce the length of the messages or completion. Current length is 9000 while "
        "limit is 8192",
        (8192, 9000),
    ),
    ("Range of input length should be [1, 30720]", (30720, 0)),  # DashScope
    (  # Moonshot
        "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
        (8192, 9000),
    ),
    ("Input is too long for requested model.", (0, 0)),  # Bedrock
    ("The prompt is too long: 140000, model maximum context length: 131071", (131071, 140000)),
]


@pytest.mark.parametrize(("sentence", "numbers"), SENTENCES)
def test_the_window_and_what_was_asked_are_read_from_the_refusal(
    sentence: str, numbers: tuple[int, int]
) -> None:
    assert refusal_of(StatusFailure(400, evidence=sentence.encode())) == Refusal(*numbers)


def test_an_error_within_a_stream_is_read_too() -> None:
    error = ProviderError(SENTENCES[0][0], code="context_length_exceeded")
    assert refusal_of(error) == Refusal(4097, 7575)


def test_a_bare_413_is_too_long_and_says_nothing_of_tokens() -> None:
    found = refusal_of(StatusFailure(413, evidence=b"<html>Request Entity Too Large</html>"))
    assert found == Refusal(is_about_tokens=False)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "Unknown parameter: max_tokens"),
        (400, "Invalid value for temperature: 9000 is more than 2"),
        (401, "maximum context length is 4096 tokens"),
        (429, "Rate limit reached: 30 requests a minute"),
        (500, "Internal error"),
    ],
)
def test_another_error_is_no_refusal_for_length(status: int, sentence: str) -> None:
    error = StatusFailure(status, evidence=sentence.encode())
    assert not is_too_long(error)
    assert refusal_of(error) is None
