"""The agent: to-do list, subagents, skills, choice of tools, compaction and limits.

All of it is ordinary tool calls and steps of the durable engine (`chat.engine`), which imports this
package; nothing here imports the engine.

tools          the functions of the tools that the engine runs itself
claimed_call   a tool call that this process has claimed
todos          the to-do list
subagents      nested turns: begun by a call, which gets their result
tool_choice    which tools a request has, if many are offered
tool_search    the tool that finds the others

skills         the skills of a conversation, and their text in the system prompt
skill_choices  the menu of skills, and a person's choice
loaded_skills  the skills that were loaded, and their folders in the sandbox
skill_folders  scanning folders, and the rows of the skills in them
skill_files    reading the folder of one skill

compaction     summaries, placeholders and transcripts, as pure functions
fitting        cutting messages until a request fits, as pure functions
alternation    user and assistant messages in turns
estimating     estimated tokens of a request
own_settings   instructions and parameters of people, projects and conversations
project_text   what requests say of the project

windows        the context window of a model, and its source
share          the share of the window that is used

numbers        limits that people set: meaning, unit and bounds
limits         their values for a conversation
checks         system checks of the operator's values
"""
