"""The slots of the `tools` worker, for the calls of turns and for what pages ask of servers."""

from jobs.fair_slots import FairSlots

tools_worker = FairSlots(64)  # it says how many threads it has
