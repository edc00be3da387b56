"""What happened, as evidence: traces, spans and exact bytes; imports nothing of the apps above.

Writing:

- `recorder/`: begins traces, opens and closes spans
- `models/`: archives, traces, spans, payloads, and the rows computed from them
- `store/`: exact bytes as manifests over blobs
- `journal/`: reads traces as rounds, phases, costs, actions and subagents
- `search/`: the index of texts, and its queries

Reading:

- `page/`: the trace page
- `list/`: the list of traces
- `stats/`: metrics of ended traces, dashboard, /metrics
- `diff/`: differences of lists and texts
- `formatting/`: JSON, text, figures and binaries as the pages show them
- `export/`: JSON, cassettes, OpenTelemetry
- `retention/`: removal and deletion of traces

Others: `permissions`, `admin` with `admin_search` and `admin_paging`,
`errors`, `streaming` (long responses), `management/`, `templatetags/`.
"""
