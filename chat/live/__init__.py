"""Live updates of a browser tab, over one websocket.

routing          the address
consumer         one socket: authenticates, forwards, resumes
programs         sockets of programs: tokens, and what their scopes allow
frame_commands   what frames ask for: rows by their ids, and the commands
frames           what a browser sends, parsed into values
sockets          the sockets of this process
rights           whether a socket's session and permissions still hold
following        one socket's place in an event log
writing          frames to a socket, as one message
feed             the event logs that this process reads, each once
announcements    the connection on which it hears of new events
snapshot         where a conversation stands: what a client begins with
missed_endings   ends of turns that no event told
"""
