"""What the readers of the sources find, and what they say is unmarked."""

import pytest

from languages.catalogue import columns, javascript, po, problems, python, shipped, templates
from languages.catalogue.texts import Text


def test_a_template_has_words_sentences_and_plurals() -> None:
    source = (
        "{% translate 'Stop' %}{% blocktranslate with a=b trimmed %}\n  50 % of\n {{ a }}"
        "{% endblocktranslate %}{% blocktranslate count n=x %}{{ n }} file{% plural %}{{ n }} files"
        '{% endblocktranslate %}{{ x|default:_("None") }}'
    )
    assert set(templates.texts(source)) == {
        Text("Stop"),
        Text("50 %% of %(a)s"),
        Text("%(n)s file", many="%(n)s files"),
        Text("None"),
    }


def test_python_has_texts_for_now_for_later_and_for_the_store() -> None:
    source = (
        'gettext("A"); x.ngettext("B", "Bs", n); stored("C %(d)s", d=1); later("E"); gettext(f)'
    )
    assert set(python.texts(source)) == {
        Text("A"),
        Text("B", many="Bs"),
        Text("C %(d)s", context="stored"),
        Text("E"),
    }


def test_a_script_has_texts_that_may_be_joined() -> None:
    source = 'gettext("It\\u0020is " +\n  "\\"it\\""); ngettext("a", "b", 2); x("no")'
    assert Text("b") not in set(javascript.texts(source))
    assert Text("a", many="b") in set(javascript.texts(source))


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello there</p>",
        '<a title="Open it">{{ x }}</a>',
        "<p>{% if a %}Yes{% endif %}</p>",
        '{% include "a.html" with label="Some words" %}',
        "{{ n }} file{{ n|pluralize }}",
        '{{ name|default:"no name here" }}',
        '{{ name|default:"none" }}',
    ],
)
def test_words_without_a_mark_are_found(source: str) -> None:
    assert list(templates.unmarked(source))


@pytest.mark.parametrize(
    "source",
    [
        "<p>{% translate 'Hello' %} · Roundtrip</p>",
        "<code>make run</code> {{ a }} / {{ b }} ms",
        '<p class="some thing" data-state="not yet">{{ text }}</p>',
        '<p data-state="{{ state|default:\'idle\' }}">{% icon name|default:"clock" %}</p>',
        "{% blocktranslate %}Hello <b>there</b>{% endblocktranslate %}",
        "{# A comment in words #}{% comment %}And another{% endcomment %}",
        "<script>const words = 1;</script>",
        "{% block body_class %}chat page{% endblock %}",
    ],
)
def test_names_code_and_marked_words_are_left_alone(source: str) -> None:
    assert list(templates.unmarked(source)) == []


def test_a_po_file_is_read_as_it_was_written(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "x.po"
    entries = {
        Text('A "quoted"\nline \\ %(a)s'): "甲",
        Text("one", many="many"): "多",
        Text("one", context="stored"): "",
    }
    po.write(file, entries)
    assert po.read(file) == entries


def test_a_translation_of_one_form_names_what_the_plural_names() -> None:
    text = Text("Message deleted.", many="%(count)s messages deleted.")
    assert list(problems.in_catalogue({text: "消息已删除。"}))
    assert not list(problems.in_catalogue({text: "已删除 %(count)s 条消息。"}))


@pytest.mark.parametrize(
    "source",
    [
        'node.textContent = "Stop";',
        "node.textContent = `${n} files`;",
        'button.setAttribute("aria-label", "Close the list");',
        'row.append("none");',
        'return "It is missing. Try again.";',
        "list.innerHTML = `<li>No rows</li>`;",
    ],
)
def test_words_of_a_script_without_a_mark_are_found(source: str) -> None:
    assert list(javascript.unmarked(source))


@pytest.mark.parametrize(
    "source",
    [
        'node.textContent = gettext("Stop");',
        'x = interpolate(gettext("One " + "two"), { a: "b" }); // Not this one',
        'form.append("name", name); throw new Error("The tree is broken");',
        'const TAG = /<b>Words here<\\/b>/; node.className = "some thing";',
        "node.textContent = `${used} / ${most} MB`;",
    ],
)
def test_code_and_marked_words_of_a_script_are_left_alone(source: str) -> None:
    assert list(javascript.unmarked(source)) == []


def test_a_model_that_the_admin_shows_has_names() -> None:
    source = (
        'class Base(models.Model):\n    made_by = models.TextField(help_text="Who.")\n'
        "class OddThing(Base):\n    class State(models.TextChoices):\n        NOT_YET = 'n'\n"
        "@admin.register(OddThing)\nclass OddAdmin: pass\n"
    )
    names = {text.one for text in columns.texts([source])}
    assert names == {"odd thing", "odd things", "ID", "Not Yet", "made by", "Who."}


def test_a_tool_and_a_skill_are_read_from_where_they_are_described() -> None:
    source = 'def walk(far):\n    """Go\n    on.\n\n    Args:\n        far: How far.\n    """\n'
    assert {text.one for text in shipped.of_tools(source)} == {"Go on.", "How far."}
    skill = "---\nname: x\ndescription: What it is for.\n---\ndescription: not this\n"
    assert [text.one for text in shipped.of_skill(skill)] == ["What it is for."]
