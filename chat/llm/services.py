"""Known services: what is the same for everyone who uses one, so that nobody has to look it up.

Base URLs and quirks are those of the services' own references. A service only fills a form in and
says what is worth knowing; what counts is what an admin then saves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from languages.later import later

Kind = Literal["openai", "anthropic"]
# When an answer's reasoning goes back to the model: `chat.models.LanguageModel.ReturnsReasoning`.
ReturnsReasoning = Literal["never", "tool_rounds", "always"]
# How a request names the most tokens of an answer.
MaxTokensKey = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True)
class Service:
    """A service as a value; `notes` are for people.

    `dialect` is what its models begin with: `auto` where it depends on how the server was started.
    `key_page` is where a key is made; a service without one needs none. `usage_in_streams` says
    whether a stream reports its usage when asked to. `lists_models` is False where the endpoint is
    known to name none.
    """

    slug: str
    label: str
    base_url: str
    kind: Kind = "openai"
    needs_key: bool = True
    key_page: str = ""
    dialect: str = "native"
    returns_reasoning: ReturnsReasoning = "never"
    max_tokens_key: MaxTokensKey = "max_tokens"
    usage_in_streams: bool = True
    lists_models: bool = True
    other_base_urls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


OPENAI = Service(
    slug="openai",
    label="OpenAI",
    base_url="https://api.openai.com/v1",
    key_page="https://platform.openai.com/api-keys",
    max_tokens_key="max_completion_tokens",
    notes=(
        later("Reasoning models refuse temperature and top_p; set a reasoning effort for them."),
    ),
)

DEEPSEEK = Service(
    slug="deepseek",
    label="DeepSeek",
    base_url="https://api.deepseek.com/v1",
    key_page="https://platform.deepseek.com/api_keys",
    returns_reasoning="tool_rounds",
    notes=(later("A thinking model wants its reasoning back within a turn that calls tools."),),
)

DASHSCOPE = Service(
    slug="dashscope",
    label="DashScope (Qwen)",
    base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    key_page="https://bailian.console.alibabacloud.com/?apiKey=1",
    other_base_urls=(
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "https://dashscope-us.aliyuncs.com/compatible-mode/v1",
    ),
    notes=(
        later(
            "Keys belong to a region: Singapore is filled in; Beijing and Virginia have "
            "base URLs of "
            "their own."
        ),
        later('Thinking is switched by {"enable_thinking": true} in the extra parameters.'),
    ),
)

ANTHROPIC = Service(
    slug="anthropic",
    label="Anthropic",
    base_url="https://api.anthropic.com",
    kind="anthropic",
    key_page="https://platform.claude.com/settings/keys",
    dialect="auto",
    notes=(
        later(
            "Every request has to name max_tokens; without one of yours, Roundtrip sends its own."
        ),
    ),
)

OPENROUTER = Service(
    slug="openrouter",
    label="OpenRouter",
    base_url="https://openrouter.ai/api/v1",
    key_page="https://openrouter.ai/settings/keys",
    notes=(
        later("Context windows and prices come with the list of models."),
        later(
            "A model is served by whoever has room, so two answers may come from different servers."
        ),
    ),
)

OLLAMA = Service(
    slug="ollama",
    label="Ollama",
    base_url="http://127.0.0.1:11434/v1",
    needs_key=False,
    dialect="auto",
    notes=(
        later(
            "Ollama cuts off what exceeds its own context length, often 4,096 tokens, "
            "without a word. "
            "Start it with OLLAMA_CONTEXT_LENGTH=32768 or more for tools."
        ),
        later("The first call loads the model, which may take a minute."),
    ),
)

VLLM = Service(
    slug="vllm",
    label="vLLM",
    base_url="http://127.0.0.1:8000/v1",
    needs_key=False,
    dialect="auto",
    notes=(
        later(
            "For Qwen3, either let the server parse: start it with --enable-auto-tool-choice "
            "--tool-call-parser hermes --reasoning-parser qwen3, and use the dialect "
            "native. Or start "
            "it without them and use nous: Roundtrip writes the tools into the prompt "
            "and reads the "
            "calls out of the text itself, so the trace shows every character of it."
        ),
        "8000 is also Roundtrip's own port: start one of the two on another.",
    ),
)

LLAMA_CPP = Service(
    slug="llama-cpp",
    label="llama.cpp",
    base_url="http://127.0.0.1:8080/v1",
    needs_key=False,
    dialect="auto",
    notes=(
        later("Tools need the model's own chat template: start llama-server with --jinja."),
        later("The context window is what --ctx-size says, not what the model was trained with."),
    ),
)

CUSTOM = Service(
    slug="",
    label=later("Another server"),
    base_url="",
    needs_key=False,
    dialect="auto",
    notes=(
        later("Anything that serves /chat/completions the way OpenAI does, or the Messages API."),
    ),
)

SERVICES: Mapping[str, Service] = {
    service.slug: service
    for service in (
        OPENAI,
        ANTHROPIC,
        DEEPSEEK,
        DASHSCOPE,
        OPENROUTER,
        OLLAMA,
        VLLM,
        LLAMA_CPP,
        CUSTOM,
    )
}


def service(slug: str) -> Service:
    """The service of this slug; `CUSTOM` for any that is not known (any more)."""
    return SERVICES.get(slug, CUSTOM)
