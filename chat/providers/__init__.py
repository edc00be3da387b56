"""The admin's pages for providers and models.

| Module | What it has |
|---|---|
| `views`, `model_views`, `cassette_views`, `urls` | the pages |
| `forms`, `fields`, `parameters` | forms; a model's parameters between JSON and form fields |
| `dialects`, `template_check` | explanations of the dialects; checking a chat template |
| `listing`, `catalogue` | asking an endpoint for its models; parsing its list |
| `model_rows` | adding and ordering models |
| `known_prices`, `price_process` | prices that nobody has set; the program that reads the list |
| `window_lookup` | learning a model's context window from its server |
| `checks`, `check_runner` | tests and probes of a model as jobs; running one in a worker |
| `questions`, `probe` | what a check sends; the steps and the conclusion of a probe |
| `outcome`, `advice` | a check for its page; what to do about an error |
"""
