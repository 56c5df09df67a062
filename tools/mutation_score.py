#!/usr/bin/env python3
"""Mutation score of `tessera check`: counts wrong programs that it proves although their CUDA text
computes something else on the CPU.

    tools/mutation_score.py build/test/tessera                            1,000 mutants of the gallery and of the 100 cases
    tools/mutation_score.py build/test/tessera --mutants 40 --seed 7 FILE.graphene ...

Each mutant changes one thing in a program: a barrier, an address, a swizzle, a wait count, a stage, a mask, an initial
value or a type. Its text (`tessera codegen`) runs on the CPU with assets/codegen/tessera_host.h in three orders of
threads, with many mutants in one compilation. If its result differs from that of the original, `check` must not prove
the mutant. Prints the score and each survivor with its change; exit 1 if there is one.

Excluded: programs with symbolic sizes, several kernels, or operands outside global memory.
"""
import argparse, array, math, os, random, re, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>
#include <sys/resource.h>
template <class T> void fill(std::vector<unsigned char>& b, std::size_t n, unsigned seed) {
  b.assign(n * sizeof(T) + 512, 0xff);
  T* at = reinterpret_cast<T*>(b.data() + 256);
  unsigned x = seed * 2654435761u + 12345u;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    if constexpr (std::is_integral_v<T>) at[i] = static_cast<T>(static_cast<int>(x >> 28) - 8);
    else at[i] = T(static_cast<float>(x >> 8) / 8388608.0f - 1.0f);
  }
}
template <class T> void out(const std::vector<unsigned char>& b, std::size_t n) {
  const T* at = reinterpret_cast<const T*>(b.data() + 256);
  for (std::size_t i = 0; i < n; ++i) { const float v = static_cast<float>(at[i]); std::fwrite(&v, 4, 1, stdout); }
}
template <class T> T* start(std::vector<unsigned char>& b) { return reinterpret_cast<T*>(b.data() + 256); }
int main(int, char** words) {
  const rlimit most{40, 40};  // seconds of processor time: a mutant may wait for ever
  setrlimit(RLIMIT_CPU, &most);
  const int which = std::atoi(words[1]);
  const unsigned order = static_cast<unsigned>(std::atoi(words[2]));
  std::string wrong;
%CASES%
  std::fputs(wrong.c_str(), stderr);
  return wrong.empty() ? 0 : 3;
}
"""


def run(command, timeout=120):
    try:
        return subprocess.run(command, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(command, 124, e.stdout or b"", b"")


def places(shape):
    """The number of places that %x:[a,b:c,d] spans; None: not constant."""
    sizes, _, strides = shape.partition(":")
    try:
        n = [int(x) for x in sizes.split(",")] if sizes.strip() else []
        s = [int(x) for x in strides.split(",")] if strides else None
    except ValueError:
        return None
    return math.prod(n) if s is None else 1 + sum((a - 1) * b for a, b in zip(n, s))


class Kernel:
    """The launch parameters of a program's only kernel."""

    def __init__(self, cuda, text):
        head = re.findall(r'extern "C" __global__ void __launch_bounds__\((\d+)\)\s+(\w+)\(([^)]*)\)', cuda)
        spec = re.search(r"^\s*%[\w, %]+<-[^\n]*<<<\s*#(\w+)", text, re.M)
        if len(head) != 1 or not spec:
            raise ValueError("not one kernel")
        self.threads, self.name = int(head[0][0]), head[0][1]
        grid = re.search(r"#" + spec.group(1) + r"\s*:\s*\[([^\]]*)\]", text)
        self.blocks = math.prod(int(x) for x in grid.group(1).split(":")[0].split(","))
        self.params = []
        for p in head[0][2].split(","):
            m = re.match(r"\s*(const )?([\w:]+)\*\s*(?:__restrict__ )?(\w+)$", p)
            declared = m and re.search(r"%" + m.group(3) + r"\s*:\s*(?:Sw<[^>]*>\s*o\s*)?\[([^\]]*)\]\.\w+\.GL", text)
            n = declared and places(declared.group(1))
            if not n or n > 1 << 22:
                raise ValueError("operand " + p)
            self.params.append((m.group(2), m.group(3), n))
        self.params.sort(key=lambda p: p[1])  # by name: the same numbers for the same operand
        self.order = [re.search(r"(\w+)$", p.strip()).group(1) for p in head[0][2].split(",")]
        if self.blocks * self.threads > 1 << 15:
            raise ValueError("too many threads for the CPU")


def cuda_of(tessera, path):
    r = run([tessera, "codegen", str(path)])
    return r.stdout.decode() if r.returncode == 0 else None


def compiled(folder, items):
    """Compiles (cuda, Kernel) of all items into one executable; returns False if the compiler rejects it."""
    main, cases = '#include "tessera_host.h"\n', ""
    for k, (cuda, kernel) in enumerate(items):
        (folder / f"text{k}.cu").write_text(cuda)
        main += f'#define {kernel.name} text{k}_{kernel.name}\n#include "text{k}.cu"\n#undef {kernel.name}\n'
        cases += f"  if (which == {k}) {{\n"
        for i, (t, name, n) in enumerate(kernel.params):
            cases += f"    std::vector<unsigned char> {name}_; fill<{t}>({name}_, {n}u, {i + 1}u);\n"
        types = {name: t for t, name, n in kernel.params}
        args = ", ".join(f"start<{types[a]}>({a}_)" for a in kernel.order)
        cases += f"    wrong = tessera::host::launch({kernel.blocks}, {kernel.threads}, [&] {{ text{k}_{kernel.name}({args}); }}, order);\n"
        cases += "".join(f"    out<{t}>({name}_, {n}u);\n" for t, name, n in kernel.params) + "  }\n"
    (folder / "main.cpp").write_text(main + MAIN.replace("%CASES%", cases))
    r = run([os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing",
             f"-I{ROOT}/assets/codegen", str(folder / "main.cpp"), "-o", str(folder / "run")], 1200)
    if r.returncode != 0:
        sys.stderr.write(r.stderr.decode()[:2000])
    return r.returncode == 0


def result(folder, k, order):
    """The outputs of a run; None: it failed, which counts as a different result."""
    r = run([str(folder / "run"), str(k), str(order)], 3600)
    if r.returncode != 0:
        return None
    values = array.array("f")
    values.frombytes(r.stdout)
    return values


def differ(a, b):
    if a is None or b is None or len(a) != len(b):
        return True
    scale = max((abs(x) for x in a if math.isfinite(x)), default=1.0)
    return any(not (x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= 0.02 * max(scale, 1e-6)) for x, y in zip(a, b))


# ---- the possible mutations of each line of a body: (kind, place, new text)

def changes(lines, first):
    for i in range(first, len(lines)):
        line = lines[i].split("//")[0]
        words = line.strip()
        if words in ("sync", "syncwarp", "commit") or re.fullmatch(r"wait \d+", words):
            yield "barrier removed", i, ""
            for j in (i - 1, i + 1):
                if first <= j < len(lines) and "{" not in lines[j] and "}" not in lines[j] and lines[j].strip():
                    yield "barrier moved", (i, j), None
        if words == "sync":
            yield "barrier weakened", i, line.replace("sync", "syncwarp")
        rules = [
            ("wait count", r"\bwait (\d+)", lambda m: [f"wait {int(m[1]) + 1}"]),
            ("address", r"(?<=[\[,+*(])\s*(\d+)(?=[\],*)])(?![^<]*>)", lambda m: [f"{int(m[1]) + d}" for d in (1, -1) if int(m[1]) + d >= 0]),
            ("address", r"\+ (\d+)", lambda m: [f"+ {int(m[1]) + 1}", "+ 0"]),
            ("index swapped", r"\[(@?\w+),\s*(@?\w+)\]", lambda m: [f"[{m[2]},{m[1]}]"] if m[1] != m[2] else []),
            ("swizzle", r"Sw<(\d),(\d),(\d)>", lambda m: [f"Sw<{m[1]},{int(m[2]) + 1},{m[3]}>", f"Sw<{max(0, int(m[1]) - 1)},{m[2]},{m[3]}>"]),
            ("stage", r"%(\d+)\b(?=[,\]])", lambda m: [f"%{int(m[1]) + 1}"] + ([f"%{int(m[1]) - 1}"] if int(m[1]) > 1 else [])),
            ("mask", r"(?<=if \().*?(<=?|==) (\d+)", lambda m: [m[0][: -len(m[2])] + str(int(m[2]) + d) for d in (1, -1)]),
            ("guard", r"if \(@\w+ (<|==) ", lambda m: [m[0].replace(m[1], "<=" if m[1] == "<" else ">=")]),
            ("trips", r"< (\d+);", lambda m: [f"< {int(m[1]) - 1};", f"< {int(m[1]) + 1};"]),
            ("step", r"\+= (\d+)\)", lambda m: [f"+= {int(m[1]) + 1})"]),
            ("initial value", r"Init<(0|-inf)>", lambda m: ["Init<1>", "Init<-1>"]),
            ("operation", r"<(\+|-|\*|max|min)>", lambda m: [f"<{o}>" for o in ("+", "-", "*", "max") if o != m[1]]),
            ("exchange", r"bfly (\d+)", lambda m: [f"bfly {int(m[1]) // 2 or 2}"]),
            ("type", r"\.(fp32|fp16)\.(RF|SH)", lambda m: [f".{'fp16' if m[1] == 'fp32' else 'fp32'}.{m[2]}"]),
        ]
        for kind, pattern, make in rules:
            for m in re.finditer(pattern, line):
                for new in make(m):
                    at = m.start(1) if kind == "address" and not m[0].startswith("+") else m.start()
                    if line[at:m.end()] != new:
                        yield kind, i, line[:at] + new + line[m.end():]


def mutated(text, change):
    kind, at, new = change
    lines = text.split("\n")
    if new is None:
        lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
    else:
        lines[at] = new
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tessera")
    p.add_argument("files", nargs="*", type=Path)
    p.add_argument("--mutants", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--batch", type=int, default=25, help="texts in one compilation")
    how = p.parse_intermixed_args()
    files = how.files or sorted([*ROOT.glob("assets/graphene/*.graphene"), *ROOT.glob("tests/cases/graphene_programs/*.graphene")])
    chance = random.Random(how.seed)
    folder = Path(tempfile.mkdtemp(prefix="tessera_mutants_"))
    originals, pool = {}, []
    for f in files:
        text, cuda = f.read_text(), cuda_of(how.tessera, f)
        try:
            kernel = Kernel(cuda or "", text)
        except (ValueError, AttributeError):
            continue
        originals[f] = (text, cuda, kernel)
        body = next(i for i, line in enumerate(text.split("\n")) if re.match(r"\s*%.*<-.*<<<", line))
        pool.append((f, list(changes(text.split("\n"), body + 1))))
    # Round robin, so that a long program does not crowd out the others.
    chosen, left = [], [(f, chance.sample(c, len(c))) for f, c in pool]
    while len(chosen) < how.mutants and any(c for _, c in left):
        for f, c in left:
            if c and len(chosen) < how.mutants:
                chosen.append((f, c.pop()))
    expected, refused, unrun, same, caught, survivors = {}, 0, 0, 0, 0, []
    jobs = [(f, None, *originals[f][1:]) for f in dict.fromkeys(f for f, _ in chosen)]
    for f, change in chosen:
        path = folder / "mutant.graphene"
        path.write_text(mutated(originals[f][0], change))
        cuda = cuda_of(how.tessera, path)
        try:
            jobs.append((f, change, cuda, Kernel(cuda or "", path.read_text())))
        except (ValueError, AttributeError):
            refused += 1
    for begin in range(0, len(jobs), how.batch):
        batch = jobs[begin : begin + how.batch]
        if not compiled(folder, [(cuda, kernel) for _, _, cuda, kernel in batch]):
            sys.exit("the compiler refuses a text")
        for k, (f, change, _, _) in enumerate(batch):
            if change is None:
                expected[f] = result(folder, k, 0)
                if expected[f] is None:
                    print(f"left out: {f.name} does not run on the CPU", flush=True)
                continue
            if expected[f] is None:
                unrun += 1
                continue
            if not any(differ(expected[f], result(folder, k, order)) for order in (0, 1, 2)):
                same += 1
                continue
            path = folder / "mutant.graphene"
            path.write_text(mutated(originals[f][0], change))
            if run([how.tessera, "check", str(path)], 600).returncode != 0:
                caught += 1
            else:
                survivors.append((f, change))
                kind, at, new = change
                line = at if isinstance(at, int) else at[0]
                print(f"SURVIVES {f.name}:{line + 1} {kind}: {originals[f][0].splitlines()[line].strip()}  ->  {(new or 'swapped with a neighbour').strip()}", flush=True)
    wrong = caught + len(survivors)
    print(f"{len(originals)} programs, {len(chosen)} mutants: {refused} refused, {unrun} left out, {same} with the same result, {wrong} with another one, "
          f"of these {caught} not proved: score {100.0 * caught / max(wrong, 1):.1f} %")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
