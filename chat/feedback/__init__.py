"""What people think of answers: a thumb up or down, and a note.

| Module | What it has |
|---|---|
| `rating` | giving, changing and removing a feedback, in the turn and in its trace |
| `views` | the buttons of an answer |
"""
