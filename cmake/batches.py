#!/usr/bin/env python3
"""Groups the sources of a target into unity-build batches: batches.py MOST LINES ROOTS FILE... prints one line per batch.

Half of a build from scratch is reading headers and compiling templates once per file; a batch pays for them once. But the names local
to a file (in an anonymous namespace, static, using) then share a scope with those of the other files. So files share a batch only if no
local name of one is declared, in the same or an enclosing namespace, by another or by a header that the other includes. It relies on
clang-format: declarations of a namespace start in the first column. A missed name is a compile error (a redeclaration), not a wrong
program. Not detected: overloads that match a call better; but those share a name, too.
"""
import functools
import os
import re
import sys

WORD = re.compile(r"[A-Za-z_]\w*")


def code_of(text):
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', '""', text)
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|/\*(?:.|\n)*?\*/', lambda m: '""' if m[0][0] == '"' else "", text)


class Source:
    """Names by (namespace, name): `own` are local to the file, `all` are all that it declares."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.lines = text.count("\n")
        self.includes = re.findall(r'^#include "([^"]+)"', text, re.M)
        self.own, self.all, self.usings, self.directives, self.macros = set(), set(), set(), set(), set()
        self.words = set(WORD.findall(code_of(text)))
        self.spaces = set()
        self.open_braces = 0
        scopes = []  # None: an anonymous namespace
        for line in code_of(text).split("\n"):
            m = re.match(r"#\s*define\s+(\w+)", line)
            if m:
                self.macros.add(m[1])
            m = re.match(r"(?:inline )?namespace(?: ([\w:]+))? \{", line)
            if m:
                scopes.append(m[1])
                whole = [w for s in scopes if s for w in s.split("::")]
                self.all.update(("::".join(whole[:k]), whole[k]) for k in range(len(whole)))
                self.spaces.add("::".join(whole))
                continue
            if re.match(r"\}\s*$", line) and scopes and self.open_braces == 0:
                scopes.pop()
                continue
            if self.open_braces == 0:
                self.declaration(line, scopes, path.endswith(".cpp"))
            self.open_braces += line.count("{") - line.count("}")

    def declaration(self, line, scopes, unit):
        space = "::".join(s for s in scopes if s)
        private = None in scopes
        if not re.match(r"[A-Za-z_\[]", line):
            return
        m = re.match(r"using namespace ([\w:]+);", line)
        if m:
            self.directives.add((space, m[1]))
            return
        m = re.match(r"using ([\w:]+);", line) or re.match(r"namespace (\w+) = ", line)
        if m:
            self.usings.add((space, m[1].split("::")[-1], line.strip()))
            return
        names = set()
        m = re.match(r"using (\w+) =", line) or re.match(r"(?:struct|class|enum class|enum|union)\s+(\w+)", line)
        if m:
            names.add(m[1])
            private = private or unit
        elif not line.startswith(("using", "template", "TEST_CASE", "#")):
            line = re.sub(r"\[\[[^\]]*\]\] *", "", line)
            m = re.search(r"(?<![:\w])(\w+)\s*\(", line)
            if m and m[1] not in ("operator", "if", "for", "while", "switch", "return"):
                names.add(m[1])
            m = re.search(r"(?<![:\w])(\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)", line.split("(")[0])
            if m and m[1] not in ("const", "noexcept", "override"):
                names.add(m[1])
            if re.match(r"(?:inline |static )?(?:constexpr|const) ", line):
                names.update(re.findall(r"(\w+) = ", line))
            private = private or line.startswith(("static ", "constexpr ", "const "))
        for name in names:
            self.all.add((space, name))
            if private:
                self.own.add((space, name))


@functools.lru_cache(maxsize=None)
def source(path):
    return Source(path)


def seen_by(path, roots):
    """All names declared by the file and its headers."""
    seen, todo, names = set(), [path], set()
    while todo:
        p = todo.pop()
        if p in seen:
            continue
        seen.add(p)
        names |= source(p).all
        for include in source(p).includes:
            for root in roots:
                q = os.path.normpath(os.path.join(root, include))
                if os.path.exists(q):
                    todo.append(q)
                    break
    return names


def enclosing(space):
    parts = space.split("::") if space else []
    return ["::".join(parts[:k]) for k in range(len(parts), -1, -1)]


class File:
    def __init__(self, path, roots):
        self.path, self.source = path, source(path)
        self.names = seen_by(path, roots)

    def hidden_from(self, other):
        """Whether `other` means the same with this file's local names before it."""
        if any((e, name) in other.names for space, name in self.source.own for e in enclosing(space)):
            return False
        for space, name, line in self.source.usings - other.source.usings:
            if any((e, name) in other.names or any(u[1] == name for u in other.source.usings) for e in enclosing(space)):
                return False
        return not self.source.macros

    def unmoved_by(self, other):
        """Whether declarations of `other` in an inner namespace hide no name that this file uses."""
        return not any(space in self.source.spaces and name in self.source.words and
                       any((e, name) in self.names for e in enclosing(space)[1:])
                       for space, name in other.names - self.names)

    def directed_alike(self, other):
        """The same using directives, none of which makes a name ambiguous with the other's headers."""
        if self.source.directives != other.source.directives:
            return False
        names = self.names | other.names
        for space, shown in self.source.directives:
            whole = [shown] + [e + "::" + shown for e in enclosing(space) if e]
            if any((e, n) in names for s, n in names if s in whole for e in enclosing(space)):
                return False
        return True

    def goes_with(self, other):
        return all((self.hidden_from(other), other.hidden_from(self), self.unmoved_by(other), other.unmoved_by(self),
                    self.directed_alike(other)))


def batches(paths, roots, most, lines):
    out = []
    for path in paths:
        file = File(path, roots)
        for batch in out:
            if len(batch) < most and sum(f.source.lines for f in batch) + file.source.lines <= lines and all(map(file.goes_with, batch)):
                batch.append(file)
                break
        else:
            out.append([file])
    return [[f.path for f in batch] for batch in out]


if __name__ == "__main__":
    most, lines, roots = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
    for batch in batches(sys.argv[4:], roots, most, lines):
        print(";".join(batch))
