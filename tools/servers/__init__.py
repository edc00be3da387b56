"""The pages of MCP servers and of their tools.

views             list, page, form, test and export of servers; trials of a connection
import_views      pasting and importing configurations
tool_views        switches, policies, approval and trial of a tool
forms             the form of a server
interchange       `mcpServers` JSON and other programs' formats, read and written
jsonc             JSON with comments and trailing commas
server_configs    what those formats say of one server
review            the difference between an approved tool and the tool now, and approving it
readings          the job that reads a resource or a prompt
reading           that job's work, in the `tools` worker
refreshing        checks that are due again, asked for by a timer
"""
