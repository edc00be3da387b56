"""One turn, from its claim to its end.

advance     answers every ring: claims the turn and takes one step after another
claims      compare-and-set on owner and epoch; fenced writes; releasing the turn
journal     where the turn stands, from its spans
steps       the next step: a pure function of the journal; the closed unions of steps
ceilings    limits on rounds, tokens, time and calls; each ends the turn with a sentence
step_times  moments of a ring and of the step that answers it
endings     `finish_turn`: final state, answer, open calls ended, the next turn rung
"""
