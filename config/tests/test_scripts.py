"""What the scripts of a page weigh, and that a page names all of them."""

import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.templatetags.static import static

from config import module_graph
from config.compression import compress_whole
from config.static_files import without_comments
from tests.scripts import FOLDER, PAGE_BYTES, loaded_by, served_bytes

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
MODULE = re.compile(r"""\{% module_script ['"]([^'"]+)['"] %\}""")
# The texts of a language, before all modules.
CATALOGUE = "js/locale/zh-hans.js"


def _modules(template: Path) -> list[str]:
    return MODULE.findall(template.read_text())


PAGES = [page for page in TEMPLATES if _modules(page) and page.name != "base.html"]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(page.parents[1])))
def test_the_scripts_of_a_page_are_at_most_80_kb_on_the_wire(page: Path, encoding: str) -> None:
    paths = loaded_by(*_modules(page)) | {CATALOGUE}
    assert served_bytes(paths, encoding) <= PAGE_BYTES


def test_a_page_names_all_modules_once_so_that_none_waits_for_another() -> None:
    html = Template("{% module_script 'js/chat/main.js' %}").render(Context())
    named = re.findall(r'href="([^"]+)"', html)
    graph = module_graph.static_graph("js/chat/main.js")
    of_all_pages = module_graph.static_graph(module_graph.BASE)
    assert named == [static(path) for path in graph[1:] if path not in of_all_pages]
    assert html.endswith(f'<script type="module" src="{static("js/chat/main.js")}"></script>')


def test_every_module_that_is_imported_exists() -> None:
    seen = {module for page in TEMPLATES for module in _modules(page)}
    new = set(seen)
    while new:
        named = {name for path in new for name in module_graph.imports(path)}
        named |= {name for path in new for name in module_graph.dynamic_imports(path)}
        new = named - seen
        seen |= new
    assert len(seen) > 100


def test_lines_of_comment_are_left_out_and_the_others_keep_their_numbers() -> None:
    script = b'// A note.\nlet a = "// no";\n  // Another.\nlet b = 1; // stays\n'
    assert without_comments(script) == b'\nlet a = "// no";\n\nlet b = 1; // stays\n'


def test_gzip_of_a_static_file_is_the_same_every_time() -> None:
    body = (FOLDER / "js/base/main.js").read_bytes()
    assert compress_whole(body, "gzip") == compress_whole(body, "gzip")
    assert gzip.decompress(compress_whole(body, "gzip")) == body


def test_templates_name_modules_by_the_tag_alone() -> None:
    astray = [page.name for page in TEMPLATES if '<script type="module"' in page.read_text()]
    assert astray == []
