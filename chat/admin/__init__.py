"""Pages of Django's admin.

history     conversations, turns, messages, shared links
setup       providers, models, assistants, skills, cassettes
files       attachments, projects and their files
work        imports, exports, deletions, runs of playgrounds; limits
"""

from chat.admin import files, history, setup, work

__all__ = ["files", "history", "setup", "work"]
