"""The supervisor: one command runs Redis, the web process, the two workers, and a local model if
`LOCAL_MODEL` is set.

Standard library only, so that it needs little memory. Guarantees:

- One supervisor per home (`lock`); it listens on the port before it starts anything (`ports`).
- A process that ends is started again, after growing pauses (`service`).
- Ctrl-C and SIGTERM end all processes within ten seconds (`stack`).
- A supervisor that is killed leaves no processes: the kernel kills its children (`spawning`), or
  on other systems than Linux the next start does (`records`).

__main__        the command: signals, messages
stack           all services, in the order of their dependencies
service         one process that is restarted; `Plan` is what to run
redis_service, model_service
                the plans of the private Redis and of a local model
redis_data      the data of the private Redis, where they cannot be read
preparing       runs `config.prepare` before the services
waiting         waits for services to be ready, with messages
spawning        starts a child process
journal         output of processes: terminal and log files
lock, ports, records
                the lock of a home; sockets; `run/<name>.json`
"""
