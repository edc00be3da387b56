"""What hostile input may cost: a table of it, run in a child process with a budget each.

table      a line for each hostile input: the function that first touches it, how the input is
           made, seconds of CPU time and megabytes
fences     the same for a fence in each language that is highlighted
inputs     what several lines of the table make their input of
drivers    steps around functions that take their input in pieces, or from a file
cases      what a line says
worker     the child: runs one case after the other and measures each
runner     starts the child, ends it when a case takes too long, and judges
"""
