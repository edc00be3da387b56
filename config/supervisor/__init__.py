"""One command that runs the whole product: Redis, the web process, the two workers; a local model
if one is asked for.

Standard library only, so that it costs little beside them. What has to hold:

- One supervisor a home (`lock`), and the port is taken before anything starts (`ports`).
- A process that dies starts again, with growing pauses (`service`).
- Ctrl-C and SIGTERM end all of them within ten seconds (`stack`).
- A supervisor that is killed leaves nothing behind: the kernel kills its children (`spawning`), and
  what another system let live is swept at the next start (`records`).
"""
