"""What makes a chat an agent: a list of what is to be done, subagents, skills, compaction.

All of it is done by ordinary tool calls and steps of the durable engine (`chat.engine`), which
imports from here; nothing here imports the steps of the engine.

    tools       which function runs a call of which tool
    todos       the list of what is to be done
    subagents   nested turns: begun by a call, reporting to it
    skills      folders of instructions
"""
