"""The table: a line for each hostile input.

Budgets are about four times what was measured on a busy machine of two cores. A new line needs a
kind, a name, the function that first touches the input, and what that is called with.
"""

import io
import json
import zlib
from datetime import UTC, datetime
from itertools import repeat

from tests.budgets.cases import Case
from tests.budgets.drivers import tool
from tests.budgets.fences import FENCES
from tests.budgets.inputs import (
    BIDI,
    PATTERN,
    PROOF,
    ZALGO,
    archive,
    call_chunk,
    chunk,
    deep_schema,
    form,
    jpeg_segments,
    lines,
    message,
    names_twice,
    nested,
    objects,
    overlapping_archive,
    png,
    references,
    refused,
    text,
    wide_table,
)  # fmt: skip

FORM = "tools.questions.question_forms:check"
FIELDS = "tools.questions.question_forms:fields"
CHECK = "tools.definitions.schema_validation:problem"
OFFERED = "tools.definitions.offered_schemas:offered"
ARGUMENTS = "tools.calls.arguments:parse_arguments"
REGEX = "tools.definitions.patterns:matches"
MARKDOWN = "chat.markdown:render"
BLOCKS = "tests.budgets.drivers:blocks"
PREVIEW = "tests.budgets.drivers:preview"
FRAME = "chat.live.consumer:_parse"
JSON = "chat.llm.json_text:parse_json"
SERVERS = "tools.servers.interchange:parse"
ASSISTANT = "chat.presets.interchange:imported"
VARIABLES = "chat.prompts.variables:variables_of"
MASKED = "tests.budgets.drivers:masked"
CASSETTE = "chat.cassettes.reading:read"
PAYLOAD = "tracing.store.elements:cut"
TREE = "tracing.formatting.json_tree:tree"
LINES = "tracing.formatting.json_text:with_lines"
PRETTY = "tracing.formatting.json_text:pretty"
SKILL = "tests.budgets.drivers:skill"
ZIP = "chat.skills.archives:from_zip"
SNIFF = "chat.attachments.sniffing:sniff"
RESPONSE = "tests.budgets.drivers:response"
REPLY = "tests.budgets.drivers:read_response"
ARRIVING = "tests.budgets.drivers:read_pieces"
SERVER = "tests.budgets.drivers:server_lines"
RESULT = "tools.results.blocks:shown"
INLINE = "tracing.diff.text_diff:diff_texts"
LISTS = "tracing.diff.list_diff:diff_lists"
QUERY = "tracing.search.query:parse"
FILTER = "tests.budgets.drivers:trace_filter"
CALCULATE = "tools.local.calculate:calculate"
TOO_LONG = "chat.llm.length_refusal:refusal_of"
ARGUMENTS_SHOWN = "chat.presentation.calls:_indented"

# fmt: off
CASES: list[Case] = [
    # What an MCP server asks a person, and the answer.
    Case("form", "a nested pattern", FORM, lambda: (form(**{"not": {"pattern": PATTERN}}), {"a": PROOF})),
    Case("form", "a pattern in a choice", FORM, lambda: (form(anyOf=[{"pattern": PATTERN}]), {"a": PROOF})),
    Case("form", "a pattern of items", FORM, lambda: (form(type="array", items={"pattern": PATTERN}), {"a": [PROOF]})),
    Case("form", "a pattern of names", FORM, lambda: (form(patternProperties={PATTERN: {}}), {"a": {PROOF: 1}})),
    Case("form", "references", FORM, lambda: (form(**references()), {"a": "x"})),
    Case("form", "unique items", FORM, lambda: (form(type="array", uniqueItems=True), {"a": objects(5_000)})),
    Case("form", "deep", FORM, lambda: (form(**deep_schema(900)), {"a": "x"})),
    Case("form", "500 items of 500 choices", FORM, lambda: (form(type="array", items={"enum": objects(500)}), {"a": [0] * 500}), cpu_s=1),
    Case("form", "many items of many choices", FORM, lambda: (form(type="array", items={"enum": objects(5_000)}), {"a": objects(5_000)})),
    Case("form", "a long choice", FORM, lambda: (form(enum=objects(100_000)), {"a": "x"})),
    Case("form", "many fields in the answer", FORM, lambda: (form(type="string"), {str(n): "x" for n in range(100_000)})),
    Case("form", "an e-mail of signs", FORM, lambda: (form(type="string", format="email"), {"a": "@" * 20_000})),
    Case("form", "a date of digits", FORM, lambda: (form(type="string", format="date-time"), {"a": "9" * 20_000})),
    Case("form", "a URL of brackets", FORM, lambda: (form(type="string", format="uri"), {"a": "http://" + "[" * 19_000})),
    Case("form", "a huge number", FORM, lambda: (form(type="integer", maximum=10**4_000), {"a": 10**4_200})),
    Case("form", "a huge bound of lengths", FORM, lambda: (form(minLength=10**300), {"a": "x"})),
    Case("form", "100,000 fields", FIELDS, lambda: ({"properties": {str(n): {"enum": ["a"]} for n in range(100_000)}},)),
    Case("form", "100,000 choices", FIELDS, lambda: (form(enum=[str(n) for n in range(100_000)], default=["x"] * 10_000),)),
    Case("form", "secrets in 100,000 fields", "tools.questions.form_secrets:secret_fields", lambda: ({"properties": {f"key{n}": {} for n in range(100_000)}}, "password " * 10_000)),
    # What servers say of the arguments of tools.
    Case("schema", "a pattern", CHECK, lambda: ({"properties": {"a": {"pattern": PATTERN}}}, {"a": PROOF}), cpu_s=3),
    Case("schema", "references", CHECK, lambda: (references(), {"a": 1}), cpu_s=3),
    Case("schema", "deep", CHECK, lambda: (deep_schema(5_000), "x"), cpu_s=1),
    Case("schema", "many items of a choice", CHECK, lambda: ({"items": {"enum": objects(500)}}, objects(1_000)), cpu_s=2),
    Case("schema", "unique items", CHECK, lambda: ({"uniqueItems": True}, objects(5_000)), cpu_s=1),
    Case("schema", "unique items that are deep", CHECK, lambda: ({"uniqueItems": True}, [json.loads(nested(900))] * 200), cpu_s=1),
    Case("schema", "a huge repeat", CHECK, lambda: ({"pattern": "(a{1000}){1000}"}, "a" * 1_000), cpu_s=3),
    Case("schema", "offered: references", OFFERED, lambda: (references(),), cpu_s=3),
    Case("schema", "offered: a circle", OFFERED, lambda: ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},)),
    Case("schema", "offered: deep", OFFERED, lambda: (deep_schema(900, "not"),), cpu_s=1),
    Case("schema", "offered: many faults", OFFERED, lambda: ({"properties": {str(n): {"type": "nonsense"} for n in range(1_000)}},), cpu_s=4),
    Case("schema", "offered: many patterns", OFFERED, lambda: ({"properties": {str(n): {"pattern": "(" + "a?" * 20} for n in range(2_000)}},), cpu_s=4.5),
    # What a model writes as arguments.
    Case("arguments", "deep", ARGUMENTS, lambda: (tool({}), '{"a":' + nested(100_000) + "}")),
    Case("arguments", "wide", ARGUMENTS, lambda: (tool({"properties": {}}), json.dumps({str(n): n for n in range(50_000)})), cpu_s=1),
    Case("arguments", "a huge number", ARGUMENTS, lambda: (tool({}), '{"a":' + "9" * 1_000_000 + "}")),
    Case("arguments", "a huge exponent", ARGUMENTS, lambda: (tool({"properties": {"a": {"multipleOf": 0.1}}}), '{"a":1e999999999}')),
    Case("arguments", "marks", ARGUMENTS, lambda: (tool({}), json.dumps({"a": ZALGO}, ensure_ascii=False))),
    Case("arguments", "to be indented far", ARGUMENTS_SHOWN, lambda: (nested(150, inside="[]," * 100_000 + "0"),), cpu_s=1),
    Case("arguments", "to be indented as deep as can be", ARGUMENTS_SHOWN, lambda: (nested(960),)),
    # Regular expressions of servers.
    Case("regex", "a loop in a loop", REGEX, lambda: (PATTERN, PROOF, 0.5), cpu_s=1),
    Case("regex", "many loops", REGEX, lambda: ("a*" * 12 + "b", "a" * 60, 0.5), cpu_s=1),
    Case("regex", "a long repeat in a long text", REGEX, lambda: ("[ab]{5000}c", "ab" * 500_000, 0.5), cpu_s=1),
    Case("regex", "many classes in a long text", REGEX, lambda: ("[ab]" * 240 + "c", "ab" * 250_000, 0.5), cpu_s=1),
    Case("regex", "alternatives in a long text", REGEX, lambda: ("|".join(f"{n:03}" for n in range(240)), "a" * 500_000, 0.5), cpu_s=1.5),
    Case("regex", "a huge repeat", REGEX, lambda: ("a{4294967294}", "a", 0.5)),
    Case("regex", "a repeat of repeats", REGEX, lambda: ("((a{100}){100}){100}", "a", 0.5), cpu_s=1),
    Case("regex", "many brackets", REGEX, lambda: (nested(450, "(", ")"), "a", 0.5)),
    # Texts that are shown as Markdown.
    Case("table", "rows that leave out most cells", MARKDOWN, lambda: (wide_table(181, 362),)),
    Case("table", "many wide tables", MARKDOWN, lambda: ((wide_table(181, 4) + "\n\n") * 60,)),
    Case("table", "one row of 10,000 cells", MARKDOWN, lambda: (wide_table(10_000, 1),), cpu_s=1),
    Case("table", "10,000 pipes in cells", MARKDOWN, lambda: ("a|b\n-|-\n" + "`|" * 10_000,)),
    Case("table", "delimiters without a table", MARKDOWN, lambda: ("|-" * 10_000 + "\n" + "|" * 10_000,)),
    Case("table", "heads without end", MARKDOWN, lambda: ("a|b\n" * 5_000,), cpu_s=1.5),
    Case("markdown", "quotes in quotes", MARKDOWN, lambda: (">" * 10_000 + "a",)),
    Case("markdown", "lines of quotes in quotes", MARKDOWN, lambda: (">" * 100 + "a\n" + (">" * 100 + "b\n") * 100,), cpu_s=1.5),
    Case("markdown", "lists in lists", MARKDOWN, lambda: ("- " * 5_000,), cpu_s=1),
    Case("markdown", "lists ever deeper", MARKDOWN, lambda: ("".join("  " * depth + "- a\n" for depth in range(150)),), cpu_s=1.5),
    Case("markdown", "numbers in numbers", MARKDOWN, lambda: ("1. " * 5_000,), cpu_s=1),
    Case("markdown", "items without text", MARKDOWN, lambda: ("*\n" * 10_000,), cpu_s=3),
    Case("markdown", "emphasis that opens", MARKDOWN, lambda: ("*a " * 10_000,), cpu_s=1.5),
    Case("markdown", "emphasis that closes", MARKDOWN, lambda: ("a* " * 10_000,), cpu_s=1.5),
    Case("markdown", "emphasis of both signs", MARKDOWN, lambda: ("*_" * 10_000 + "a",), cpu_s=1.5),
    Case("markdown", "emphasis in emphasis", MARKDOWN, lambda: ("**a *b " * 2_000 + "c* d** " * 2_000,), cpu_s=1.5),
    Case("markdown", "crossed out", MARKDOWN, lambda: ("~~a" * 10_000,), cpu_s=1.5),
    Case("markdown", "brackets that open", MARKDOWN, lambda: ("[" * 20_000,), cpu_s=1),
    Case("markdown", "brackets in brackets", MARKDOWN, lambda: (nested(10_000),), cpu_s=1.5),
    Case("markdown", "images in images", MARKDOWN, lambda: ("![" * 10_000 + "a" + "](b)" * 10_000,), cpu_s=2),
    Case("markdown", "links that do not end", MARKDOWN, lambda: ("[a](" * 5_000,), cpu_s=1.5),
    Case("markdown", "links with titles that do not end", MARKDOWN, lambda: ('[a](b "' * 5_000,), cpu_s=1.5),
    Case("markdown", "links in angles that do not end", MARKDOWN, lambda: ("[a](<b" * 5_000,), cpu_s=1.5),
    Case("markdown", "references", MARKDOWN, lambda: ("[a]: x\n" * 3_000 + "[a]" * 3_000,), cpu_s=1.5),
    Case("markdown", "a reference that does not end", MARKDOWN, lambda: ("[a]: <" + "x\n" * 10_000,), cpu_s=1.5),
    Case("markdown", "backticks ever more", MARKDOWN, lambda: (" ".join("`" * n for n in range(1, 250)),), cpu_s=1),
    Case("markdown", "backticks that do not close", MARKDOWN, lambda: ("`a``" * 8_000,), cpu_s=1.5),
    Case("markdown", "angles", MARKDOWN, lambda: ("<" * 20_000,), cpu_s=1),
    Case("markdown", "tags that do not end", MARKDOWN, lambda: ("<a b='" * 5_000,), cpu_s=1.5),
    Case("markdown", "comments that do not end", MARKDOWN, lambda: ("a <!-- " * 5_000,), cpu_s=1.5),
    Case("markdown", "entities", MARKDOWN, lambda: ("&" * 20_000 + "&#1;" * 2_000,), cpu_s=1.5),
    Case("markdown", "addresses", MARKDOWN, lambda: ("http://a." * 3_000,), cpu_s=1.5),
    Case("markdown", "e-mails", MARKDOWN, lambda: ("a@" * 10_000,), cpu_s=1.5),
    Case("markdown", "backslashes", MARKDOWN, lambda: ("\\" * 20_000,), cpu_s=1),
    Case("markdown", "formulas that do not end", MARKDOWN, lambda: ("$a " * 10_000 + r"\(" * 5_000,), cpu_s=1.5),
    Case("markdown", "formulas of lines", MARKDOWN, lambda: ("$$\n" * 10_001,), cpu_s=1.5),
    Case("markdown", "formulas that open on lines", MARKDOWN, lambda: ("\\[\n" * 10_000,), cpu_s=1.5),
    Case("markdown", "formulas that nearly close", MARKDOWN, lambda: ("\\[\n\\] a\n" * 5_000,), cpu_s=3),
    Case("markdown", "formulas that open in items", MARKDOWN, lambda: ("- \\[\n" * 2_000 + "\\]",), cpu_s=3),
    Case("markdown", "formulas that open on long lines", MARKDOWN, lambda: (("\\[" + "a" * 300 + "\n") * 500,), cpu_s=1.5),
    Case("markdown", "5,000 formulas", MARKDOWN, lambda: ("$a$ " * 5_000,), cpu_s=3),
    Case("markdown", "a formula of braces", MARKDOWN, lambda: ("$$" + "{" * 1_900 + "}" * 1_900 + "$$",), cpu_s=1),
    Case("markdown", "a formula of fractions", MARKDOWN, lambda: ("$$" + "\\frac{" * 500 + "}{}" * 500 + "$$",), cpu_s=1),
    Case("markdown", "a formula of cells", MARKDOWN, lambda: (r"$$\begin{matrix}" + "&" * 3_800 + r"\end{matrix}$$",), cpu_s=1),
    Case("markdown", "addresses without brackets", MARKDOWN, lambda: ("http://a" * 5_000,), cpu_s=1.5),
    Case("markdown", "schemes without an address", MARKDOWN, lambda: ("http:" * 20_000,), cpu_s=1.5),
    Case("markdown", "an address of brackets", MARKDOWN, lambda: ("http://a" + "()" * 500 + ")" * 5_000,), cpu_s=1.5),
    Case("markdown", "notes", MARKDOWN, lambda: ("[^1]: a\n" * 5_000,), cpu_s=3),
    Case("markdown", "references to notes", MARKDOWN, lambda: ("[^1]" * 10_000,), cpu_s=1.5),
    Case("markdown", "callouts in callouts", MARKDOWN, lambda: ("".join("> " * depth + "[!NOTE]\n" for depth in range(1, 90)),), cpu_s=1.5),
    Case("markdown", "tasks", MARKDOWN, lambda: ("- [ ] a\n" * 5_000,), cpu_s=3),
    Case("markdown", "images of other hosts", MARKDOWN, lambda: ("![a](http://b) " * 3_000,), cpu_s=2),
    Case("markdown", "spaces", MARKDOWN, lambda: ("a" + " " * 100_000 + "b",)),
    Case("markdown", "tabs", MARKDOWN, lambda: ("\t" * 50_000 + "a",)),
    Case("markdown", "empty lines", MARKDOWN, lambda: ("\n" * 100_000,)),
    Case("markdown", "rulers", MARKDOWN, lambda: ("- " * 10_000 + "x",), cpu_s=1.5),
    Case("markdown", "lines under heads", MARKDOWN, lambda: ("a\n" + "=" * 20_000 + "x\n" * 2_000,), cpu_s=1),
    Case("markdown", "fences ever longer", MARKDOWN, lambda: ("\n".join("`" * n for n in range(3, 250)),), cpu_s=1),
    Case("markdown", "1 MB of marks", MARKDOWN, lambda: (ZALGO,), cpu_s=2),
    Case("markdown", "signs of direction", MARKDOWN, lambda: (BIDI,), cpu_s=2),
    Case("markdown", "letters one by one", BLOCKS, lambda: (text(100_000),), cpu_s=3),
    Case("markdown", "a line one letter at a time", BLOCKS, lambda: (repeat("a", 300_000),), cpu_s=1),
    Case("markdown", "a fence that does not end", BLOCKS, lambda: (["```make\n", *repeat("a" * 100, 300)],), cpu_s=2.5),
    # Files in a workspace.
    Case("preview", "10 KB of Markdown", PREVIEW, lambda: ("a.md", b"```make\n" + b"a" * 10_000), cpu_s=2),
    Case("preview", "a Makefile of 30 KB", PREVIEW, lambda: ("Makefile", b"a" * 30_000), cpu_s=2.5),
    Case("preview", "brackets as Markdown", PREVIEW, lambda: ("a.md", b"[" * 90_000), cpu_s=3),
    Case("preview", "a table of commas", PREVIEW, lambda: ("a.csv", b"," * 400_000), cpu_s=1),
    Case("preview", "a table of quotes", PREVIEW, lambda: ("a.csv", b'"' * 399_999), cpu_s=1),
    Case("preview", "a table of empty lines", PREVIEW, lambda: ("a.csv", b"a,b\n" + b"\n" * 399_000), cpu_s=1),
    Case("preview", "deep JSON", PREVIEW, lambda: ("a.json", nested(50_000).encode()), cpu_s=2.5),
    Case("preview", "JSON of many lists", PREVIEW, lambda: ("a.json", b"[" + b"[]," * 30_000 + b"0]"), cpu_s=2.5),
    Case("preview", "half characters", PREVIEW, lambda: ("a.txt", b"\x81" * 399_999), cpu_s=1),
    Case("preview", "a name of stars", PREVIEW, lambda: ("*" * 250 + ".c", b"x"), cpu_s=1),
    # JSON that goes deep, or wide.
    Case("JSON", "a frame of a socket", FRAME, lambda: ('{"type":' + nested(100_000) + "}",)),
    Case("JSON", "a frame of objects", FRAME, lambda: (nested(50_000, '{"a":', "}", "0"),)),
    Case("JSON", "a frame of many lists", FRAME, lambda: ('{"a":[' + "[]," * 100_000 + "0]}",)),
    Case("JSON", "a model's text", JSON, lambda: (nested(100_000),), refused_by=(ValueError,)),
    Case("JSON", "a model's number", JSON, lambda: ("9" * 1_000_000,), refused_by=(ValueError,)),
    Case("JSON", "members that are read twice", "chat.llm.json_text:read_members", lambda: ('{"a":' + nested(900) + ',"b":' + "9" * 500_000 + "}",), refused_by=(ValueError,)),
    Case("JSON", "servers that go deep", SERVERS, lambda: ('{"mcpServers":' + nested(100_000) + "}",)),
    Case("JSON", "servers within servers", SERVERS, lambda: (nested(20_000, '{"mcp":', "}", "0"),)),
    Case("JSON", "servers in lists", SERVERS, lambda: ("[" + '{"mcp":[' * 900 + "]}" * 900 + "]",), cpu_s=1),
    Case("JSON", "a name that is there twice", SERVERS, lambda: (names_twice(70_000),), cpu_s=1),
    Case("JSON", "comments that do not end", SERVERS, lambda: ("/*" * 400_000,), cpu_s=1),
    Case("JSON", "quotes that do not end", SERVERS, lambda: ('"\n' * 400_000,), cpu_s=3),
    Case("JSON", "commas at ends", SERVERS, lambda: ("[" + ", " * 400_000 + "]",), cpu_s=2),
    Case("JSON", "fences", SERVERS, lambda: ("```\n{\n```\n" * 90_000,), cpu_s=2),
    Case("JSON", "backticks", SERVERS, lambda: ("`" * 900_000,), cpu_s=1),
    Case("JSON", "spaces in lines", SERVERS, lambda: (" " * 900_000 + "x",), cpu_s=1),
    Case("JSON", "placeholders", SERVERS, lambda: (json.dumps({"mcpServers": {"a": {"command": "${" * 300_000}}}),), cpu_s=1),
    Case("JSON", "servers of one name", SERVERS, lambda: (json.dumps({"mcpServers": {f"{' ' * n}a": {"command": "x"} for n in range(100)}}),)),
    Case("JSON", "an assistant that goes deep", ASSISTANT, lambda: ('{"roundtrip":' + nested(100_000) + "}", None)),
    Case("JSON", "an assistant of a huge number", ASSISTANT, lambda: ('{"roundtrip":' + "9" * 900_000 + "}", None)),
    Case("JSON", "a cassette of millions of lists", CASSETTE, lambda: (b"[" + b"[]," * 10_000_000 + b"0]",), memory_mb=150),
    Case("JSON", "a cassette that goes deep", CASSETTE, lambda: (nested(1_000_000).encode(),)),
    Case("JSON", "a cassette of a huge number", CASSETTE, lambda: (b"9" * 10_000_000,), cpu_s=1),
    Case("JSON", "a payload that goes deep", PAYLOAD, lambda: (b'{"messages":[' + nested(100_000).encode() + b"]}",), cpu_s=1),
    Case("JSON", "a payload of many messages", PAYLOAD, lambda: (b'{"messages":[' + b"{}," * 100_000 + b"{}]}",), cpu_s=2, memory_mb=200),
    Case("JSON", "a payload of spaces", PAYLOAD, lambda: (b"{" + b" " * 5_000_000 + b"}",)),
    Case("JSON", "a tree that goes deep", TREE, lambda: (nested(100_000),)),
    Case("JSON", "a tree of many lists", TREE, lambda: ("[" + "[]," * 500_000 + "0]",)),
    Case("JSON", "a tree of a text that does not end", TREE, lambda: ('"' + '\\"' * 500_000,)),
    Case("JSON", "lines that go deep", LINES, lambda: (nested(100_000, inside='"\\n"'),)),
    Case("JSON", "lines of breaks", LINES, lambda: ('["' + "\\n" * 200_000 + '"]',), cpu_s=1),
    Case("JSON", "a text laid out that goes deep", PRETTY, lambda: (nested(30_000),), cpu_s=2),
    # Front matter of skills.
    Case("YAML", "deep lists", SKILL, lambda: ("---\na: " + nested(15_000) + "\n---\n",)),
    Case("YAML", "deep lists that are short enough", SKILL, lambda: ("---\na: " + nested(190) + "\n---\n",), cpu_s=1),
    Case("YAML", "deep items", SKILL, lambda: ("---\n" + "- " * 9_000 + "\n---\n",)),
    Case("YAML", "deep lines", SKILL, lambda: ("---\n" + "".join(f"{' ' * n}a:\n" for n in range(190)) + "\n---\n",), cpu_s=1.5),
    Case("YAML", "deep keys", SKILL, lambda: ("---\n" + "".join(f"{' ' * n}?\n" for n in range(190)) + "\n---\n",), cpu_s=1.5),
    Case("YAML", "anchors of anchors", SKILL, lambda: ("---\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 20)}]\n" if n else "a0: &a0 x\n" for n in range(100)) + "---\n",), cpu_s=3),
    Case("YAML", "many keys", SKILL, lambda: ("---\n" + "".join(f"{n}: \n" for n in range(2_500)) + "---\n",), cpu_s=3),
    Case("YAML", "a text that does not end", SKILL, lambda: ("---\na: '" + "''" * 9_000 + "\n---\n",), cpu_s=1.5),
    Case("YAML", "signs of direction", SKILL, lambda: ("---\nname: " + BIDI[:19_000] + "\n---\n",), cpu_s=1),
    Case("YAML", "a head without end", SKILL, lambda: ("---\n" + "a: b\n" * 99_000,), cpu_s=1),
    # Archives.
    Case("zip", "a bomb", ZIP, lambda: (archive(1, b"\0" * 100_000_000), 10_000_000), cpu_s=1),
    Case("zip", "10,000 entries", ZIP, lambda: (archive(10_000), 10_000_000), cpu_s=1),
    Case("zip", "entries over each other", ZIP, lambda: (overlapping_archive(4_000, 1_000_000), 10_000_000), cpu_s=2),
    Case("zip", "4,000 folders", ZIP, lambda: (archive(4_000, name="s/{}/"), 10_000_000), cpu_s=1.5),
    Case("zip", "a deep path", ZIP, lambda: (archive(1, name="s/" + "a/" * 30_000 + "{}"), 10_000_000), cpu_s=1),
    Case("zip", "one name 400 times", ZIP, lambda: (archive(400, name="s/a"), 10_000_000), cpu_s=1),
    Case("zip", "marks of ends", ZIP, lambda: (io.BytesIO(b"PK\5\6" * 2_000_000), 10_000_000)),
    Case("zip", "an archive that is cut off", ZIP, lambda: (io.BytesIO(archive(400, b"x" * 1_000).getvalue()[:-30]), 10_000_000)),
    # Headers of images, and files that are attached.
    Case("image", "a huge PNG", SNIFF, lambda: (png(2**31, 2**31),)),
    Case("image", "a PNG that is cut off", SNIFF, lambda: (png(1, 1)[:18],)),
    Case("image", "a JPEG of segments", SNIFF, lambda: (jpeg_segments(2_000_000),)),
    Case("image", "a JPEG of fill bytes", SNIFF, lambda: (b"\xff\xd8" + b"\xff" * 10_000_000,)),
    Case("image", "a JPEG that is cut off", SNIFF, lambda: (b"\xff\xd8\xff\xc0",)),
    Case("image", "a huge GIF", SNIFF, lambda: (b"GIF89a\xff\xff\xff\xff",)),
    Case("image", "a GIF that is cut off", SNIFF, lambda: (b"GIF89a\xff",)),
    Case("image", "a huge WebP", SNIFF, lambda: (b"RIFF\0\0\0\0WEBPVP8X" + b"\xff" * 14,)),
    Case("image", "a WebP that is cut off", SNIFF, lambda: (b"RIFF\0\0\0\0WEBPVP8L",)),
    Case("image", "a text of marks", SNIFF, lambda: (ZALGO.encode()[:1_000_000],)),
    Case("image", "UTF-32 of nothing", SNIFF, lambda: (b"\xff\xfe\0\0" + b"\xff" * 1_000_000,)),
    Case("image", "base64 of spaces", "tools.results.content:described", lambda: ([{"type": "image", "data": "A " * 4_000_000}],), cpu_s=2, memory_mb=300),
    # Odd Unicode as names and words.
    Case("Unicode", "a user's name", "config.accounts.names:_skeletons", lambda: (ZALGO[:150],)),
    Case("Unicode", "a file's name", "chat.files.names:clean", lambda: (ZALGO,)),
    Case("Unicode", "a file's name of directions", "chat.files.names:clean", lambda: (BIDI,)),
    Case("Unicode", "a tool's name", "tools.definitions.names:candidates", lambda: ("server", ZALGO[:300])),
    Case("Unicode", "words to find tools by", "tools.definitions.relevance:words", lambda: (ZALGO,)),
    Case("Unicode", "humps", "tools.definitions.relevance:words", lambda: ("aB" * 500_000,)),
    Case("Unicode", "a URL's host", "tools.guard:problem", lambda: ("http://" + "中" * 100_000 + "/",), cpu_s=1),
    Case("Unicode", "a URL of marks", "tools.guard:problem", lambda: ("http://" + ZALGO[:60_000] + "/",), cpu_s=1),
    Case("Unicode", "a URL of numbers", "tools.guard:problem", lambda: ("http://" + "0x1." * 15_000,), cpu_s=1),
    Case("Unicode", "an import's names", "tools.servers.interchange:slug", lambda: ("-" * 500_000 + "x", set())),
    Case("Unicode", "what is visible of a text", "tracing.formatting.text:visible", lambda: (BIDI + ZALGO,), cpu_s=1),
    # Prompts of people.
    Case("shared text", "a million beginnings of a key", MASKED, lambda: ("eyJ-sk-" * 150_000,), cpu_s=1.5),
    Case("shared text", "beginnings of addresses with passwords", MASKED, lambda: ("://a:" * 200_000,), cpu_s=1.5),
    Case("shared text", "names of secrets without values", MASKED, lambda: ("token " * 160_000,), cpu_s=1.5),
    Case("shared text", "private keys without an end", MASKED, lambda: ("-----BEGIN PRIVATE KEY-----\n" * 35_000,), cpu_s=1.5),
    Case("prompt", "braces alone", VARIABLES, lambda: ("{{" * 50_000,)),
    Case("prompt", "spaces without an end", VARIABLES, lambda: ("{{" + " " * 100_000,)),
    Case("prompt", "20,000 variables", VARIABLES, lambda: ("".join(f"{{{{{number}}}}}" for number in range(20_000)),)),
    # Streams of a hostile model, and what the trace reads from them.
    Case("stream", "a line without end", RESPONSE, lambda: ([b"data: " + b"a" * 100, *repeat(b"a" * 1_000, 8_000)],), cpu_s=1),
    Case("stream", "one byte at a time", RESPONSE, lambda: ([bytes([one]) for one in chunk(content="a") * 1_500],), cpu_s=2),
    Case("stream", "50,000 deltas", RESPONSE, lambda: (repeat(chunk(content="a"), 50_000),), cpu_s=4),
    Case("stream", "returns alone", RESPONSE, lambda: (repeat(b"data: 1\r" * 1_000, 300),), cpu_s=2),
    Case("stream", "comments", RESPONSE, lambda: (repeat(b": a\n" * 1_000, 300),), cpu_s=2),
    Case("stream", "deep JSON", RESPONSE, lambda: ([b"data: " + nested(1_000_000).encode() + b"\n\n"],)),
    Case("stream", "deep arguments", RESPONSE, lambda: ([call_chunk(nested(100_000, '{\"a\":', "}"))],)),
    Case("stream", "arguments in pieces", RESPONSE, lambda: (repeat(call_chunk('{"a":'), 20_000),), cpu_s=4),
    Case("stream", "thousands of calls", RESPONSE, lambda: ([chunk(tool_calls=[{"index": n, "id": str(n), "function": {"name": "f"}}]) for n in range(5_000)],), cpu_s=2),
    Case("stream", "tags of calls", RESPONSE, lambda: (repeat(chunk(content="<tool_call>{"), 5_000), "nous"), cpu_s=4),
    Case("stream", "beginnings of tags", RESPONSE, lambda: (repeat(chunk(content="<tool_" * 20), 3_000), "nous"), cpu_s=4),
    Case("stream", "braces in a call", RESPONSE, lambda: ([chunk(content="<tool_call>"), *repeat(chunk(content='{"' * 50), 1_000)], "nous"), cpu_s=4),
    Case("stream", "marks of functions", RESPONSE, lambda: (repeat(chunk(content="✿FUNCTION✿: a\n✿ARGS✿: {"), 3_000), "functions"), cpu_s=4),
    Case("stream", "what is in the trace", REPLY, lambda: (chunk(content="a") * 20_000,), cpu_s=3),
    Case("stream", "calls in the trace", REPLY, lambda: (call_chunk('{"a":') * 10_000,), cpu_s=3),
    Case("stream", "lines in the trace", REPLY, lambda: (b"\n" * 1_000_000,), cpu_s=2),
    Case("stream", "what arrived", ARRIVING, lambda: (chunk(content="a") * 20_000,), cpu_s=4),
    Case("stream", "a bomb of zlib", "tracing.store.encodings:decode_content", lambda: (zlib.compress(b"\0" * 200_000_000), [("content-encoding", "gzip")], 1_000_000)),
    Case("stream", "an error of digits", "chat.llm.length_refusal:is_too_long", lambda: (refused(b"9" * 1_000_000),)),
    Case("stream", "an error of a huge number", TOO_LONG, lambda: (refused(b"maximum context length is " + b"9" * 1_900),)),
    Case("stream", "an error of commas", TOO_LONG, lambda: (refused(b"maximum context length is 1" + b"," * 1_900),)),
    Case("stream", "an error in many words", "tests.budgets.drivers:provider_error", lambda: (json.dumps({"error": {"message": "maximum context length is " + "9" * 500_000}}).encode(),)),
    Case("stream", "an error of many digits", "tests.budgets.drivers:provider_error", lambda: (json.dumps({"error": {"message": "reduce the length" + "9" * 500_000}}).encode(),), cpu_s=2),
    Case("stream", "a wait without end", "chat.llm.failures:retry_after", lambda: ({"retry-after": "9" * 100_000}, datetime.now(UTC))),
    # What an MCP server writes.
    Case("server", "a deep answer", SERVER, lambda: ([message(result=0).replace(b"0}", nested(1_000_000).encode() + b"}") + b"\n"],), cpu_s=1.5),
    Case("server", "a wide answer", SERVER, lambda: ([message(result={"content": [{"type": "text", "text": ""}] * 20_000}) + b"\n"],), cpu_s=1.5),
    Case("server", "a batch", SERVER, lambda: ([b"[" + b"[]," * 300_000 + b"0]\n"],), cpu_s=2, memory_mb=300),
    Case("server", "half characters", SERVER, lambda: ([b'{"a":"' + b"\\ud800" * 500_000 + b'"}\n'],), cpu_s=2),
    Case("server", "NaN", SERVER, lambda: ([b'{"a":[' + b"NaN," * 100_000 + b"0]}\n"],), memory_mb=250),
    Case("server", "a text that does not end", SERVER, lambda: ([b'{"NaN":"' + b'\\"' * 500_000 + b"\n"],), cpu_s=2),
    Case("server", "a line without end", SERVER, lambda: (repeat(b"a" * 1_000, 20_000),), cpu_s=1),
    Case("server", "empty lines", SERVER, lambda: ([b"\n" * 1_000_000],), cpu_s=2, memory_mb=200),
    Case("server", "half an id", SERVER, lambda: ([b'{"id":' + b" " * 8_000_000 + b"\n"],), cpu_s=1),
    Case("server", "a result that goes deep", RESULT, lambda: ({"content": [{"type": "text", "text": nested(900)}], "structured": json.loads(nested(900))},), cpu_s=1),
    Case("server", "a result to be indented far", RESULT, lambda: ({"structured": json.loads(nested(150, inside="[]," * 100_000 + "0"))},), cpu_s=1),
    Case("server", "a result of many texts", RESULT, lambda: ({"content": [{"type": "text", "text": "[]"}] * 5_000, "structured": {"a": [[]] * 5_000}},), cpu_s=1),
    Case("server", "a table of many columns", RESULT, lambda: ({"structured": [{str(n): 1 for n in range(2_000)}] * 200},), cpu_s=2),
    # What is searched for, filtered by and compared.
    Case("search", "quotes", QUERY, lambda: ('"' * 1_000_000,), cpu_s=3),
    Case("search", "marks", QUERY, lambda: (ZALGO,), cpu_s=1),
    Case("search", "Chinese", QUERY, lambda: ("中" * 1_000_000,)),
    Case("search", "Korean of parts", QUERY, lambda: ("각" * 500_000 + "ﷺ" * 100_000,)),
    Case("search", "a filter of many fields", FILTER, lambda: ("&".join(f"q{n}={n}" for n in range(900)),)),
    Case("search", "a filter of digits", FILTER, lambda: ("cost=" + "9" * 500_000 + "&start=" + "9" * 500_000,)),
    Case("search", "a filter of marks", FILTER, lambda: ("q=" + ZALGO + "&after=" + "{" * 100_000,), cpu_s=1),
    Case("compare", "lines that differ", INLINE, lambda: (lines(20_000, 1), lines(20_000, 2)), cpu_s=3, memory_mb=200),
    Case("compare", "words that differ", INLINE, lambda: (text(20_000, "abcd ", 1), text(20_000, "abcd ", 2)), cpu_s=2),
    Case("compare", "letters that differ", INLINE, lambda: (text(19_000, "中文字母", 1), text(19_000, "中文字母", 2)), cpu_s=2),
    Case("compare", "one line turned around", INLINE, lambda: ("a\n" * 50_000 + "b\n", "b\n" + "a\n" * 50_000), cpu_s=3, memory_mb=200),
    Case("compare", "every second line", INLINE, lambda: ("a\nb\n" * 2_000, "a\nc\n" * 2_000), cpu_s=3),
    Case("compare", "lists", LISTS, lambda: (list(range(20_000)), list(range(20_000, 0, -1))), cpu_s=3),
    # What a model has calculated, and a template that an admin pastes.
    Case("calculate", "powers of powers", CALCULATE, lambda: ("9**9**9**9",), cpu_s=2, refused_by=()),
    Case("calculate", "brackets", CALCULATE, lambda: (nested(50_000, "(", ")", "1"),), cpu_s=1),
    Case("calculate", "signs", CALCULATE, lambda: ("-" * 50_000 + "1",), cpu_s=1),
    Case("template", "a text of 10 GB", "chat.llm.template_process:render_in_process", lambda: ('{{ "a" * 10**10 }}', {}), cpu_s=6),
    *FENCES,
]
