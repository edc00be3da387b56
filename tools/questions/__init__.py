"""Forms by which a server asks a person something (MCP, "Elicitation").

form_secrets     which fields are secret; answers encrypted for storage
question_forms   a form's schema as fields, and answers checked against it
"""
