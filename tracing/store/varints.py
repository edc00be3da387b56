"""Integers of variable length: LEB128, as in protocol buffers and DWARF."""

from collections.abc import Iterable, Iterator


def encode(numbers: Iterable[int]) -> bytes:
    """Non-negative numbers, seven bits a byte, the lowest first."""
    encoded = bytearray()
    for number in numbers:
        while number > 127:
            encoded.append(number & 127 | 128)
            number >>= 7
        encoded.append(number)
    return bytes(encoded)


def decode(encoded: Iterable[int]) -> Iterator[int]:
    """The inverse of `encode`. Raises ValueError if the last number is cut off."""
    number = shift = 0
    for byte in encoded:
        number |= (byte & 127) << shift
        if byte > 127:
            shift += 7
        else:
            yield number
            number = shift = 0
    if shift:
        raise ValueError("a number is cut off")


def encode_signed(number: int) -> int:
    """Small numbers of either sign as small non-negative ones: 0, -1, 1, -2, 2, …"""
    return number * 2 if number >= 0 else -number * 2 - 1


def decode_signed(number: int) -> int:
    return number >> 1 if number % 2 == 0 else -(number >> 1) - 1
