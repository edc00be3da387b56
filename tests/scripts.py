"""Scripts as browsers get them: what a page loads by itself, and what that weighs."""

from collections.abc import Iterable

from django.conf import settings

from config import module_graph
from config.compression import compress_whole
from config.static_files import without_comments

# A page's scripts on the wire, the texts of its language included.
PAGE_BYTES = 80_000
FOLDER = settings.BASE_DIR / "static"


def loaded_by(*modules: str) -> set[str]:
    """What a page with these modules loads before anybody uses it."""
    graphs = map(module_graph.static_graph, (module_graph.BASE, *modules))
    return {"js/base/theme.js"}.union(*graphs)


def served_bytes(scripts: Iterable[str], encoding: str) -> int:
    served = (without_comments((FOLDER / path).read_bytes()) for path in set(scripts))
    return sum(len(compress_whole(script, encoding)) for script in served)
