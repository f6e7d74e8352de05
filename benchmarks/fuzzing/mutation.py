"""Inputs made by random edits of good ones, and of whatever was answered in a new way."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

from fuzzing.answers import warm_up
from fuzzing.targets import Target
from fuzzing.watching import Blind, Tally, Watch


def mutated(chance: random.Random, corpus: list[bytes], words: list[bytes]) -> bytes:
    """A few random edits of a random member of the corpus."""
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        at = chance.randrange(len(data) + 1)
        until = min(len(data), at + chance.choice((1, 2, 4, 16, 200)))
        edit = chance.randrange(8)
        if edit == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
        elif edit == 1:
            data[at:at] = chance.randbytes(chance.choice((1, 2, 8)))
        elif edit == 2:
            del data[at:until]
        elif edit in (3, 4):
            data[at:until] = chance.choice(words)
        elif edit == 5:
            data[at:at] = bytes(data[at:until]) * chance.choice((1, 2, 30))
        elif edit == 6:
            other = chance.choice(corpus)
            data[at:] = other[chance.randrange(len(other) + 1) :]
        else:
            data[at:at] = chance.choice(words)
    return bytes(data[:20_000])


def by_mutation(target: Target, inputs: int, seed: int, folder: Path, watch: Watch) -> Tally:
    """Feed mutations of the seeds, and of whatever was answered in a new way."""
    answer, corpus, chance, tally = target.prepare(folder), target.seeds(folder), random.Random(seed), Tally()
    warm_up()
    for data in corpus[:]:  # loads lazily imported modules before anything is watched
        for part in (data[: len(data) // 2], data):
            with contextlib.suppress(ValueError):
                answer(part, Blind())
    ways = set()
    for number in range(inputs):
        data = corpus[number] if number < len(corpus) else mutated(chance, corpus, target.words)
        way = tally.feed(answer, data, watch)
        if way not in ways:
            ways.add(way)
            corpus.append(data)
    return tally
