"""Parses an endpoint's list of models.

Most have `data` with ids, as OpenAI does; Ollama and llama.cpp may have `models`, Together a bare
list. Additional values (context window, prices, capabilities) are used where they have the expected
type, and ignored otherwise: they only fill in a form.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Self

from limits.models import (
    MAX_LISTED_MODELS,
    MAX_LISTED_WINDOW,
    MAX_MODEL_ID,
    MAX_MODEL_LABEL,
    MAX_PRICE,
)

MILLION = Decimal(1_000_000)

ListItem = dict[str, Any]


@dataclass(frozen=True)
class ListedModel:
    """One model of the list. Prices: US dollars for a million tokens, as decimal text. None and the
    empty text: not in the list."""

    id: str
    label: str = ""
    context_window: int | None = None
    price_in: str | None = None
    price_cached: str | None = None
    price_out: str | None = None
    takes_images: bool | None = None
    takes_tools: bool | None = None

    def stored(self) -> dict[str, Any]:
        """The value in `Provider.listed`, without unknown members."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def from_stored(cls, value: Any) -> Self:
        """The model of a stored value; a bare id is accepted."""
        return cls(**value) if isinstance(value, dict) else cls(str(value))


def read(answer: Any) -> list[ListedModel]:
    """The models in an answer of `GET /models`, each id once, by id. Raises ValueError."""
    models = {model.id: model for model in map(_model, _items(answer)) if model}
    return sorted(models.values(), key=lambda model: model.id.lower())[:MAX_LISTED_MODELS]


def _items(answer: Any) -> Iterator[ListItem]:
    rows = answer
    if isinstance(answer, dict):
        rows = next((answer[key] for key in ("data", "models") if _is_list(answer.get(key))), None)
    if not _is_list(rows):
        raise ValueError("no list of models")
    yield from (row if isinstance(row, dict) else {"id": row} for row in rows)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _model(item: ListItem) -> ListedModel | None:
    name = next((item[key] for key in ("id", "model", "name") if _is_text(item.get(key))), "")
    if not name or len(name) > MAX_MODEL_ID:
        return None
    label: Any = item.get("display_name") or item.get("name")
    return ListedModel(
        id=name,
        label=label[:MAX_MODEL_LABEL] if _is_text(label) and label != name else "",
        context_window=_context_window(item),
        takes_images=_takes_images(item),
        takes_tools=_takes_tools(item),
        **_prices(item),
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _context_window(item: ListItem) -> int | None:
    """The window under the names of OpenRouter and Together, vLLM, Groq, Mistral, Anthropic, Gemini
    and LM Studio (of a loaded model), and llama.cpp's below `meta`: in use, or of the training."""
    meta = _object(item.get("meta"))
    figures = (
        *(
            item.get(key)
            for key in (
                "loaded_context_length",
                "n_ctx",
                "context_length",
                "max_model_len",
                "context_window",
                "max_context_length",
                "max_input_tokens",
                "inputTokenLimit",
                "input_token_limit",
            )
        ),
        meta.get("n_ctx"),
        meta.get("n_ctx_train"),
    )
    windows = (figure for figure in figures if type(figure) is int)
    return next((figure for figure in windows if 0 < figure <= MAX_LISTED_WINDOW), None)


def _takes_images(item: ListItem) -> bool | None:
    kinds = _object(item.get("architecture")).get("input_modalities")
    if isinstance(kinds, list):
        return "image" in kinds
    capabilities = _object(item.get("capabilities"))
    for key in ("vision", "image_input"):
        if (flag := _flag(capabilities.get(key))) is not None:
            return flag
    return None


def _takes_tools(item: ListItem) -> bool | None:
    supported = item.get("supported_parameters")
    if isinstance(supported, list):
        return "tools" in supported
    return _flag(_object(item.get("capabilities")).get("function_calling"))


def _flag(value: object) -> bool | None:
    """A capability: `true`, or Anthropic's `{"supported": true}`."""
    value = value.get("supported") if isinstance(value, dict) else value
    return value if isinstance(value, bool) else None


def _prices(item: ListItem) -> dict[str, str | None]:
    """OpenRouter has dollars per token as text, Together dollars per million tokens as numbers."""
    pricing = _object(item.get("pricing"))
    if "prompt" in pricing:
        names = ("prompt", "input_cache_read", "completion")
        prices = [_price(pricing.get(name), MILLION) for name in names]
    else:
        names = ("input", "cached_input", "output")
        prices = [_price(pricing.get(name), Decimal(1)) for name in names]
    return dict(zip(("price_in", "price_cached", "price_out"), prices, strict=True))


def _price(value: object, tokens: Decimal) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        price = Decimal(str(value)) * tokens
    except InvalidOperation:
        return None
    if not price.is_finite() or not 0 <= price <= MAX_PRICE:
        return None
    return f"{round(price, 6).normalize():f}"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
