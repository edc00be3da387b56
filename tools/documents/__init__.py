"""The text of files that come from anywhere.

reading             starts a program for each file
document_process    the program that reads PDF and Word files
html_process        the program that reads HTML pages as Markdown
"""
