"""Sessions with MCP servers, on the loop of the `tools` worker.

    calling ─► pool ─► connection ─► frames, inbound ─► transports ─► server

A call

calling       one call of a server's tool, always a result
elicitation   what a server asks of a person, and which of the callers is asked
masking       what was sent as a secret, replaced where messages come in

A session

pool          the open sessions, shared by calls with the same configuration
connection    one session, owned by one task; why it ended
frames        the recorded JSON-RPC frames, sorted by call
inbound       repair and limits of what a server sends, before the SDK has it
changes       noticing a changed list of tools
logs          stderr of live sessions, in files that the web process reads
oauth         the SDK's OAuth flow with our storage and browser
sdk           the names and texts of the SDK's submodules that we rely on
transports    programs and HTTP

What a server lists

listing       a look at a server: connect, list, disconnect
findings      the result of a look, and storing it
tool_list     tools, page by page
resources     resources: listed and read
prompts       prompts: listed and filled in

`servers` holds the SQLite server that ships with the program.
"""
