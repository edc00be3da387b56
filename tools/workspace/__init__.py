"""A conversation's own folder: what its tools read, write and run there.

paths         where a name leads: inside the folder, whatever links there are
tree          listing, reading, writing and removing by name, for tools and pages
removal       removing a folder whatever is in it
files         the tools read_file, write_file, edit_file, list_files
shell         the tool bash
limits        the most that a command may use
sandbox       a command under bubblewrap (`bubblewrap`, `seccomp`, `memory_group`);
              `availability` says whether that works here
unsandboxed   a command without it, where the operator wants that (`keeper`)
watching      what a running command writes and uses (`usage`, `disk`), and its end
"""
