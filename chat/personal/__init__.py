"""The settings of a person, on one page: `/settings/`.

- `sections`: the sections of the page, in order; one of another area adds a line there
- `forms`: the sections that are forms of columns of `PersonalSettings`
- `time_zones`: the zones that can be chosen
- `api_tokens`, `facts`, `security`, `sessions`, `usage`: further sections
- `of_conversation`: instructions and parameters of one conversation; keeping a temporary one
- `views`: the page, and what it keeps
"""
