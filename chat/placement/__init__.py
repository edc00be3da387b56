"""Workspaces of an installation whose machines do not share a folder.

machines     the name of this machine, and which ones are there
pins         the machine that has a conversation's workspace
routing      which machine a tool call has to run on
calls        the workspace before and after a call
stored       the copy of a `tools` worker, and object storage around calls
manifests    what is in object storage, by compare-and-set
copies       copies that pages and jobs read and change
sources      where copies come from: object storage, or the machine that has the files
asking       asking the machine that has the files, by Redis
answering    its answers, in threads of the `tools` worker
presence     the beginning, the beats and the end of a `tools` worker
removals     removing the files of deleted conversations

With a shared folder nothing of this runs (`settings.WORKSPACES_KIND`). How it works, and why:
docs/decisions/workspaces-on-many-machines.md.
"""
