"""Odd numbers: times of large denominators, close to one another, long, or of several orders of magnitude."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

PRIMES = (97, 101, 997, 1009, 10007, 65537, 999983)


def small(rng: Random) -> Fraction:
    """Return a whole number of 1 to 6."""
    return Fraction(rng.randint(1, 6))


def simple(rng: Random) -> Fraction:
    """Return a number of at most 9 in wholes, halves, thirds or quarters."""
    return Fraction(rng.randint(1, 9), rng.choice((1, 1, 2, 3, 4)))


def fine(rng: Random) -> Fraction:
    """Return a number of at most 4 with a large denominator, each time another one."""
    denominator = rng.choice(PRIMES)
    return Fraction(rng.randint(1, 4 * denominator), denominator)


def close(rng: Random) -> Fraction:
    """Return a number that is 3 but for a few parts of 997."""
    return 3 + Fraction(rng.randint(-2, 2), 997)


def long(rng: Random) -> Fraction:
    """Return a whole number of about 10^6, 10^9 or 10^12."""
    return Fraction(10 ** rng.choice((6, 9, 12)) + rng.randint(-3, 3))


def uneven(rng: Random) -> Fraction:
    """Return a short time or one thousands of times as long."""
    return rng.choice((Fraction(1), Fraction(1, 7), Fraction(2), Fraction(5000), Fraction(9999, 2)))
