"""What carries the messages of a session: programs, HTTP, and the limits on both.

carriers       the contract: streams for the SDK, why they ended, what was refused
stdio          a program, its standard streams
processes      starting and stopping programs, so that none is left behind
exit_message   the line of stderr that says why a program ended
lines          JSON-RPC from a byte stream that may contain anything
http           streamable HTTP, and the bounded HTTP client of every request
sse            HTTP with SSE, the transport of 2024
guard          the addresses that a request may go to
http_failures  why a request failed, from the errors of libraries
http_secrets   the secrets in a request, which what comes back must not repeat
stderr         the end of what a server wrote beside the protocol, secrets masked
throttle       an upper bound on a rate
"""
