"""Benchmarks of Roundtrip: a stub model endpoint, a load client, and the results.

run, bench, parts/     `make bench`: the product under load, beside the floor
site                   a running product with users, the stub as its provider, and meters
product, seeding       a product on a fresh home; users and models in it
module_runner          runs modules in the product's settings
clients, processes     starts the load client and the floor; CPU and memory of processes
load, websocket        the load client: messages over websockets
floor                  the openai client without the product
chat_page/, page_request
                       pages of long conversations, over HTTP and in Chromium
measuring, tokens, figures
                       shared by both clients: the plan, the count of tokens, percentiles
observed/, garbage     what happens inside the product's processes, without code of its own
summary, tables        the chief figures with their aims; all figures
history, machine       `results/history.jsonl`: the figures by version
compare, comparison, states
                       two versions in alternating runs
timeline/, flames/     where the time of one first token goes; flame graphs of `turns` and `web`
peers/                 Chainlit under the same load
performance            all that `docs/performance.md` shows, of two versions
storing, unrecorded/   CPU of the product with and without stored payloads
calculator, reading    CPU of `calculate`; scrolling through a payload of 20 MB in a browser
dashboard              time of the dashboard and of `/metrics`
traces/, pages/        `make bench-traces`: fills a database with traces; times the pages of traces
stub/                  the stub model endpoint
"""
