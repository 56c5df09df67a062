#!/usr/bin/env python3
"""Writes the sources of a target as unity-build batches: batches.py FOLDER MOST LINES ROOTS FILE... prints the files to
compile, which are batches in FOLDER or single files. MOST, LINES: the largest batch. ROOTS: folders of #include "...".

Half of a build from scratch is reading headers and compiling templates once per file; a batch pays for them once. But the
names local to a file (in an anonymous namespace, static, using) then share a scope with those of the other files. A batch
renames such a name by a macro while its file is included, if another file of the batch declares it:

    #include "core/map/map.h"      // all headers first, so that macros and using directives change none
    #include "core/map/apply.cpp"  // declares the local function widthOf()
    #define widthOf widthOf_2
    #include "core/map/slice.cpp"  // another widthOf()
    #undef widthOf

A name can be renamed if no header of its file declares it, if the file never writes it after `.`, `->` or `::`, and if
the file defines no method (which might call another method by this name). A file with another local name shares no batch
with one that contains this word. The script relies on clang-format: declarations of a namespace start in the first
column. A missed name is a compile error (a redeclaration), not a wrong program. Not detected: overloads that match a call
better; but those share a name, too. A file with a new #include needs another run of cmake.
"""
import functools
import os
import re
import sys

WORD = re.compile(r"[A-Za-z_]\w*")
# Keywords where the expressions below expect a name.
KEYWORDS = set("auto bool char const decltype double float for if int long noexcept operator override requires return"
               " short signed sizeof static_assert switch unsigned void while".split())


def code_of(text):
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', '""', text)
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|/\*(?:.|\n)*?\*/', lambda m: '""' if m[0][0] == '"' else "", text)


class Source:
    """Names by (namespace, name): `own` are local to the file, `hidden` are those of them in anonymous namespaces, and
    `all` are all that it declares."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.lines = text.count("\n")
        self.includes = re.findall(r'^#include "([^"]+)"', text, re.M)
        self.headers = re.findall(r'^#include [<"][^>"]+[>"]', text, re.M)
        self.own, self.hidden, self.all, self.usings, self.directives, self.macros = set(), set(), set(), set(), set(), set()
        code = code_of(text)
        self.words = set(WORD.findall(code))
        self.values = set(re.findall(r"\b[A-Za-z_]\w*\b(?!\s*[(\w])", code))  # words that no call follows
        # Words that may name members, whether it defines methods, and whether it includes a header only sometimes.
        self.members = set(re.findall(r"(?:\.|->|::)\s*(?:template )?~?(\w+)", code))
        self.methods = bool(re.search(r"^[A-Za-z].*\w::~?\w+\(.*\{$", code, re.M))
        self.conditional = bool(re.search(r"^#\s*if(?:.|\n)*^#\s*include", text, re.M))
        self.spaces = set()
        self.open_braces = 0
        scopes = []  # None: an anonymous namespace
        for line in code.split("\n"):
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
            if m and m[1] not in KEYWORDS:
                names.add(m[1])
            m = re.search(r"(?<![:\w])(\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)", line.split("(")[0])
            if m and m[1] not in KEYWORDS:
                names.add(m[1])
            if re.match(r"(?:inline |static )?(?:constexpr|const) ", line):
                names.update(re.findall(r"(\w+) = ", line))
            private = private or line.startswith(("static ", "constexpr ", "const "))
        for name in names:
            self.all.add((space, name))
            if private:
                self.own.add((space, name))
            if None in scopes:
                self.hidden.add((space, name))


@functools.lru_cache(maxsize=None)
def source(path):
    return Source(path)


def headers_of(path, roots):
    """The names that the headers of a file declare, and their words."""
    seen, todo, names, words = set(), [path], set(), set()
    while todo:
        p = todo.pop()
        if p in seen:
            continue
        seen.add(p)
        if p != path:
            names |= source(p).all
            words |= source(p).words
        for include in source(p).includes:
            for root in [os.path.dirname(p)] + roots:
                q = os.path.normpath(os.path.join(root, include))
                if os.path.exists(q):
                    todo.append(q)
                    break
    return names, words


def enclosing(space):
    parts = space.split("::") if space else []
    return ["::".join(parts[:k]) for k in range(len(parts), -1, -1)]


class File:
    def __init__(self, path, roots):
        self.path, self.source = path, source(path)
        declared, words = headers_of(path, roots)
        self.declared = declared
        self.names = declared | self.source.all
        own = self.source.own - (declared - self.source.hidden)  # the definition of a name of a header is not local
        shown = {name for _, name in declared}
        unclear = shown | self.source.members | (words if self.source.methods else set())
        self.renamable = set() if self.source.conditional else {name for _, name in own} - unclear
        self.around = {e for space in self.source.spaces for e in enclosing(space)}
        self.known = {name for _, name in self.names}
        # The other names can clash with those of other files.
        self.own = {(space, name) for space, name in own if name not in self.renamable}
        self.shown = {(space, name) for space, name in self.names if name not in self.renamable}

    def header(self, line):
        """An #include line of this file, as another folder can write it."""
        beside = os.path.join(os.path.dirname(self.path), line[len('#include "'):-1])
        return f'#include "{beside}"' if os.path.exists(beside) else line

    def hidden_from(self, other):
        """Whether `other` means the same with this file's local names before it."""
        if any(name in other.source.words and (space in other.around or (space, name) in other.shown)
               for space, name in self.own):
            return False
        for space, name, _ in self.source.usings - other.source.usings:
            if name in other.source.words or any((e, name) in other.names for e in enclosing(space)):
                return False
        return not self.source.macros

    def unmoved_by(self, other):
        """Whether declarations of `other` in an inner namespace hide no name that this file uses."""
        return not any(space in self.source.spaces and name in self.source.words and
                       any((e, name) in self.names for e in enclosing(space)[1:])
                       for space, name in other.shown - self.names)

    def overloaded_by(self, other):
        """Whether a declaration of `other` gives a second meaning to a name that this file uses without calling it."""
        return any(space in self.around and name in self.source.values and name in self.known
                   for space, name in other.shown - self.declared)

    def directed_alike(self, other):
        """Whether one has all using directives of the other, which comes first in the batch, and the names of the other
        make none ambiguous that it uses."""
        if self.source.conditional != other.source.conditional and (self.source.directives or other.source.directives):
            return False  # the headers of one would come after the directives of the other
        few, many = sorted((self, other), key=lambda f: len(f.source.directives))
        return few.source.directives <= many.source.directives and not (
            many.ambiguous_after(few) | few.ambiguous_after(many))

    def ambiguous_after(self, other):
        """Names that this file uses and that its using directives show twice, because `other` declares one of them."""
        spaces = set()
        for space, directed in self.source.directives:
            spaces |= {directed} | {e + "::" + directed for e in enclosing(space) if e} | set(enclosing(space))
        new = {(s, n) for s, n in other.shown - self.declared if s in spaces and n in self.source.words}
        return {n for _, n in new if n in self.known}

    def goes_with(self, other):
        return all((self.hidden_from(other), other.hidden_from(self), self.unmoved_by(other), other.unmoved_by(self),
                    not self.overloaded_by(other), not other.overloaded_by(self), self.directed_alike(other)))


def batches(paths, roots, most, lines):
    out = []
    for path in paths:
        file = File(path, roots)
        for batch in out:
            room = lines - sum(f.source.lines for f in batch)
            if len(batch) < most and file.source.lines <= room and all(map(file.goes_with, batch)):
                batch.append(file)
                break
        else:
            out.append([file])
    return [sorted(batch, key=lambda f: (not f.source.conditional, len(f.source.directives))) for batch in out]


def text_of(batch):
    """The text of a batch, with macros for the local names that another file declares or uses."""
    others = [{n for g in batch if g is not f for n in g.source.words | {n for _, n in g.names}} for f in batch]
    renamed = [sorted(f.renamable & names) for f, names in zip(batch, others)]
    headers = [f.header(h) for f in batch if not f.source.conditional for h in f.source.headers]
    lines = list(dict.fromkeys(headers))
    for number, (f, names) in enumerate(zip(batch, renamed), 1):
        lines += [f"#define {n} {n}_{number}" for n in names]
        lines.append(f'#include "{f.path}"')
        lines += [f"#undef {n}" for n in names]
    return "\n".join(lines) + "\n"


def write(path, text):
    """Writes a file unless it has this text already: its date decides whether it is compiled again."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    folder, most, lines, roots = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split(",")
    os.makedirs(folder, exist_ok=True)
    for number, batch in enumerate(batches(sys.argv[5:], roots, most, lines), 1):
        if len(batch) == 1:
            print(batch[0].path)
        else:
            path = os.path.join(folder, f"batch_{number}.cxx")
            write(path, text_of(batch))
            print(path)


if __name__ == "__main__":
    main()
