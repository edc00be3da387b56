"""The files of a conversation's workspace, for the person whose conversation it is.

limits     how much a workspace may hold, in numbers and in words
names      paths in addresses, whatever bytes they have; names of uploads
walking    all that lies in a workspace, counted and weighed
listing    folders as the panel shows them, those that are open with what lies in them
uploads    taking a file in
previews   what can be shown of a file
layouts    tables of CSV, JSON laid out
copying    a whole workspace, for a fork
downloads  a file, or all of them as a zip, piece by piece

Nothing of a workspace is served as a page, a script or a drawing: bytes leave as downloads, and as
images of raster kinds that were looked at.
"""
