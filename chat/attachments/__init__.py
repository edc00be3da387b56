"""Images and text files of user messages: what is taken, how it is kept, shown and sent.

A file is uploaded first (`uploads`), which says what it is from its bytes alone (`sniffing`). The
message that is sent with it refers to it (`references`); the bytes are put in the reference's place
only when a request is made (`resolving`).
"""
