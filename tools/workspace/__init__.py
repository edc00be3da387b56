"""A conversation's own folder: what its tools read, write and run there.

paths     names inside the folder, symlinks included, never outside
files     read_file, write_file, edit_file, list_files
sandbox   commands under bubblewrap, with limits
shell     the tool bash
"""
