"""The modules of scripts that a page needs, read from their sources.

A browser learns of a module's imports when it has the module: a page would wait for one level after
another. So the page names them all (`{% module_script %}`, `rel="modulepreload"`).
"""

import posixpath
import re
from pathlib import Path

from django.contrib.staticfiles import finders

# Every page has it (`base.html`).
BASE = "js/base/main.js"

_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
_STATIC = re.compile(
    r"""^(?:import|export)\s(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']""", re.MULTILINE
)
_DYNAMIC = re.compile(r"""\bimport\(\s*["']([^"']+)["']\s*\)""")


def preloads(module: str) -> tuple[str, ...]:
    """What `module` imports, directly and not, without what every page has. Paths are relative to
    the folder of static files, as in `{% static %}`."""
    known = {module} if module == BASE else {module, *static_graph(BASE)}
    return tuple(path for path in static_graph(module) if path not in known)


def static_graph(module: str) -> list[str]:
    """The module and all that it imports, the nearest first."""
    found = [module]
    for one in found:
        found += [path for path in imports(one) if path not in found]
    return list(dict.fromkeys(found))


def imports(module: str) -> list[str]:
    return [_resolved(module, name) for name in _STATIC.findall(_source(module))]


def dynamic_imports(module: str) -> list[str]:
    return [_resolved(module, name) for name in _DYNAMIC.findall(_source(module))]


def _source(module: str) -> str:
    path = finders.find(module)
    if path is None:
        raise FileNotFoundError(module)
    return _COMMENT.sub("", Path(path).read_text())


def _resolved(module: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), name))
