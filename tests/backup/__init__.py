"""Instances that are backed up while they run, restored into both kinds of database, and compared.

instances   a home with its database: commands on it, and what it has
examples    what addresses of pages name
contents    everything that an instance has, read by the product's own models
writing     turns and files, for as long as a backup takes
"""
