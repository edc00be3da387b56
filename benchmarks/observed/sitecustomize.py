"""With this folder in PYTHONPATH a process of the product is observed from outside: the product has
no code for it, so that every version of it can be observed alike.

BENCH_GARBAGE=FOLDER    pauses of the garbage collector (`bench_garbage`)
BENCH_CALLS=FOLDER      when named functions are called (`bench_calls`)
"""

import os
from importlib import import_module

OBSERVERS = {"BENCH_GARBAGE": "bench_garbage", "BENCH_CALLS": "bench_calls"}

for variable, module in OBSERVERS.items():
    if folder := os.environ.get(variable):
        import_module(module).attach(folder)
