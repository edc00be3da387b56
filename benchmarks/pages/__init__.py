"""How long the server takes for pages of traces, in what `benchmarks.traces` filled."""
