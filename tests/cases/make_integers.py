#!/usr/bin/env python3
"""Writes tests/cases/integers.tsv: expressions of the language and their values in Python's integers.

A line is NOTATION <tab> TEXT <tab> VALUE. The notations are sheet (a worksheet), python (the body of an index formula with
`//`), map (the result of an indexing map) and graphene (a size); `i` is 5 in all but sheet. A product or a power that Python
holds and 64 bits do not is kept: the language must refuse it.

    python3 tests/cases/make_integers.py > tests/cases/integers.tsv
"""
import random

random.seed(25)
TOP = 2**63
EDGES = [0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**62 + 1, TOP - 2, TOP - 1,
         3037000499, 3037000500]
NAMES = {"sheet": {"//": "//", "%": "%", "^": "xor"}, "python": {}, "map": {"//": "floordiv", "%": "mod"},
         "graphene": {"//": "/"}}
OPERATORS = {"sheet": "+ - * // % ^", "python": "+ - * // % ^ & | << >>", "map": "+ - * // % ^ & | << >>",
             "graphene": "+ - * // %"}


def number():
    if random.random() < 0.6:
        return random.choice(EDGES)
    return random.getrandbits(random.randint(1, 63))


def tree(notation, depth):
    """(text in the notation, text in Python)"""
    if depth == 0 or random.random() < 0.15:
        if notation != "sheet" and random.random() < 0.4:
            return "i", "5"
        n = number()
        if notation != "graphene" and random.random() < 0.35:
            # -2^63 has no literal of its own: it is a minus before a number that does not fit.
            return (f"(-{n})", f"(-{n})") if n < TOP else (f"(-{n - 1} - 1)", f"(-{n})")
        return str(n), str(n)
    op = random.choice(OPERATORS[notation].split())
    left = tree(notation, depth - 1)
    if op in ("<<", ">>"):
        n = str(random.choice([0, 1, 3, 31, 62, 63, 64, 65]))
        right = n, n
    else:
        right = tree(notation, depth - 1)
    word = NAMES[notation].get(op, op)
    return f"({left[0]} {word} {right[0]})", f"({left[1]} {op} {right[1]})"


seen = set()
for notation in OPERATORS:
    count = 0
    while count < 400:
        text, python = tree(notation, random.choice([1, 1, 2, 3]))
        if notation == "python" and "//" not in text:
            text, python = f"({text} // 3)", f"({python} // 3)"
        if text in seen:
            continue
        try:
            value = eval(python)
        except ZeroDivisionError:
            continue
        seen.add(text)
        count += 1
        print(notation, text, value, sep="\t")
