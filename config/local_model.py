"""`python -m config.local_model PATH CONTEXT PORT`: llama.cpp with an OpenAI-compatible server.

On loopback, for who has the key of this home. It keeps nothing, so SIGTERM ends it at once, in the
middle of an answer or of loading.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from config import home, readiness

# Answers at a time; they share one context.
SLOTS = 4
# Of prompts that were read before, kept to be gone on from.
CACHE_MIB = 256
ERRORS_ONLY = 1


def main(path: str, context: str, port: str) -> int:
    import xllamacpp  # only this process has it

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), Path(path), context, port))
    except RuntimeError:
        sys.stderr.write(
            f"{path} could not be loaded. See llama.cpp's lines above for the reason.\n"
        )
        return readiness.HOPELESS
    readiness.announce()
    while server:
        signal.pause()
    return 0


def _parameters(parameters: Any, path: Path, context: str, port: str) -> Any:
    """llama.cpp's own; https://github.com/ggml-org/llama.cpp/tree/master/tools/server."""
    parameters.model.path = str(path)
    parameters.model_alias = {path.stem}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    # The supervisor keeps the port while this process is started again.
    parameters.reuse_port = True
    parameters.api_keys = [home.secret(home.LOCAL_MODEL_KEY)]
    parameters.n_ctx = int(context)
    parameters.n_parallel = SLOTS
    parameters.kv_unified = True
    parameters.cache_ram_mib = CACHE_MIB
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _threads()
    # The template in the file, and with it the model's own form of tool calls.
    parameters.use_jinja = True
    parameters.offline = True
    parameters.ui = parameters.endpoint_slots = False
    parameters.cors_origins = ""
    parameters.verbosity = ERRORS_ONLY
    return parameters


def _threads() -> int:
    """All cores that this process may use but one, which is for passing on what it says."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)) - 1)
    return max(1, (os.cpu_count() or 1) - 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
