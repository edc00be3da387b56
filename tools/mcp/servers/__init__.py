"""The MCP server that ships with the program: six tools over one SQLite file, a process of its own.

sqlite     the server: schemas, descriptions, the command line
database   the tools
seeds      the tables that a new database can start with
"""
