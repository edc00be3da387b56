"""Commands of people and programs: each is one function, named by a verb.

    send              sending a message, parsed as `NewMessage`: stores the question and its turn
    asking            storing a turn with its question and its trace
    answerers         the models and assistants that a message names
    comparisons       several answers side by side, and the choice of one to go on with
    new_conversation  creating a conversation with its first message
    earlier_messages  storing what a program says came before its message
    message_length    refusing messages that cannot fit the model's context window
    retries           sending a message again: the new turn replaces one that failed
    stop              stopping a turn
    decide            approving or denying a tool call
    answer            answering a question of a server in the middle of a call
    compact           asking for a summary of the older part of a conversation
    fork              a new conversation with the history of another up to a round
    conversations     renaming, deleting, choosing tools, assistant and limits

Each stores its facts in one transaction and rings the worker on commit (`chat.turn_facts`,
`chat.doorbell`). Access is checked here or by the caller, on querysets of the user's own rows.
"""
