"""One turn, from its claim to its end.

advance     answers every ring: claims the turn and takes one step after another
claims      compare-and-set on owner and epoch; fenced writes; letting go
journal     where the turn stands, from its spans
steps       what is to be done next: a pure function of the journal
ceilings    limits on rounds, tokens, time and calls; each ends the turn in a sentence
step_times  when the turn was taken up for a step
endings     the end: final state, answer, open calls closed, the next turn rung
"""
