"""A conversation's own folder: what its tools read, write and run there.

paths     where a name leads: inside the folder, whatever links there are
tree      listing, reading, writing and removing by name, for tools and pages
removal   removing a folder whatever is in it
files     the tools read_file, write_file, edit_file, list_files
sandbox   commands under bubblewrap, with limits
shell     the tool bash
"""
