"""What a command may not ask of the kernel: a filter for `bwrap --seccomp`.

Namespaces do not cover the kernel's keyrings, which a session hands down to all its processes, nor
memory that belongs to no process and so escapes every count. Both answer as if the kernel had them
not (ENOSYS), which programs know how to live with. And nobody types into a terminal (TIOCSTI).

The form is that of classic BPF, `struct sock_filter` in linux/filter.h, over `struct seccomp_data`.
"""

import errno
import platform
import struct
from functools import cache

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_X32 = 0x40000000
_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 447)
# add_key, request_key, keyctl, memfd_create, shmget, bpf, userfaultfd, perf_event_open, and of all
# machines: io_uring_*, open_tree, move_mount, fs*, mount_setattr, memfd_secret.
_REFUSED = {
    "x86_64": (0xC000003E, 16, (248, 249, 250, 319, 29, 321, 323, 298, *_EVERYWHERE)),
    "aarch64": (0xC00000B7, 29, (217, 218, 219, 279, 194, 280, 282, 241, *_EVERYWHERE)),
}


@cache
def filter_of(machine: str = platform.machine()) -> bytes:
    """The filter for a machine, b"" for one that is not known here."""
    if machine not in _REFUSED:
        return b""
    architecture, ioctl, refused = _REFUSED[machine]
    nothing = _one(_RETURN, _ERRNO | errno.ENOSYS)
    program = [_one(_LOAD, _ARCHITECTURE), _one(_EQUAL, architecture, 1, 0), nothing]
    program += [_one(_LOAD, _NUMBER), _one(_AT_LEAST, _X32, 0, 1), nothing]
    for number in refused:
        program += [_one(_EQUAL, number, 0, 1), nothing]
    program += [_one(_EQUAL, ioctl, 0, 4), _one(_LOAD, _SECOND_ARGUMENT)]
    program += [_one(_EQUAL, _TIOCSTI, 1, 0), _one(_EQUAL, _TIOCLINUX, 0, 1)]
    program += [_one(_RETURN, _ERRNO | errno.EPERM), _one(_RETURN, _ALLOW)]
    return b"".join(program)


def _one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
