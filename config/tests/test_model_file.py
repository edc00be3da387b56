import struct
from pathlib import Path

import pytest

from config import model_file
from config.model_file import NotInstalled, UnusableModel

NUMBER, TEXT = 4, 8


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, value: int | str) -> bytes:
    if isinstance(value, str):
        return text(key) + struct.pack("<I", TEXT) + text(value)
    return text(key) + struct.pack("<II", NUMBER, value)


def gguf(path: Path, **entries: int | str) -> Path:
    """A file with nothing but a head; `__` stands for the dots of its keys."""
    content = b"".join(entry(key.replace("__", "."), value) for key, value in entries.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + content)
    return path


@pytest.mark.parametrize("value", ["", "0", " "])
def test_nothing_was_asked_for(value: str) -> None:
    assert model_file.requested({"LOCAL_MODEL": value}) == ""
    assert model_file.requested({}) == ""


@pytest.mark.parametrize(("trained", "context"), [(2048, 2048), (131_072, 8192)])
def test_the_context_is_what_the_model_knows_and_never_much(
    tmp_path: Path, trained: int, context: int
) -> None:
    file = gguf(tmp_path / "m.gguf", general__name="M", llama__context_length=trained)
    assert model_file.find(str(file)).context == context


def test_a_file_that_does_not_tell_its_context_gets_the_most(tmp_path: Path) -> None:
    file = gguf(tmp_path / "m.gguf", general__name="M", tokenizer__ggml__model="gpt2")
    assert model_file.find(str(file)).context == model_file.MAX_LOCAL_CONTEXT


def test_a_model_is_named_after_its_file_whatever_that_is_called(tmp_path: Path) -> None:
    file = gguf(tmp_path / "通义 千问.Q4_K_M.gguf", qwen3__context_length=4096)
    model = model_file.find(str(file))
    assert (model.name, model.path, model.bundled) == ("通义 千问.Q4_K_M", file, False)


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    gguf(tmp_path / "m.gguf", llama__context_length=4096)
    assert model_file.find("~/m.gguf").path == tmp_path / "m.gguf"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no file"),
        (b"", "is not a GGUF file"),
        (b"<!DOCTYPE html>", "is not a GGUF file"),
        (b"GGUF", "Is it whole?"),
        (b"GGUF" + b"\xff" * 40, "Is it whole?"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "Is it whole?"),
    ],
)
def test_what_cannot_be_run_is_said(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    file = tmp_path / "m.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UnusableModel, match=sentence.replace("?", r"\?")) as raised:
        model_file.find(str(file))
    assert str(file) in str(raised.value)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(UnusableModel, match="cannot be read"):
        model_file.find(str(tmp_path))


def test_a_head_cut_anywhere_is_said_and_nothing_worse(tmp_path: Path) -> None:
    whole = gguf(tmp_path / "m.gguf", general__name="M", llama__context_length=1).read_bytes()
    for length in range(len(whole)):
        (tmp_path / "cut.gguf").write_bytes(whole[:length])
        with pytest.raises(UnusableModel):
            model_file.find(str(tmp_path / "cut.gguf"))


def test_the_bundled_model_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "BUNDLE", "no_such_package")
    with pytest.raises(NotInstalled):
        model_file.find("1")
