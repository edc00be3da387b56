"""`python -m config.local_model PATH CONTEXT PORT`: llama.cpp with an OpenAI-compatible server.

It listens on loopback and requires the API key of this home. It stores nothing, so SIGTERM ends it
at once, even while it loads the model or generates.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from config import home, readiness

# Concurrent generations, which share one context window.
SLOTS = 4
# MiB of memory for the cache of processed prompts.
CACHE_MIB = 256
# Verbosity of llama.cpp's log.
ERRORS_ONLY = 1


def main(path: str, context: str, port: str) -> int:
    import xllamacpp  # optional dependency, needed by this process only

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
    """Sets llama.cpp's parameters; https://github.com/ggml-org/llama.cpp/tree/master/tools/server.

    `context` is in tokens.
    """
    parameters.model.path = str(path)
    parameters.model_alias = {path.stem}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    # The supervisor reserves the port while this process restarts.
    parameters.reuse_port = True
    parameters.api_keys = [home.secret(home.LOCAL_MODEL_KEY)]
    parameters.n_ctx = int(context)
    parameters.n_parallel = SLOTS
    parameters.kv_unified = True
    parameters.cache_ram_mib = CACHE_MIB
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _threads()
    # The chat template in the file, which has the model's own format of tool calls.
    parameters.use_jinja = True
    parameters.offline = True
    parameters.ui = parameters.endpoint_slots = False
    parameters.cors_origins = ""
    parameters.verbosity = ERRORS_ONLY
    return parameters


def _threads() -> int:
    """One less than the cores that this process may use: the other processes need one."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)) - 1)
    return max(1, (os.cpu_count() or 1) - 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
