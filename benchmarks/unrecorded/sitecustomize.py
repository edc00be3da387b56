"""With this folder in PYTHONPATH a process stores none of a generation's four stages.

For `benchmarks.storing` only; the product has no such option.
"""

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

OMITTED_STAGES = ("input", "request", "response", "output")


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != "tracing.store.payloads":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def patched(module: ModuleType) -> None:
            execute(module)
            store_all = vars(module)["store_all"]

            def store_some(archive: Any, records: Any) -> Any:
                others = [record for record in records if record[1] not in OMITTED_STAGES]
                return store_all(archive, others) if others else []

            vars(module)["store_all"] = store_some

        spec.loader.exec_module = patched  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _Finder())
