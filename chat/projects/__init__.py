"""The pages of projects: folders of conversations with instructions and files of their own.

views         the list, a project, its changes, its conversations
file_views    its files: the list, uploads, previews, contents
forms         what a form says

What is done with them is in `chat.commands.projects` and `chat.commands.project_files`, how tools
see the files in `chat.project_folders`, what requests say in `chat.agent.project_text`.
"""
