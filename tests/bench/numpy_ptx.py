#!/usr/bin/env python3
"""A small interpreter of PTX in NumPy: the baseline of the PTX machine's speed (docs/benchmarks.md).

    numpy_ptx.py KERNELS.ptx --entry grid_stride --grid 64 --block 256 --arg f32:262144 --arg f32:262144 --arg 262144

Each instruction is one NumPy operation on the lanes of a wave: a warp, or with --wave N as many threads of a block.
Waves run until a barrier, in turn. It checks nothing: no bounds, no races, no definedness. --arg TYPE:COUNT is a buffer
of ones, a number a scalar. It prints the thread instructions, the seconds of processor time and a checksum of the
buffers, as JSON.

It knows what the measured kernels use: integer and f32 arithmetic, ld, st, cp.async, ldmatrix, mma.m16n8k16 of f16,
barriers and branches that diverge (the group at the smallest program counter runs first).
"""
import argparse
import json
import re
import time

import numpy as np

SHARED = 1 << 40  # address of shared memory, whose low 32 bits are the offset; buffers are below
DTYPE = {
    "b8": np.uint8, "u8": np.uint8, "s8": np.int8, "b16": np.uint16, "u16": np.uint16, "s16": np.int16,
    "f16": np.uint16, "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "f32": np.float32, "b64": np.uint64,
    "u64": np.uint64, "s64": np.int64, "f64": np.float64, "pred": np.bool_, "f16x2": np.uint32,
}
COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal,
}


class Kernel:
    """The instructions of an entry: (guard, negated, opcode parts, operands)."""

    def __init__(self, text, entry):
        match = re.search(r"\.entry\s+" + re.escape(entry) + r"\s*\((.*?)\)\s*[^{]*\{(.*?)\n\}", text, re.S)
        if match is None:
            raise SystemExit(f"{entry}: no such entry")
        self.parameters = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)(?:\s+\.\w+)*\s+(\w+)", match[1])
        self.types, self.shared, self.shared_bytes = {}, {}, 0
        self.code, self.labels = [], {}
        module = re.findall(r"^\.(?:extern\s+)?shared\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[(\d*)\]", text, re.M)
        for align, name, size in module:
            self.variable(int(align), name, int(size or 0))
        body = re.sub(r"//[^\n]*", "", match[2])
        for statement in re.split(r"[;\n](?![^{]*\}[^;{]*;)", body.replace("{", " {").replace("}", "} ")):
            self.statement(" ".join(statement.split()))
        self.code.append((None, False, ["ret"], []))

    def variable(self, align, name, size):
        self.shared_bytes = (self.shared_bytes + align - 1) // align * align
        self.shared[name] = SHARED + self.shared_bytes
        self.shared_bytes += size

    def statement(self, s):
        label = re.match(r"(\$?\w+):\s*", s)
        if label:
            self.labels[label[1]] = len(self.code)
            s = s[label.end():]
        if (m := re.match(r"\.reg\s+\.(\w+)\s+(%\w+)<(\d+)>", s)):
            for k in range(int(m[3])):
                self.types[f"{m[2]}{k}"] = m[1]
        elif (m := re.match(r"\.reg\s+\.(\w+)\s+(.+)", s)):
            for name in m[2].split(","):
                self.types[name.strip()] = m[1]
        elif (m := re.match(r"\.shared\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[(\d+)\]", s)):
            self.variable(int(m[1]), m[2], int(m[3]))
        elif s and s[0] not in ".{}":
            m = re.match(r"(?:@(!?)(%\w+)\s+)?([\w.:]+)\s*(.*)", s)
            operands = [o.strip() for o in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*", m[4])]
            self.code.append((m[2], m[1] == "!", m[3].split("."), operands))


class Block:
    def __init__(self, machine, at):
        self.machine = machine
        self.shared = np.zeros(max(machine.kernel.shared_bytes + machine.dynamic, 16), np.uint8)
        self.waves = [Wave(self, at, first) for first in range(0, machine.threads, machine.wave)]

    def run(self):
        live = [wave.run() for wave in self.waves]
        while live:
            live = [wave for wave in live if next(wave, None) is not None]


class Wave:
    """Threads of a block that execute together: registers are arrays over them."""

    def __init__(self, block, at, first):
        machine = block.machine
        self.block, self.machine, self.registers = block, machine, {}
        tid = np.arange(first, min(first + machine.wave, machine.threads), dtype=np.uint32)
        self.lanes = len(tid)
        x, y, _ = machine.block_shape
        parts = {"%tid": (tid % x, tid // x % y, tid // x // y), "%ntid": machine.block_shape, "%ctaid": at,
                 "%nctaid": machine.grid, "%laneid": (tid % 32, 0, 0)}
        for name, values in parts.items():
            for axis, value in zip("xyz", values):
                self.registers[f"{name}.{axis}"] = np.broadcast_to(np.asarray(value, np.uint32), self.lanes)
        self.registers["%laneid"] = tid % 32

    def run(self):
        """Yields at barriers."""
        machine = self.machine
        steps, groups = machine.steps, [(0, None)]  # program counter and mask; None: all lanes
        while groups:
            pc, mask = groups.pop()
            meet = min((g[0] for g in groups), default=len(steps))
            while pc is not None:
                if pc >= meet:
                    groups.append((pc, mask))
                    groups = merged(groups, self.lanes)
                    break
                guard, negated, run, size = steps[pc]
                active = mask
                if guard is not None:
                    p = self.registers[guard]
                    p = ~p if negated else p
                    active = p if mask is None else p & mask
                    if active.all():
                        active = None
                machine.executed += self.lanes if mask is None else int(mask.sum())
                if active is not None and not active.any():
                    pc += 1
                    continue
                if size == "ret":
                    rest = None if active is None else ~active if mask is None else mask & ~active
                    pc, mask = (pc + 1, rest) if rest is not None and rest.any() else (None, None)
                elif size == "bra":
                    rest = None if active is None else ~active if mask is None else mask & ~active
                    if rest is not None and rest.any():
                        groups += [(pc + 1, rest), (run, active)]
                        groups = merged(groups, self.lanes)
                        break
                    pc = run
                elif size == "bar":
                    yield True
                    pc += 1
                else:
                    run(self, active)
                    pc += 1

    def put(self, name, value, mask):
        if mask is None:
            self.registers[name] = value
        else:
            old = self.registers.get(name)
            self.registers[name] = np.where(mask, value, np.zeros_like(value) if old is None else old.view(value.dtype))


def merged(groups, lanes):
    """Groups by descending program counter, those at one joined."""
    out = {}
    for pc, mask in groups:
        mask = np.ones(lanes, np.bool_) if mask is None else mask
        out[pc] = out[pc] | mask if pc in out else mask
    return [(pc, None if out[pc].all() else out[pc]) for pc in sorted(out, reverse=True)]


class Machine:
    def __init__(self, kernel, grid, block, arguments, wave, dynamic=0):
        self.kernel, self.grid, self.block_shape, self.wave = kernel, grid, block, wave
        self.threads, self.dynamic, self.executed = block[0] * block[1] * block[2], dynamic, 0
        self.parameters, self.buffers, size = {}, [], 256
        for (_, name), argument in zip(kernel.parameters, arguments):
            if isinstance(argument, np.ndarray):
                self.parameters[name] = size
                self.buffers.append((size, argument))
                size += (argument.nbytes + 255) // 256 * 256
            else:
                self.parameters[name] = argument
        self.memory = np.zeros(size, np.uint8)
        for at, argument in self.buffers:
            self.memory[at:at + argument.nbytes] = argument.view(np.uint8)
        self.steps = [self.step(*i) for i in kernel.code]

    def run(self):
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    Block(self, (x, y, z)).run()

    # ---- compiling to closures

    def step(self, guard, negated, op, operands):
        if op[0] in ("ret", "exit"):
            return guard, negated, None, "ret"
        if op[0] == "bra":
            return guard, negated, self.kernel.labels[operands[0]], "bra"
        if op[0] in ("bar", "barrier"):
            return guard, negated, None, None if "warp" in op else "bar"
        if op[0] in ("commit_group", "wait_group") or "commit_group" in op or "wait_group" in op or "wait_all" in op:
            return guard, negated, lambda w, m: None, None
        return guard, negated, getattr(self, "op_" + op[0].replace(":", "_"))(op, operands), None

    def source(self, text, dtype):
        """A function from the wave to the operand's lanes."""
        dtype = np.dtype(dtype)
        if text.startswith("%"):
            def lanes(w):
                held = w.registers[text]
                return held if held.dtype == dtype else \
                    held.view(dtype) if held.dtype.itemsize == dtype.itemsize else held.astype(dtype)
            return lanes
        if text in self.kernel.shared:
            value = np.asarray(self.kernel.shared[text], np.uint64).astype(dtype)
        elif text[:2] in ("0f", "0F"):
            value = np.asarray(int(text[2:], 16), np.uint32).view(np.float32).astype(dtype)
        else:
            value = np.asarray(int(text, 0) & ((1 << 8 * dtype.itemsize) - 1),
                               f"u{dtype.itemsize}").view(dtype) if dtype.kind in "iu" else \
                np.asarray(float(int(text, 0)) if dtype.kind == "f" else bool(int(text, 0)), dtype)
        return lambda w: np.broadcast_to(value, w.lanes)

    def elementwise(self, operands, types, function, out=None):
        sources = [self.source(o, t) for o, t in zip(operands[1:], types)]
        name = operands[0]
        if len(sources) == 1:
            a, = sources
            return lambda w, m: w.put(name, function(a(w)), m)
        if len(sources) == 2:
            a, b = sources
            return lambda w, m: w.put(name, function(a(w), b(w)), m)
        a, b, c = sources
        return lambda w, m: w.put(name, function(a(w), b(w), c(w)), m)

    def binary(self, op, operands, function):
        t = DTYPE[op[-1]]
        return self.elementwise(operands, [t, t, t], function)

    def op_mov(self, op, operands):
        t = DTYPE[op[-1]]
        if operands[0].startswith("{"):
            names = [n.strip() for n in operands[0][1:-1].split(",")]
            part, a = np.dtype(f"u{np.dtype(t).itemsize // len(names)}"), self.source(operands[1], t)

            def split(w, m):
                pieces = np.ascontiguousarray(a(w)).view(part).reshape(w.lanes, -1)
                for k, n in enumerate(names):
                    if n != "_":
                        w.put(n, pieces[:, k].copy(), m)
            return split
        if operands[1].startswith("{"):
            names = [n.strip() for n in operands[1][1:-1].split(",")]
            part = np.dtype(f"u{np.dtype(t).itemsize // len(names)}")
            sources = [self.source(n, part) for n in names]
            return lambda w, m: w.put(operands[0], np.stack([s(w) for s in sources], 1).view(t)[:, 0], m)
        return self.elementwise(operands, [t], lambda a: a)

    def op_add(self, op, operands):
        return self.binary(op, operands, np.add)

    def op_sub(self, op, operands):
        return self.binary(op, operands, np.subtract)

    def wide(self, t):
        return {"s32": np.int64, "u32": np.uint64, "s16": np.int32, "u16": np.uint32}[t]

    def op_mul(self, op, operands):
        if "wide" not in op:
            return self.binary(op, operands, np.multiply)
        t, to = DTYPE[op[-1]], self.wide(op[-1])
        return self.elementwise(operands, [t, t], lambda a, b: np.multiply(a, b, dtype=to))

    def op_mad(self, op, operands):
        t = DTYPE[op[-1]]
        if "wide" not in op:
            return self.elementwise(operands, [t, t, t], lambda a, b, c: a * b + c)
        to = self.wide(op[-1])
        return self.elementwise(operands, [t, t, to], lambda a, b, c: np.multiply(a, b, dtype=to) + c)

    def op_fma(self, op, operands):
        # Not fused: f32 in double, rounded once more.
        def fused(a, b, c):
            return np.add(np.multiply(a, b, dtype=np.float64), c).astype(np.float32)
        return self.binary(op, operands, fused)

    def op_and(self, op, operands):
        return self.binary(op, operands, np.bitwise_and)

    def op_or(self, op, operands):
        return self.binary(op, operands, np.bitwise_or)

    def op_xor(self, op, operands):
        return self.binary(op, operands, np.bitwise_xor)

    def op_not(self, op, operands):
        return self.binary(op, operands, np.invert)

    def op_min(self, op, operands):
        return self.binary(op, operands, np.minimum)

    def op_max(self, op, operands):
        return self.binary(op, operands, np.maximum)

    def op_shl(self, op, operands):
        t = DTYPE[op[-1]]
        return self.elementwise(operands, [t, np.uint32], lambda a, b: a << b.astype(a.dtype))

    def op_shr(self, op, operands):
        t = DTYPE[op[-1]]
        return self.elementwise(operands, [t, np.uint32], lambda a, b: a >> b.astype(a.dtype))

    def op_setp(self, op, operands):
        t = DTYPE[op[-1]]
        return self.elementwise(operands, [t, t], COMPARE[op[1]])

    def op_selp(self, op, operands):
        t = DTYPE[op[-1]]
        return self.elementwise(operands, [t, t, np.bool_], lambda a, b, c: np.where(c, a, b))

    def op_cvt(self, op, operands):
        to, t = op[-2], op[-1]
        if to == "f16":
            return self.elementwise(operands, [DTYPE[t]], lambda a: a.astype(np.float16).view(np.uint16))
        if t == "f16":
            return self.elementwise(operands, [np.uint16], lambda a: a.view(np.float16).astype(DTYPE[to]))
        return self.elementwise(operands, [DTYPE[t]], lambda a: a.astype(DTYPE[to]))

    def op_cvta(self, op, operands):
        t = DTYPE[op[-1]]
        if "shared" in op and "to" in op:
            return self.elementwise(operands, [t], lambda a: a - np.uint64(SHARED))
        return self.elementwise(operands, [t], lambda a: a)

    def op_shfl(self, op, operands):
        if "idx" not in op:
            raise SystemExit(".".join(op) + " is not known")
        name, a, b = operands[0].split("|")[0], self.source(operands[1], np.uint32), self.source(operands[2], np.uint32)

        def shuffle(w, m):
            lane = np.arange(w.lanes)
            w.put(name, a(w)[lane // 32 * 32 + b(w) % 32], m)
        return shuffle

    # ---- memory

    def address(self, text, shared):
        m = re.match(r"\[\s*([%$\w.]+)\s*(?:\+\s*(-?\d+))?\s*\]", text)
        base, offset = m[1], int(m[2] or 0)
        if base in self.kernel.shared:
            at = self.kernel.shared[base] - SHARED + offset
            return lambda w: np.broadcast_to(np.asarray(at, np.int64), w.lanes)
        def lanes(w):
            held = w.registers[base]
            return (held.astype(np.int64) & 0xffffffff if shared else held.view(np.int64)) + offset
        return lanes

    def op_ld(self, op, operands):
        dtype = np.dtype(DTYPE[op[-1]])
        names = [n.strip() for n in operands[0].strip("{}").split(",")]
        if "param" in op:
            value = self.parameters[operands[1].strip("[]").split("+")[0]]
            bits = np.asarray(value, np.int64).astype(f"u{dtype.itemsize}").view(dtype)
            return lambda w, m: w.put(names[0], np.full(w.lanes, bits), m)
        shared = any(p.startswith("shared") for p in op)
        address = self.address(operands[1], shared)

        def load(w, m):
            memory = (w.block.shared if shared else self.memory).view(dtype)
            index = address(w) // dtype.itemsize
            if m is not None:
                index = np.where(m, index, 0)
            for k, name in enumerate(names):
                if name != "_":
                    w.put(name, memory[index + k], m)
        return load

    def op_st(self, op, operands):
        dtype = np.dtype(DTYPE[op[-1]])
        sources = [self.source(n.strip(), dtype) for n in operands[1].strip("{}").split(",")]
        shared = any(p.startswith("shared") for p in op)
        address = self.address(operands[0], shared)

        def store(w, m):
            memory = (w.block.shared if shared else self.memory).view(dtype)
            index = address(w) // dtype.itemsize
            for k, s in enumerate(sources):
                if m is None:
                    memory[index + k] = s(w)
                else:
                    memory[index[m] + k] = s(w)[m]
        return store

    def op_cp(self, op, operands):
        to, source, size = self.address(operands[0], True), self.address(operands[1], False), int(operands[2])

        def copy(w, m):
            a, b = to(w) // 4, source(w) // 4
            if m is not None:
                a, b = a[m], b[m]
            out, memory = w.block.shared.view(np.uint32), self.memory.view(np.uint32)
            for k in range(size // 4):
                out[a + k] = memory[b + k]
        return copy

    def op_ldmatrix(self, op, operands):
        names = [n.strip() for n in operands[0].strip("{}").split(",")]
        address, trans = self.address(operands[1], True), "trans" in op

        def load(w, m):
            halves = w.block.shared.view(np.uint16)
            rows = halves[(address(w) // 2)[:, None] + np.arange(8)].reshape(-1, 32, 8)  # warp, address, element
            for k, name in enumerate(names):
                matrix = rows[:, 8 * k:8 * k + 8]
                matrix = matrix.transpose(0, 2, 1) if trans else matrix
                w.put(name, np.ascontiguousarray(matrix).view(np.uint32).reshape(-1), m)
        return load

    def op_mma(self, op, operands):
        if op[3:] != ["m16n8k16", "row", "col", "f32", "f16", "f16", "f32"]:
            raise SystemExit(".".join(op) + " is not known")
        names = [[n.strip() for n in o.strip("{}").split(",")] for o in operands]
        a, b = ([self.source(n, np.uint32) for n in part] for part in names[1:3])
        c = [self.source(n, np.float32) for n in names[3]]

        def multiply(w, m):
            def halves(s):  # warp, row of 8, columns of 8
                return np.ascontiguousarray(s(w)).view(np.float16).astype(np.float64).reshape(-1, 8, 8)
            tile_a = np.concatenate([np.concatenate([halves(a[0]), halves(a[2])], 2),
                                     np.concatenate([halves(a[1]), halves(a[3])], 2)], 1)
            tile_b = np.concatenate([halves(b[0]), halves(b[1])], 2).transpose(0, 2, 1)
            d = (tile_a @ tile_b).reshape(-1, 2, 8, 4, 2)  # warp, half, row, lane of four, register
            for k, name in enumerate(names[0]):
                w.put(name, (d[:, k // 2, :, :, k % 2].reshape(-1) + c[k](w)).astype(np.float32), m)
        return multiply


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--entry", required=True)
    parser.add_argument("--grid", default="1")
    parser.add_argument("--block", default="32")
    parser.add_argument("--shared", type=int, default=0, help="dynamic shared memory")
    parser.add_argument("--wave", type=int, default=32, help="threads that execute together")
    parser.add_argument("--arg", action="append", default=[])
    options = parser.parse_args()
    shape = lambda text: tuple(int(n) for n in (text.split(",") + ["1", "1"])[:3])
    arguments = []
    for text in options.arg:
        kind, _, count = text.partition(":")
        arguments.append(np.ones(int(count), np.float16 if kind == "f16" else DTYPE[kind]) if count else int(kind))
    with open(options.file, encoding="utf-8") as file:
        kernel = Kernel(file.read(), options.entry)
    machine = Machine(kernel, shape(options.grid), shape(options.block), arguments, options.wave, options.shared)
    start = time.process_time()
    machine.run()
    seconds = time.process_time() - start
    sums = [float(machine.memory[at:at + b.nbytes].view(b.dtype).astype(np.float64).sum()) for at, b in machine.buffers]
    print(json.dumps({"instructions": machine.executed, "seconds": seconds,
                      "millions": machine.executed / seconds / 1e6, "sums": sums}))


if __name__ == "__main__":
    main()
