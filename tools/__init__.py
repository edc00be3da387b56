"""What a model can call. Packages import downwards only (`pyproject.toml` has the contract):

    urls, tasks, management   addresses, Celery tasks, `manage.py mcp`
    servers                   pages of servers and their tools
    trials                    trying a connection or a tool
    accounts                  OAuth accounts at servers
    calls, catalogue          running a call; which tools are offered to whom
    local, mcp                the two kinds of tools: functions, and sessions with servers
    workspace, health         files and the sandbox; checks of servers and their history
    questions, rights         forms for people; who may see and change servers
    models                    the tables
    definitions               what models and providers read of a tool
    values                    tool, call, result, server configuration
    results                   the content blocks of a result
    documents                 the text of PDF, Word and HTML files, read by processes of their own

`guard` (where requests may go), `errors`, `encryption`, `loop` and `permissions` are modules that
all of them may use.
"""
