#!/usr/bin/env python3
"""edits.py TESSERA [SEQUENCES]: random edits, sent as changes of ranges, end in the same answers as opening the final text.

Texts mix CR LF, lone CR and LF, letters of two, three and four bytes, statements of every kind and broken ones; edits cut
lines and statements anywhere. Positions are in UTF-16 for one server and in UTF-8 for the other. The model of a text is a
Python string, and its places come from plain loops (client.Places).
"""
import pathlib, random, sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import Client, Places

TESSERA, SEQUENCES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
PIECES = ["A = (4,8):(8,1)", "B = coalesce(A)", "prove injective(A)", "prove injective((4,2):(1,2))", "size(A)", "show A as grid",
          "// \U0001d400\u00e9\u4e16 text", "task \"\U0001f600\": bijective(A)", "S = ?", "x = (8,4):(4,1,2)", "foo(\U0001d400)",
          "graphene move {\n  %a:[16].fp32.GL\n}", "prove equal(A, B)", "\u00e9 = 3", "assert size(A) == 32 // \u00e9", "C = A; D = B",
          "find swizzle for A where conflict_free(ld.shared, fp16)", "V = injective(A)", "(", "}", "\"", "/* a\nb */", " ", "\t"]
BREAKS = ["\n", "\n", "\r\n", "\r"]
CHARACTERS = ["\U0001d400", "\u00e9", "\u4e16", "A", "8", ",", "(", ")", ";", "\n", "\r\n", "\r", "=", " ", "//", "\0"]
ENCODINGS = {"utf-16": lambda c: 2 if ord(c) > 0xFFFF else 1, "utf-8": lambda c: len(c.encode())}


def random_text(r):
    return "".join(r.choice(PIECES) + r.choice(BREAKS) for _ in range(r.randrange(12)))


def random_edit(r, text):
    """Begin, end and the new text. CR LF is one line ending, which has no place inside."""
    def place():
        at = r.randrange(len(text) + 1)
        return at - 1 if 0 < at < len(text) and text[at - 1:at + 1] == "\r\n" else at
    begin = place()
    end = max(begin, place()) if r.random() < 0.2 else min(begin + r.randrange(4), len(text))
    if 0 < end < len(text) and text[end - 1:end + 1] == "\r\n":
        end += 1
    with_ = r.choice([lambda: r.choice(PIECES) + r.choice(BREAKS), lambda: r.choice(CHARACTERS), lambda: ""])()
    return begin, end, with_


def sequence(r, server, units, uri, version):
    """Opens a document and changes it; returns the final text and version."""
    text = random_text(r)
    server.open(uri, text, version)
    for _ in range(r.randrange(1, 9)):
        version += 1
        changes = []
        for _ in range(r.randrange(1, 4)):
            if r.random() < 0.05:
                text = random_text(r)
                changes.append({"text": text})
                continue
            begin, end, with_ = random_edit(r, text)
            changes.append({"range": Places(text, units).range(begin, end), "text": with_})
            text = text[:begin] + with_ + text[end:]
        server.change(uri, version, *changes)
        if r.random() < 0.3:
            server.about("completion", uri, line=r.randrange(9), character=r.randrange(9))
    return text, version


def plain(diagnostics):
    """Without what differs between two proofs: the documents' names and times."""
    return [(d["range"], d["severity"], d["code"], d["message"]) for d in diagnostics]


seen = 0
for encoding, units in ENCODINGS.items():
    with Client(TESSERA, encodings=[encoding]) as server:
        assert server.hello["capabilities"]["positionEncoding"] == encoding
        for batch in range(0, SEQUENCES // 2, 25):
            many = [(f"file:///edited{k}.tess", f"file:///opened{k}.tess") for k in range(batch, min(batch + 25, SEQUENCES // 2))]
            ends = [sequence(random.Random(f"{encoding} {uri}"), server, units, uri, 1) for uri, _ in many]
            for (_, opened), (text, _) in zip(many, ends):
                server.open(opened, text)
            for (edited, opened), (text, version) in zip(many, ends):
                a, b = server.complete(edited, version), server.complete(opened)
                assert plain(a) == plain(b), f"{encoding} {edited}: {text!r}\n{plain(a)}\n{plain(b)}"
                at = Places(text, units)
                for d in b:
                    assert at.index(d["range"]["start"]) <= at.index(d["range"]["end"]) <= len(text)
                seen += len(b)
                server.close(edited)
                server.close(opened)
print(f"{SEQUENCES} sequences, {seen} diagnostics")
assert seen > SEQUENCES
