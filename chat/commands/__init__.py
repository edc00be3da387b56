"""What people and programs ask for: each is one function, named by a verb.

    send              a message: the question and its turn; `NewMessage` is what was parsed
    new_conversation  how a conversation begins, with its first message
    message_length    refusing what cannot fit the model's context window
    retries           sending a message again in the place of a turn that failed
    stop              stopping a turn
    decide            approving or denying a tool call
    answer            answering what a server asks in the middle of a call
    compact           having the older part of a conversation summarised
    fork              a conversation of one's own from a point of another
    conversations     renaming, deleting, choosing tools, assistant and limits

Each stores its facts in one transaction and rings the worker on commit (`chat.turn_facts`,
`chat.doorbell`). Access is checked here or by whoever calls, on querysets of the user's own rows.
"""
