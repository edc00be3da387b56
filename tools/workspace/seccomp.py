"""What a command may not ask of the kernel: a filter for `bwrap --seccomp`.

Namespaces do not cover the kernel's keyrings, which a session hands down to all its processes, nor
memory that belongs to no process and so escapes every count. Both answer as if the kernel had them
not (ENOSYS), which programs know how to live with. Nor are all sockets of a network namespace: by
AF_VSOCK a virtual machine talks to its host. And nobody types into a terminal (TIOCSTI).

The form is that of classic BPF, `struct sock_filter` in linux/filter.h, over `struct seccomp_data`.
"""

import errno
import platform
import struct
from dataclasses import dataclass
from functools import cache

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_X32 = 0x40000000
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK


@dataclass(frozen=True)
class _Machine:
    """`refused` has, of each machine, add_key, request_key, keyctl, memfd_create, shmget, bpf,
    userfaultfd and perf_event_open."""

    architecture: int
    ioctl: int
    socket: int
    refused: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 16, 41, (248, 249, 250, 319, 29, 321, 323, 298)),
    "aarch64": _Machine(0xC00000B7, 29, 198, (217, 218, 219, 279, 194, 280, 282, 241)),
}
# io_uring_*, open_tree, move_mount, fsopen to fspick, mount_setattr, memfd_secret.
_REFUSED_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 447)


@cache
def filter_of(machine: str = platform.machine()) -> bytes:
    """The filter for a machine, b"" for one that is not known here."""
    if machine not in _MACHINES:
        return b""
    known = _MACHINES[machine]
    program = [_one(_LOAD, _ARCHITECTURE), _one(_EQUAL, known.architecture, 1, 0), _NOTHING]
    program += [_one(_LOAD, _NUMBER), _one(_AT_LEAST, _X32, 0, 1), _NOTHING]
    for number in (*known.refused, *_REFUSED_EVERYWHERE):
        program += [_one(_EQUAL, number, 0, 1), _NOTHING]
    program += _of_call(
        known.socket, _FIRST_ARGUMENT, _FAMILIES, errno.EAFNOSUPPORT, if_among=False
    )
    program += _of_call(
        known.ioctl, _SECOND_ARGUMENT, (_TIOCSTI, _TIOCLINUX), errno.EPERM, if_among=True
    )
    return b"".join([*program, _one(_RETURN, _ALLOW)])


def _of_call(
    number: int, argument: int, values: tuple[int, ...], error: int, *, if_among: bool
) -> list[bytes]:
    """One call, refused if (or unless) this argument is among these values."""
    count = len(values)
    good, bad = _one(_RETURN, _ALLOW), _one(_RETURN, _ERRNO | error)
    among, else_ = (bad, good) if if_among else (good, bad)
    compared = [_one(_EQUAL, value, count - place, 0) for place, value in enumerate(values)]
    return [_one(_EQUAL, number, 0, count + 3), _one(_LOAD, argument), *compared, else_, among]


def _one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


_NOTHING = _one(_RETURN, _ERRNO | errno.ENOSYS)
