"""What an instruction reads, found by experiment: XLA's CPU backend runs it alone, one element of an operand is
changed, and the elements of the result that change have read it.

    python/tests/perturbation.py FOLDER [N]     every Nth of the distinct instructions of the dumps in FOLDER

Each dump is also examined as a whole, as a call of its entry computation. Collectives run on eight devices. Exit
code 1: a pair that changed is not among the reads or not among the uses, both directions are exact and differ, or an
exact read does not show where it has to. test_perturbation.py runs it.
"""

import collections
import json
import os
import re
import sys

REPLICAS = 8
if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={REPLICAS}"

import numpy as np  # noqa: E402
import tessera as ts  # noqa: E402
from hlo_text import Alone, Constants, IndexingMap, called, computations, first_leaf  # noqa: E402

# Sums of products and copies of their operands' elements: an element that is read shows, as random inputs have no zero
# and sums seldom cancel. An element that a maximum, a comparison or a rounding conversion reads may not show.
SHOWN = set(
    "add bitcast broadcast call complex concatenate convolution copy divide dot fusion get-tuple-element imag multiply "
    "negate pad parameter real reduce reduce-window reshape reverse slice subtract transpose tuple".split()
)
COLLECTIVES = "all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute|partition-id|replica-id"
LARGEST = 4_000_000  # points of a map


class Cpu:
    """XLA's CPU backend, for HLO text. An array of a run has one value per replica, in front."""

    def __init__(self):
        import jax
        from jax._src import xla_bridge
        from jaxlib import _hlo, _jax, xla_client

        self.jax, self.hlo, self.mlir, self.xla_client = jax, _hlo, _jax.mlir, xla_client
        self.client = xla_bridge.get_backend("cpu")
        self.devices = self.client.local_devices()
        try:  # jax registers LAPACK's functions, and loads them with its first call
            from jax._src.lax import linalg  # noqa: F401
            from jaxlib import lapack

            lapack._lapack.initialize()
        except (ImportError, AttributeError):
            pass

    def compiled(self, text, replicas):
        module = self.hlo.hlo_module_from_text(text)
        computation = self.hlo.XlaComputation(module.as_serialized_hlo_module_proto())
        options = self.xla_client.CompileOptions()
        options.num_replicas = replicas
        devices = self.xla_client.DeviceList(tuple(self.devices[:replicas]))
        return self.client.compile_and_load(self.mlir.xla_computation_to_mlir_module(computation), devices, options)

    def put(self, array):
        """One value per replica, as an array that claims to be the same everywhere."""
        if len(array) == 1:
            return self.jax.device_put(array[0], self.devices[0])
        sharding = self.jax.sharding
        mesh = sharding.Mesh(np.asarray(self.devices[: len(array)]), "r")
        everywhere = sharding.NamedSharding(mesh, sharding.PartitionSpec())
        each = [self.jax.device_put(a, d) for a, d in zip(array, self.devices)]
        return self.jax.make_array_from_single_device_arrays(array.shape[1:], everywhere, each)

    def run(self, executable, inputs):
        results = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
        return [np.stack([np.asarray(r) for r in result]) for result in results]


def numpy_type(name):
    import ml_dtypes

    known = {"pred": "bool", "c64": "complex64", "c128": "complex128"}
    if name in known:
        return np.dtype(known[name])
    if name == "bf16":
        return np.dtype(ml_dtypes.bfloat16)
    if name.startswith("f8"):
        return np.dtype(getattr(ml_dtypes, "float8_" + name[2:]))
    name = {"s": "int", "u": "uint", "f": "float"}[name[0]] + name[1:]
    return np.dtype(getattr(ml_dtypes, name) if name in ("int2", "int4", "uint2", "uint4") else name)


def drawn(rng, dtype, shape, bound, linear):
    """Random values. Floats are not zero. Integers are indices of an array of `bound`, or beside it; half of the
    wide unsigned ones are bits; where every read has to show, they are odd."""
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "c" or dtype.kind == "f" or "float" in dtype.name:
        values = rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)
        return (values + 1j * rng.uniform(0.5, 2, shape) if dtype.kind == "c" else values).astype(dtype)
    if linear:
        return (2 * rng.integers(0, min(bound, 4), shape) + 1).astype(dtype)
    unsigned = dtype.name.startswith("uint")
    if dtype.name in ("uint32", "uint64") and rng.random() < 0.5:
        return rng.integers(0, 1 << 31, shape).astype(dtype)
    return rng.integers(0 if unsigned else -1, bound + 1, shape).astype(dtype)


def differs(before, after):
    if before.dtype.kind == "V":  # types that NumPy does not know
        before, after = before.astype(np.float32), after.astype(np.float32)
    moved = before != after
    if before.dtype.kind in "fc":
        moved &= ~(np.isnan(before) & np.isnan(after))
    return moved


def flat(coordinates, dims, text):
    if not dims:
        return 0
    for c, n in zip(coordinates, dims, strict=True):
        if c.size and (c.min() < 0 or c.max() >= n):
            raise IndexError(f"{text} leaves {dims}")
    return np.ravel_multi_index(coordinates, dims) if coordinates[0].size else np.zeros(0, np.int64)


def held(index, array, dims):
    """The run-time value that an operand holds, as a function of a map's variables."""

    def value(at, size):
        coordinates = [np.broadcast_to(eval(e, {}, dict(at)), (size,)) for e in index.results]  # noqa: S307
        return array.ravel()[flat(coordinates, dims, str(index.results))].astype(np.int64)

    return value


def relation(about, source, target, values):
    """The pairs that the maps of a Reach state: [source element, target element], of this device and of another; None:
    too many to list. A position has the device as a further coordinate: (d0, p) -> (e0, q)."""
    own, others = np.zeros((source.size(), target.size()), bool), np.zeros((source.size(), target.size()), bool)
    positions = about.get("positions") or [None] * len(about["maps"])
    for number, (text, position) in enumerate(zip(about["maps"], positions, strict=True)):
        stated = IndexingMap(position or text)
        if stated.count() > LARGEST:
            return None
        runtime = {}
        for value in about.get("runtime", []):
            if value.get("in", 0) == number and value["of"] in values:
                runtime[value["name"]] = held(IndexingMap(value["map"]), *values[value["of"]])
        at, results = stated.points(runtime)
        coordinates = [at[d] for d in stated.d]
        if position:
            here = coordinates.pop() == results.pop()
        pairs = flat(coordinates, source.dims, text), flat(results, target.dims, text)
        if not position:
            own[pairs] = True
            continue
        everywhere = [np.broadcast_to(p, here.shape) for p in pairs]
        own[tuple(p[here] for p in everywhere)] = True
        others[tuple(p[~here] for p in everywhere)] = True
    return own, others


class Report:
    def __init__(self):
        self.instructions = self.runs = self.pairs = self.exact = self.shown = self.held = 0
        self.unknown, self.skipped, self.wrong = collections.Counter(), collections.Counter(), []

    def __str__(self):
        lines = [
            f"perturbation: {self.instructions} instructions, {self.runs} runs, {self.pairs} pairs that changed are "
            f"read and used; of {self.exact} exact reads of linear operations {self.shown} showed"
        ]
        lines += [f"  {self.held} counters of loops were kept at the value that the module gives them"]
        lines += [f"  unknown map: {count} {why}" for why, count in self.unknown.most_common()]
        lines += [f"  not run: {count} {why}" for why, count in self.skipped.most_common()]
        return "\n".join(lines + [f"  WRONG: {w}" for w in self.wrong])


def linear(instruction, known):
    bodies = [i for name in called(instruction, known) for i in known[name]]
    return instruction.opcode in SHOWN and all(i.opcode == "parameter" or linear(i, known) for i in bodies)


class Examination:
    """One instruction: what it is said to read and where its operands are said to go, against what happens."""

    def __init__(self, label, instruction, alone, known, shapes, reaches, report):
        self.label, self.instruction, self.alone, self.report = label, instruction, alone, report
        self.linear = linear(instruction, known)
        self.bound = max([2] + [d for leaf in alone.inputs + alone.outputs for d in leaf.dims])
        self.replicas = REPLICAS if re.search(f" ({COLLECTIVES})\\(", alone.text) else 1
        self.said = collections.defaultdict(list)
        first = first_leaf(instruction, shapes)
        for r in reaches:
            about = json.loads(r.json)
            element = about.get("element", first + r.output if instruction.opcode == "get-tuple-element" else 0)
            self.said[r.reads, r.operand_number, element, r.output].append(about)
            if about["maps"] is None:
                report.unknown[f"{instruction.opcode}: {about.get('reason', '')[:80]}"] += 1

    def run(self, cpu, rng, elements, changes):
        """-> inputs; (input, output) -> pairs that changed, [output, input] in one replica and in two; what was tried"""
        inputs, types = self.alone.inputs, [numpy_type(s.type) for s in self.alone.inputs]
        arrays = [
            drawn(rng, t, [self.replicas, *s.dims], self.bound, self.linear) for t, s in zip(types, inputs, strict=True)
        ]
        for k, value in self.alone.fixed.items():
            arrays[k] = np.full_like(arrays[k], value)
        buffers = [cpu.put(a) for a in arrays]
        base = cpu.run(self.executable, buffers)
        moved, tried = {}, {}
        for k, shape in enumerate(inputs):
            if k in self.alone.fixed:
                continue
            size = shape.size()
            tried[k] = list(range(size)) if size <= elements else sorted(rng.choice(size, elements, replace=False))
            for output, result in enumerate(self.alone.outputs):
                moved[k, output] = [np.zeros((result.size(), size), bool) for _ in range(2)]
            for e in tried[k]:
                for _ in range(changes):
                    now, replica = arrays[k].copy(), int(rng.integers(self.replicas))
                    values = now[replica : replica + 1].reshape(-1)  # a view
                    old = values[e]
                    while values[e] == old:
                        values[e] = ~old if now.dtype == bool else drawn(rng, types[k], (), self.bound, self.linear)
                    after = cpu.run(self.executable, buffers[:k] + [cpu.put(now)] + buffers[k + 1 :])
                    self.report.runs += 1
                    for output, (b, a) in enumerate(zip(base, after, strict=True)):
                        differ = differs(b, a).reshape(self.replicas, -1)
                        moved[k, output][0][:, e] |= differ[replica]
                        moved[k, output][1][:, e] |= np.delete(differ, replica, 0).any(0)
        return arrays, moved, tried

    def stated(self, reads, k, output, values):
        """-> the pairs, [output, input] in one replica and in two, and whether they are exact; None: unknown"""
        here, there = self.alone.outputs[output], self.alone.inputs[k]
        sets, exact = [np.zeros((here.size(), there.size()), bool) for _ in range(2)], True
        for number, element, place in self.alone.places:  # an operand may be given twice
            if place != k:
                continue
            for about in self.said[reads, number, element, output] + self.said[reads, number, -1, output]:
                pairs = about["maps"] is not None and relation(
                    about, *((here, there) if reads else (there, here)), values
                )
                if not pairs:
                    return None
                exact = exact and about["exact"]
                for one, more in zip(sets, pairs, strict=True):
                    one |= more if reads else more.T
        return sets, exact

    def compare(self, arrays, moved, tried):
        wrong, report = self.report.wrong, self.report
        values = {}
        for number, _, k in self.alone.places:
            values.setdefault(self.instruction.operands[number], (arrays[k][0], self.alone.inputs[k].dims))
        if self.replicas > 1:
            values = {}
        for (k, output), pairs in moved.items():
            reads, uses = (self.stated(direction, k, output, values) for direction in (True, False))
            for found, name in ((reads, "does not read it"), (uses, "it does not go to")):
                if found is None:
                    continue
                for one, sets, where in zip(pairs, found[0], ("", " of another replica"), strict=True):
                    if (one & ~sets).any():
                        o, e = np.argwhere(one & ~sets)[0]
                        wrong.append(
                            f"{self.label}: element {e} of input {k}{where} changes element {o} of output {output}, "
                            f"which {name} ({int((one & ~sets).sum())} such pairs)"
                        )
            if reads and uses and reads[1] and uses[1] and (reads[0][0] != uses[0][0]).any():
                wrong.append(f"{self.label}: reads and uses of input {k} in output {output} are exact and differ")
            if reads:
                report.pairs += int((pairs[0] & reads[0][0]).sum() + (pairs[1] & reads[0][1]).sum())
            if reads and reads[1] and self.linear and self.replicas == 1:
                columns = np.isin(np.arange(pairs[0].shape[1]), tried[k])
                silent = reads[0][0] & ~pairs[0] & columns
                report.exact += int((reads[0][0] & columns).sum())
                report.shown += int((reads[0][0] & pairs[0] & columns).sum())
                if silent.any():
                    o, e = np.argwhere(silent)[0]
                    wrong.append(
                        f"{self.label}: element {e} of input {k} is read by element {o} of output {output}, which does "
                        f"not change ({int(silent.sum())} such pairs)"
                    )

    def examine(self, cpu, seed, elements=48, changes=2, draws=2):
        try:
            self.executable = cpu.compiled(self.alone.text, self.replicas)
        except (RuntimeError, ValueError) as error:
            reason = (str(error).splitlines() or [""])[0]
            self.report.skipped[f"{self.instruction.opcode}: {reason[:110]}"] += 1
            return
        self.report.instructions += 1
        self.report.held += len(self.alone.fixed)
        rng = np.random.default_rng(seed)
        for _ in range(draws):
            self.compare(*self.run(cpu, rng, elements, changes))


def whole(text):
    """The module with its entry computation as one instruction of another."""
    entry = computations(text)[""]
    (root,) = [i for i in entry if i.root]
    parameters = sorted((i for i in entry if i.opcode == "parameter"), key=lambda i: int(i.inside))
    name = re.search(r"^ENTRY %?([\w.-]+)", text, re.M)[1]
    text = re.sub(r"^HloModule .*", "HloModule whole", re.sub(r"^ENTRY ", "", text, flags=re.M))
    lines = [f"  whole.p{k} = {p.shape.text} parameter({k})" for k, p in enumerate(parameters)]
    given = ", ".join(f"whole.p{k}" for k in range(len(parameters)))
    lines.append(f"  ROOT whole.r = {root.shape.text} call({given}), to_apply={name}")
    return text + "\n\nENTRY whole {\n" + "\n".join(lines) + "\n}\n"


def instructions(name, text):
    """Label, instruction, its computation, its module's computations, constants, and the engine's Module and number."""
    module, known = ts.hlo(text), computations(text)
    assert not module.problems, (name, module.problems)
    places = {i.line: (computation, i) for computation in known.values() for i in computation}
    assert len(places) == len(module.instructions), name
    constants = Constants(known)
    for k, stated in enumerate(module.instructions):
        computation, instruction = places[stated.line]
        assert (instruction.name, instruction.opcode) == (stated.name, stated.opcode)
        if instruction.operands:
            label = f"{name}: {instruction.name} ({instruction.opcode})"
            yield label, instruction, computation, known, constants, module, k


def check(texts, one_of=1, reaches=lambda module, k: module.reaches(k)):
    """Every distinct instruction of the modules (name -> text), or one of so many. -> Report"""
    import jax

    cpu, report, seen, number = Cpu(), Report(), set(), 0
    with jax.enable_x64(True):
        for name, text in texts.items():
            for label, instruction, computation, known, constants, module, k in instructions(name, text):
                try:
                    alone = Alone(instruction, computation, known, constants)
                except ValueError as error:
                    report.skipped[f"{instruction.opcode}: {error}"] += 1
                    continue
                if alone.key() in seen:
                    continue
                seen.add(alone.key())
                number += 1
                if number % one_of == 0:
                    shapes = {i.name: i.shape for i in computation}
                    one = Examination(label, instruction, alone, known, shapes, reaches(module, k), report)
                    one.examine(cpu, seed=number)
    return report


def dumps(folder):
    names = sorted(n for n in os.listdir(folder) if re.search(r"\.(before|after)\.hlo$|^scan\.hlo$", n))
    texts = {}
    for name in names:
        with open(os.path.join(folder, name)) as file:
            texts[name] = whole(file.read())
    return texts


if __name__ == "__main__":
    result = check(dumps(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(result)
    sys.exit(bool(result.wrong))
