#!/usr/bin/env python3
"""check_source.py TESSERA ROOT: laws of `tessera check` on source files, against slow second implementations.

    extraction   files of random code, strings and comments: the statements are those that were put in, where they
                 were put in; random bytes: a state machine, one character at a time
    scopes       random programs: a name has the value of the declaration that the language sees at the comment
    verdicts     the sheets of the gallery in comments answer as the .tess files do
    names        two declarations of a name are not mixed up; what has no one value is refused
    mutation     a changed constant in the code changes the verdict of the claim about the declaration
    formats      text, json, github, gitlab and sarif report the same findings; the SARIF log is valid
    hostile      damaged and large files give an answer
    documents    the examples of docs/ci.md
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse

TESSERA, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CHECKS = 0


def check(holds, what):
    global CHECKS
    CHECKS += 1
    if not holds:
        raise SystemExit("check_source: " + what)


def run(arguments, cwd, stdin=b""):
    done = subprocess.run([TESSERA, "check", *arguments], cwd=cwd, input=stdin, capture_output=True)
    check(done.returncode in (0, 1, 2), f"{arguments} ended with {done.returncode}: {done.stderr[-500:]}")
    return done


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(text if isinstance(text, bytes) else text.encode())
    return name


def sarif(folder, names):
    done = run(["--format", "sarif", *names], folder)
    log = json.loads(done.stdout)
    validate(log)
    return log["runs"][0]["results"], done.returncode


# A validator of the parts of SARIF 2.1.0 that the log has, from the text of the standard (sections in brackets).


def validate(log):
    def has(node, required, optional, where):
        check(isinstance(node, dict), f"{where} is no object")
        for key, kind in required.items():
            check(key in node, f"{where} lacks {key}")
        for key, value in node.items():
            kind = required.get(key, optional.get(key))
            check(kind is not None, f"{where} has {key}")
            check(isinstance(value, kind) and not (kind is int and isinstance(value, bool)), f"{where}.{key} is {value}")

    has(log, {"version": str, "runs": list}, {"$schema": str}, "log")  # 3.13
    check(log["version"] == "2.1.0", "version")
    for one in log["runs"]:  # 3.14
        has(one, {"tool": dict}, {"results": list, "columnKind": str, "invocations": list}, "run")
        check(one["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")  # 3.14.17
        has(one["tool"], {"driver": dict}, {}, "tool")
        driver = one["tool"]["driver"]
        has(driver, {"name": str}, {"version": str, "rules": list}, "driver")  # 3.19
        levels = ("none", "note", "warning", "error")
        for rule in driver["rules"]:  # 3.49
            has(rule, {"id": str}, {"name": str, "shortDescription": dict, "defaultConfiguration": dict}, "rule")
            has(rule["shortDescription"], {"text": str}, {}, "shortDescription")
            has(rule["defaultConfiguration"], {}, {"level": str}, "defaultConfiguration")
            check(rule["defaultConfiguration"]["level"] in levels, "level of a rule")
        ids = [rule["id"] for rule in driver["rules"]]
        check(len(set(ids)) == len(ids), "rules are unique")
        for made in one.get("invocations", []):  # 3.20
            has(made, {"executionSuccessful": bool}, {"exitCode": int}, "invocation")
        prints = set()
        for result in one["results"]:  # 3.27
            has(result, {"message": dict}, {"ruleId": str, "ruleIndex": int, "level": str, "locations": list,
                                            "partialFingerprints": dict}, "result")
            check(result["level"] in levels, "level")
            check(ids[result["ruleIndex"]] == result["ruleId"], "ruleIndex")  # 3.27.6
            has(result["message"], {"text": str}, {}, "message")
            check(result["message"]["text"] != "", "an empty message")
            for value in result["partialFingerprints"].values():
                check(re.fullmatch("[0-9a-f]{16}", value) is not None, "fingerprint")
                check(value not in prints, "two results with one fingerprint")
                prints.add(value)
            check(len(result["locations"]) == 1, "locations")
            for location in result["locations"]:  # 3.28
                has(location, {}, {"physicalLocation": dict}, "location")
                place = location["physicalLocation"]
                has(place, {"artifactLocation": dict}, {"region": dict}, "physicalLocation")  # 3.29
                has(place["artifactLocation"], {"uri": str}, {"uriBaseId": str}, "artifactLocation")
                uri = place["artifactLocation"]["uri"]
                check(re.fullmatch(r"(file://)?([A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})+", uri), f"uri {uri}")
                check(("uriBaseId" in place["artifactLocation"]) == (not uri.startswith("file:")), "uriBaseId")
                region = place["region"]  # 3.30
                has(region, {"startLine": int}, {"startColumn": int, "endLine": int, "endColumn": int,
                                                 "snippet": dict}, "region")
                check(region["startLine"] >= 1 and region["startColumn"] >= 1, "1-based")
                check((region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"]), "order")
                if "snippet" in region:
                    has(region["snippet"], {"text": str}, {}, "snippet")


def places(results, text):
    """(line, column, statement) of each result; the marked text is that of the file."""
    lines = text.decode(errors="replace").replace("\r\n", "\n").split("\n")
    out = []
    for result in results:
        region = result["locations"][0]["physicalLocation"]["region"]
        line, column = region["startLine"], region["startColumn"]
        snippet = region.get("snippet", {}).get("text", "")
        check(lines[line - 1][column - 1:].startswith(snippet), f"line {line}: {snippet!r} is not the text there")
        out.append((line, column, snippet))
    return out


# Extraction.


def machine(text, python):
    """The statements of a text, (line, column), one character at a time. Each statement is one line, `tessera: ...`."""
    found, state, k, line, begin = [], "code", 0, 1, 0
    quote, raw, previous = "", "", ""

    def statement(inside, at, line_begin, line_number):
        stripped = inside
        offset = at
        while stripped and stripped[0] in "/*!#":
            stripped, offset = stripped[1:], offset + 1
        while stripped and stripped[0] in " \t\n\r\v\f":
            if stripped[0] == "\n":
                line_number, line_begin = line_number + 1, offset + 1
            stripped, offset = stripped[1:], offset + 1
        if not stripped.startswith("tessera:"):
            return
        stripped, offset = stripped[8:], offset + 8
        while stripped and stripped[0] == " ":
            stripped, offset = stripped[1:], offset + 1
        if stripped.startswith("prove"):
            found.append((line_number, offset - line_begin + 1))

    start = start_line = start_begin = 0
    word = ""  # the name or number that ends before k
    while k < len(text):
        c = text[k]
        if state == "code":
            is_part = c.isascii() and (c.isalnum() or c == "_")
            if python and c == "#" or not python and text[k:k + 2] == "//":
                state, start, start_line, start_begin = "line", k + (1 if python else 2), line, begin
                k += 0 if python else 1
            elif not python and text[k:k + 2] == "/*":
                state, start, start_line, start_begin = "block", k + 2, line, begin
                k += 1
            elif python and text[k:k + 3] in ('"""', "'''"):
                state, quote = "triple", text[k:k + 3]
                k += 2
            elif not python and c == '"' and word in ("R", "LR", "uR", "UR", "u8R"):
                match = re.match(r'"([^()\\ \t\n"]{0,16})\(', text[k:])
                if match:
                    state, raw = "raw", ")" + match.group(1) + '"'
                    k += match.end() - 1
                else:
                    state, quote = "string", c
            elif not python and c == "'" and word[:1].isdigit() and re.match(r"'[A-Za-z0-9_]", text[k:]):
                word += c
                k += 1
                continue
            elif c in "\"'":
                state, quote = "string", c
            if is_part or (c == "." and word[:1].isdigit()):
                word += c
            else:
                word = ""
        elif state == "line":
            if c == "\n":
                continued = not python and text[k - 1] == "\\" and k > start
                if not continued:
                    statement(text[start:k], start, start_begin, start_line)
                    state = "code"
        elif state == "block":
            if text[k:k + 2] == "*/":
                statement(text[start:k], start, start_begin, start_line)
                state = "code"
                k += 1
        elif state == "raw":
            if text.startswith(raw, k):
                state = "code"
                k += len(raw) - 1
        elif state == "string":
            if c == "\\" and k + 1 < len(text):
                k += 1
            elif c == quote or c == "\n":
                state = "code"
        elif state == "triple":
            if c == "\\" and k + 1 < len(text):
                k += 1
            elif text[k:k + 3] == quote:
                state = "code"
                k += 2
        if text[k] == "\n":
            line, begin = line + 1, k + 1
        k += 1
    if state in ("line", "block"):
        statement(text[start:], start, start_begin, start_line)
    return found


def test_empty_folder(folder):
    os.makedirs(os.path.join(folder, "empty"), exist_ok=True)
    done = run(["empty"], folder)
    check(done.returncode == 0 and b"no file to check below empty" in done.stderr, f"an empty folder: {done.stderr}")


def test_random_bytes(folder, rng):
    c = ['"', "'", "/", "*", "\\", "\n", 'R"(', ')"', 'R"x(', ')x"', "//", "/*", "*/", " ", "a", "1", "0x1'2", "u8", "#",
         "// tessera: prove equal(7:1, 7:0)\n", "/* tessera: prove equal(7:1, 7:0) */", "//", "\n", "\n", "\n"]
    py = ['"', "'", "\\", "\n", '"""', "'''", "#", " ", "a", "1", "r", "f", "\n", "\n", "/",
          "# tessera: prove equal(7:1, 7:0)\n"]
    names, texts = [], []
    for k in range(60):
        python = k % 2 == 1
        text = "".join(rng.choice(py if python else c) for _ in range(rng.randrange(5, 60)))
        texts.append((text, python))
        names.append(write(folder, f"bytes/{k:03}" + (".py" if python else ".cu"), text))
    results, _ = sarif(folder, names)
    for name, (text, python) in zip(names, texts):
        mine = [r for r in results if r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == name]
        refuted = [r for r in mine if r["ruleId"] == "refuted"]
        got = [(line, column) for line, column, _ in places(refuted, text.encode())]
        places(mine, text.encode())
        want = machine(text, python)
        # A comment that goes on after its statement may make it another one; these are no refuted claims.
        check(set(got) <= set(want), f"{name}: {got} but {want} in {text!r}")
        others = {(l, c) for l, c, _ in places([r for r in mine if r["ruleId"] != "refuted"], text.encode())}
        for place in want:
            held = place in got or any(l == place[0] for l, _ in others)
            check(held, f"{name}: no statement at {place} in {text!r}")


def test_extraction(folder, rng):
    for round in range(12):
        python = round % 2 == 1
        pieces, want, number = [], [], 7000
        mark = "#" if python else "//"
        while len(pieces) < 40:
            number += 1
            claim = f"prove equal({number}:1, {number}:0)"
            kind = rng.randrange(10)
            if kind < 3:
                pieces.append(f"x{number} = {number}" + ("\n" if python else ";\n"))
            elif kind == 3:
                pieces.append(f'y = "{mark} tessera: {claim}"' + ("\n" if python else ";\n"))
            elif kind == 4:
                pieces.append(f'z = """\n{mark} tessera: {claim}\n"""\n' if python else
                              f'z = R"q(\n// tessera: {claim}\n)" )q";\n')
            elif kind == 5:
                pieces.append(f"{mark} a remark, tessera: {claim}\n")
            elif kind == 6:
                lead = f"{' ' * rng.randrange(5)}{mark}{rng.choice(['', ' ', '  '])}tessera:{rng.choice(['', ' '])}"
                want.append((len(pieces), len(lead), claim))
                pieces.append(lead + claim + "\n")
            elif kind == 7:
                lead = f'é = "é\\"" {mark} tessera: ' if python else f"auto s = 'é', t = \"é\\\"\"; {mark} tessera: "
                want.append((len(pieces), len(lead), claim))
                pieces.append(lead + claim + "\n")
            elif kind == 8:
                lead = f"  {mark} tessera: "
                first, rest = claim.split(" ", 2)[0] + " " + claim.split(" ")[1], claim.split(" ", 2)[2]
                want.append((len(pieces), len(lead), first))
                pieces.append(f"{lead}{first}\n  {mark}     {rest}\n")
            elif not python:
                lead = rng.choice(["/* tessera: ", "x = 4; /*tessera:", "/** tessera: \n *   "])
                want.append((len(pieces), len(lead), claim))
                pieces.append(lead + claim + rng.choice([" */ y = 3;\n", "\n */\n"]))
        text = "".join(pieces).encode()
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece))
        whole = "".join(pieces)
        expected = []
        for index, offset, claim in want:
            at = starts[index] + offset
            expected.append((whole.count("\n", 0, at) + 1, at - (whole.rfind("\n", 0, at) + 1) + 1, claim))
        name = write(folder, f"extract{round}" + (".py" if python else ".hpp"), text)
        results, code = sarif(folder, [name])
        got = places(results, text)
        check(all(r["ruleId"] == "refuted" for r in results), f"{name}: {results}")
        check(got == expected, f"{name}: {got}\n but {expected}")
        check(code == (1 if expected else 0), "exit code")


# Scopes: programs whose declarations each have their own value.


def cpp_program(rng):
    lines, scopes, value = [], [{}], 10

    def comment():
        seen = {}
        for scope in scopes:
            seen.update(scope)
        if not seen:
            return
        name = rng.choice(sorted(seen))
        lines.append(f"// tessera: assert {name} == {seen[name]}")

    for _ in range(rng.randrange(15, 40)):
        action = rng.randrange(8)
        if action < 3:
            free = [n for n in "abcd" if n not in scopes[-1]]
            if not free:
                continue
            value += 1
            name = rng.choice(free)
            if lines and lines[-1].startswith("//"):  # a comment directly above a declaration means that one
                lines.append("static_assert(true);")
            known = {}
            for scope in scopes:
                known.update(scope)
            if known and rng.randrange(3) == 0:
                other = rng.choice(sorted(known))
                if other != name:
                    lines.append(f"constexpr int {name} = {other} + {value};")
                    scopes[-1][name] = known[other] + value
                    continue
            lines.append(rng.choice(["constexpr int {} = {};", "const int {} = {};", "static constexpr int {} = {};"])
                         .format(name, value))
            scopes[-1][name] = value
        elif action == 3 and len(scopes) < 5:
            value += 1
            inner = len(scopes) > 1
            lines.append("{" if inner else rng.choice([f"namespace n{value} {{", f"void f{value}(int z) {{"]))
            scopes.append({})
        elif action == 4 and len(scopes) > 1:
            lines.append("}")
            scopes.pop()
        else:
            comment()
    while len(scopes) > 1:
        lines.append("}")
        scopes.pop()
    return "\n".join(lines) + "\n"


def python_program(rng):
    """Its own interpreter gives the values: each comment follows a call that records the name."""
    lines, depth, value, made = [], 0, 10, [set()]
    for _ in range(rng.randrange(15, 40)):
        action, pad = rng.randrange(8), "    " * depth
        if action < 3:
            free = [n for n in "abcd" if all(n not in scope for scope in made)]
            if free:
                value += 1
                name = rng.choice(free)
                lines.append(f"{pad}_other = 0")
                lines.append(f"{pad}{name} = {value} // 2 * 3")
                made[-1].add(name)
        elif action == 3 and depth < 3:
            lines.append(f"{pad}def f{len(lines)}():")
            depth += 1
            lines.append("    " * depth + "_open = 0")
            made.append(set())
        elif action == 4 and depth > 0:
            lines.append(f"{pad}pass")
            depth -= 1
            made.pop()
            head = max(k for k, line in enumerate(lines) if line.startswith("    " * depth + "def "))
            lines.append("    " * depth + lines[head].split("def ")[1].split("(")[0] + "()")
        else:
            seen = sorted(set().union(*made))
            if seen:
                name = rng.choice(seen)
                lines.append(f"{pad}_record({len(lines)}, {name})")
                lines.append(f"{pad}# tessera: assert {name} == ?{len(lines) - 1}?")
    while depth > 0:
        depth -= 1
        made.pop()
        head = max(k for k, line in enumerate(lines) if line.startswith("    " * depth + "def "))
        lines.append("    " * depth + lines[head].split("def ")[1].split("(")[0] + "()")
    text = "\n".join(lines) + "\n"
    values = {}
    exec(text, {"_record": values.__setitem__})
    return re.sub(r"\?(\d+)\?", lambda m: str(values[int(m.group(1))]), text)


def test_scopes(folder, rng):
    names = []
    for k in range(80):
        python = k % 2 == 1
        text = python_program(rng) if python else cpp_program(rng)
        names.append(write(folder, f"scopes/{k:03}" + (".py" if python else ".cu"), text))
    done = run(["--json", *names], folder)
    claims = 0
    for line in done.stdout.decode().splitlines():
        one = json.loads(line)
        claims += one.get("kind") == "bool"
        check(one["ok"], f"{line}\n{open(os.path.join(folder, (one.get('file') or one['error']['file']))).read()}")
    check(claims > 100, f"only {claims} claims about names")
    text = open(os.path.join(folder, names[0])).read() + open(os.path.join(folder, names[1])).read()
    # The same with other values: every one fails.
    wrong = [write(folder, "wrong_" + os.path.basename(n), re.sub(r"== (\d+)", lambda m: f"== {int(m.group(1)) + 1}",
                                                                  open(os.path.join(folder, n)).read())) for n in names]
    done = run(["--json", *wrong], folder)
    for line in done.stdout.decode().splitlines():
        one = json.loads(line)
        check(one.get("kind") == "summary" or not one["ok"], f"holds, but should not: {line}")


# Verdicts.


def answers(folder, name):
    out = []
    for line in run(["--json", name], folder).stdout.decode().splitlines():
        one = json.loads(line)
        if one.get("kind") == "summary":
            continue
        error = one.get("error", {})
        out.append((one["ok"], one.get("kind"), one.get("text"), one.get("verdict"), error.get("message")))
    return out


def test_verdicts(folder):
    gallery = os.path.join(ROOT, "assets", "gallery")
    compared = 0
    for name in sorted(os.listdir(gallery)):
        text = open(os.path.join(gallery, name)).read() if name.endswith(".tess") else ""
        if not text or "/*" in text or "*/" in text or re.search(r"^run |\bkernel\b", text, re.M):
            continue
        sheet = write(folder, "sheet.tess", "\n" + text)
        block = write(folder, "sheet.cu", "/* tessera:\n" + text + "\n*/\n")
        want, got = answers(folder, sheet), answers(folder, block)
        strip = lambda rows: [tuple(re.sub(r"\s+", "", str(x)) for x in row) for row in rows]
        check(strip(want) == strip(got), f"{name}: {[p for p in zip(strip(want), strip(got)) if p[0] != p[1]][:2]}")
        compared += len(want)
    check(compared > 60, f"only {compared} statements of the gallery")


MUTATED = '''
constexpr int kN = 64;
template <typename T>
struct Traits {
  using Atom = decltype(composition(Swizzle<%d, 3, 3>{}, Layout<Shape<_8, Int<kN>>, Stride<Int<kN>, _1>>{}));
  using Smem = decltype(tile_to_shape(Atom{}, Shape<_64, _64>{}));
  // tessera: prove conflict_free(Smem, ldmatrix.x4, fp16)
};
__global__ void kernel(half* out) {
  int row = threadIdx.x / 8, col = threadIdx.x %% 8;
  int index = row * 64 + ((col ^ (row & %d)) * 8);
  // tessera: prove conflict_free(index over (row = 64, col = 8), st.shared.v4, fp16)
}
'''


def test_mutation(folder):
    def verdicts(bits, mask):
        rows = run(["--json", write(folder, "mutated.cu", MUTATED % (bits, mask))], folder).stdout.decode().splitlines()
        return [json.loads(row).get("verdict", row) for row in rows][:2]

    check(verdicts(3, 7)[0] == "proved", f"swizzle: {verdicts(3, 7)}")
    check(verdicts(1, 7)[0] == "refuted", f"swizzle: {verdicts(1, 7)}")
    index = '''
int index = row * 64 + (col ^ (row & %s)) * 8;  // tessera: prove injective(index over (row = 64, col = 8))
'''
    for mask, verdict in (("7", "proved"), ("15", "refuted")):
        rows = run(["--json", write(folder, "index.cu", index % mask)], folder).stdout.decode().splitlines()
        check(json.loads(rows[0]).get("verdict") == verdict, f"mask {mask}: {rows[0]}")


# Names that a comment binds where the code declares them too, names of two functions, and what is refused.


NAMES = '''
void first() {
  int index = row * 8 + col;  // tessera: index over (row = 8, col = 8)
  // tessera: prove bijective(index)
}
void second() {
  int index = row * 9 + col;
  // tessera: prove bijective(index)
  // tessera: prove bijective(index over (row = 8, col = 9))
}
constexpr int kN = 64;
// tessera: kN = 32
// tessera: assert kN == 64
struct A { using S = Layout<_8, _1>; /* tessera: assert size(S) == 8 */ };
struct B { using S = Layout<_4, _1>; /* tessera: assert size(S) == 4 */ };
void third(int n) {
  int a = n;
  for (int k = 0; k < 4; ++k) a += 8;  // tessera: assert a == 8
  int b = n * 8;  // tessera: prove injective(b over (n = 4))
  asm("" : "=r"(b));
  // tessera: prove injective(b over (n = 4))
}
#define SUM (2 + 1)  // a remark
#define BARE 2 + \\
  1
constexpr int w = 4 * SUM;   // tessera: assert w == 12
constexpr int u = 4 * BARE;  // tessera: assert u == 9
void fourth(float* A, const int* table) {
  extern __shared__ float smem[];
  float* As = smem;
  As[ty * 33 + tx] = A[ty * 32 + tx];  // tessera: prove injective(As over (ty = 32, tx = 32))
  As[ty * 31 + tx] = A[ty * 32 + tx];  // tessera: prove injective(As over (ty = 32, tx = 32))
  As[table[ty]] = 0;  // tessera: prove injective(As over (ty = 32))
}
'''


def test_names(folder):
    name = write(folder, "names.cu", NAMES)
    said = {}
    for row in run(["--json", name], folder).stdout.decode().splitlines():
        one = json.loads(row)
        if one.get("kind") == "summary":
            continue
        line = one.get("line") or one["error"]["line"]
        said[line] = one.get("verdict") or one.get("kind") or one["error"]["message"]
    lines = NAMES.split("\n")
    at = lambda text, k=0: [n + 1 for n, line in enumerate(lines) if text in line][k]
    check(said[4] == "proved", f"{said}")
    check(said[8] == "index is bound by a comment, and declared in line 7", f"{said}")
    check(said[9] == "proved", f"{said}")
    check(said[at("assert kN")] == "kN is bound by a comment, and declared in line 11", f"{said}")
    check(said[at("== 8 */")] == "bool" and said[at("== 4 */")] == "bool", f"{said}")
    check("a of line 17 is changed" in said[at("assert a")], f"{said}")
    check(said[at("prove injective(b")] == "proved", f"{said}")
    check(said[at("ty * 33")] == "proved" and said[at("ty * 31")] == "refuted", f"{said}")
    check(said[at("assert w")] == "bool" and said[at("assert u")] == "bool", f"{said}")
    check("cannot be read" in said[at("table[ty]")], f"{said}")
    check("b of line 19 is changed in line 20" in said[at("prove injective(b", 1)], f"{said}")


# Formats.


EVERYTHING = '''// 100% tessera
using A = decltype(make_layout(Shape<_8, _8>{}, Stride<_8, _0>{}));
// tessera: prove injective(A)
// tessera: prove injective((3,5):(5,1)) by f2
// tessera: assert size(A) == 63
// tessera: prove injective(A
// tessera: prove bijective(8:1)
/* tessera: prove injective(
     A) */
int unknown = f(3);  // tessera: prove injective(unknown)
// tessera: §
'''


def test_formats(folder):
    name = write(folder, "every, thing:1.cu", EVERYTHING)
    results, code = sarif(folder, [name])
    check(code == 1, "exit code")
    want = sorted((line, column) for line, column, _ in places(results, EVERYTHING.encode()))
    check(len(want) == 7, f"{want}")
    check(all(urllib.parse.unquote(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == name
              for r in results), "uri")
    rows = [json.loads(row) for row in run(["--format", "json", name], folder).stdout.decode().splitlines()]
    check(run(["--json", name], folder).stdout.count(b"\n") == len(rows), "--json is --format json")
    failed = [r for r in rows if r.get("kind") != "summary" and (not r["ok"] or r.get("verdict") in ("refuted", "unknown"))]
    check(sorted(r.get("line") or r["error"]["line"] for r in failed) == sorted(l for l, _ in want), f"json: {failed}")
    text = run([name], folder).stdout.decode()
    lines = [int(m) for m in re.findall(r"^  [✗?] line (\d+)", text, re.M)]
    check(sorted(lines) == sorted(l for l, _ in want), f"text: {lines}")
    # The runner of GitHub Actions splits a command as follows (src/Runner.Common/ActionCommand.cs).
    got, messages = [], []
    for row in run(["--format", "github", name], folder).stdout.decode().splitlines():
        match = re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", row)
        check(match is not None, f"github: {row}")
        properties = dict(p.split("=", 1) for p in match.group(2).split(","))
        for escaped, plain in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            properties = {k: v.replace(escaped, plain) for k, v in properties.items()}
        check(properties["file"] == name and properties["title"] != "", f"github: {properties}")
        if "col" in properties:
            got.append((int(properties["line"]), int(properties["col"])))
            check(int(properties["endColumn"]) >= int(properties["col"]), "endColumn")
        else:
            check(properties["line"] != properties["endLine"], "a line without columns")
            got.append((int(properties["line"]), next(c for l, c in want if l == int(properties["line"]))))
        message = match.group(3).replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        messages.append((message, match.group(1)))
    check(sorted(got) == want, f"github: {got}")
    check(messages == [(r["message"]["text"], r["level"]) for r in results], "messages of github and sarif")
    report = json.loads(run(["--format", "gitlab", name], folder).stdout)
    check([(r["description"], r["location"]["lines"]["begin"]) for r in report] ==
          [(r["message"]["text"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in results], "gitlab")
    # Fingerprints do not depend on the lines before.
    moved = write(folder, "every, thing:1.cu", "int z;\n\n\n" + EVERYTHING)
    later, _ = sarif(folder, [moved])
    check([r["partialFingerprints"] for r in later] == [r["partialFingerprints"] for r in results], "fingerprints")
    check([r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in later] ==
          [r["locations"][0]["physicalLocation"]["region"]["startLine"] + 3 for r in results], "moved lines")
    # Programs, modules and sheets.
    write(folder, "bad.graphene", open(os.path.join(ROOT, "assets/graphene/gemm.graphene")).read().replace("+=", "+"))
    write(folder, "bad.hlo", "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[5] negate(p)\n}\n")
    write(folder, "bad.tess", "prove injective(8:0)\nassert 1 == 2\n")
    for name in ("bad.graphene", "bad.hlo", "bad.tess", "missing.tess"):
        results, code = sarif(folder, [name])
        check(results and code in (1, 2), f"{name}: {code} {results}")
        check(run([name], folder).returncode == code, f"{name}: exit codes")
    # Options.
    wrong = run(["--format", "sarf", "bad.tess"], folder)
    check(wrong.returncode == 2 and b"did you mean sarif?" in wrong.stderr, f"{wrong.stderr}")
    check(run(["--json", "--format", "sarif", "bad.tess"], folder).returncode == 2, "--json with another format")
    check(run(["--comments", "pascal", "bad.tess"], folder).returncode == 2, "--comments")
    write(folder, "k.mlir", "// tessera: prove injective(8:0)\n")
    check(run(["--comments", "c", "k.mlir"], folder).returncode == 1, "--comments c")
    check(run(["--comments", "python", "-"], folder, b"# tessera: prove injective(8:1)\n").returncode == 0, "stdin")


def test_folders(folder):
    base = os.path.join(folder, "tree")
    for path in ("b/k.cu", "a/k.py", "a.h", "build/x.cu", "c/out.cu", "c/gen/y.h", ".git/z.cu", "n.txt", "c/keep.h"):
        mark = "#" if path.endswith(".py") else "//"
        write(base, path, f"{mark} tessera: prove injective(8:0)\n")
    write(base, "empty.cu", "int x;\n")
    write(base, ".gitignore", "# made\nbuild/\n/c/out.cu\n*.txt\n")
    write(base, "c/.gitignore", "gen\n")
    results, code = sarif(base, ["."])
    got = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    check(got == ["a/k.py", "a.h", "b/k.cu", "c/keep.h"], f"{got}")
    check(code == 1, "exit code of a folder")
    alone = run(["empty.cu"], base)
    check(alone.returncode == 0 and b"no comment begins with `tessera:`" in alone.stdout, f"{alone.stdout}")


def test_hostile(folder, rng):
    good = "constexpr int kN = 8;\n// tessera: prove injective((kN,8):(8,1))\n"
    texts = [b"// tessera: prove injective(8:1) \x00\n", b"// tessera: \xff\xfe\n", b"\xff\x00" * 2000, b"// tessera:",
             b"/* tessera: prove injective(8:1)", b"/* tessera: */", b"// tessera: " + b"(" * 50000,
             ("// tessera: prove injective(" + "(" * 5000 + "\n" + good).encode(),
             ("{" * 20000 + good).encode(), ("int x = " + "(" * 20000 + ";\n" + good + "// tessera: assert x == 1\n").encode(),
             ("#if 1\n" * 20000 + good).encode(), b"// tessera: A = 1\n" * 20000, b"// x\n" * 1000000,
             ("int a" + " = 1; int a" * 20000 + ";\n// tessera: assert a == 1\n").encode(),
             b"int x = 1;\n" * 1000000, (" " * 3 + "x\n").encode() * 100, b"// tessera: prove injective(idx over (a = 1))",
             b"// tessera: prove injective(x over (x = ", b"// tessera: x over (x = 4) with", b"'" * 5000 + b"\n\"",
             b"int A = B; int B = A;\n// tessera: assert A == B\n", b"#define A B\n#define B A\n// tessera: assert A == 1\n"]
    for k, text in enumerate(texts):
        for ending in (".cu", ".py"):
            name = write(folder, f"hostile{k}{ending}", text.replace(b"//", b"#") if ending == ".py" else text)
            done = run(["--format", "sarif", name], folder)
            log = json.loads(done.stdout)
            if len(log["runs"][0]["results"]) < 2000:
                validate(log)
    base = (MUTATED % (3, 7)).encode()
    for k in range(60):
        text = bytearray(base)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(text))
            text[at:at + rng.randrange(4)] = bytes(rng.choice(b"(){}<>\"'/*\\\n;,=\x00\xff#") for _ in range(rng.randrange(4)))
        name = write(folder, f"damaged{k}.cu", bytes(text))
        results, _ = sarif(folder, [name])
        places([r for r in results if b"\x00" not in text and b"\xff" not in text], bytes(text))


def test_documents(folder):
    path = os.path.join(ROOT, "docs", "ci.md")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", open(path).read(), re.M | re.S)
    ran, name = 0, ""
    for kind, text in blocks:
        named = re.match(r"(?://|#) ([\w.]+)\n", text)
        if kind in ("cpp", "python") and named:
            name = write(folder, named.group(1), text)
        if not text.startswith("$ tessera check"):
            continue
        command, said = text.split("\n", 1)
        done = run(command.split()[3:], folder)
        plain = lambda t: " ".join(re.sub(r",? ?\d+\.\d+ ms", "", t).split())
        check(plain(done.stdout.decode()) == plain(said), f"docs/ci.md: {command}\n{done.stdout.decode()}")
        ran += 1
    check(ran > 1, "docs/ci.md has no examples")


def main():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        test_extraction(folder, random.Random(seed))
        test_random_bytes(folder, random.Random(seed))
        test_scopes(folder, random.Random(seed))
        test_verdicts(folder)
        test_mutation(folder)
        test_names(folder)
        test_formats(folder)
        test_folders(folder)
        test_empty_folder(folder)
        test_hostile(folder, random.Random(seed))
        test_documents(folder)
    print(f"{CHECKS} checks")


main()
