"""Reads of sharded programs against what eight fake devices compute.

One element of one device's shard of an input changes; every element of a result that changes, on whichever device, has
to be among those that the stated reads say. A read is a pair of (parameter, device, element) and (output, device,
element). jax runs in a process of its own, because the number of devices is fixed when it starts.
"""

import itertools
import json
import os
import re
import subprocess
import sys

DEVICES = 8


def programs():
    """(name, function, shapes of the inputs, their shardings, that of the result), over a mesh of 2 x 4 devices."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    shard_map = getattr(jax, "shard_map", None)
    if shard_map is None:
        from jax.experimental.shard_map import shard_map
    mesh = Mesh(np.array(jax.devices()[:DEVICES]).reshape(2, 4), ("x", "y"))

    def shard(f, ins, out):
        return shard_map(f, mesh=mesh, in_specs=ins, out_specs=out)

    ring = [(k, (k + 1) % 4) for k in range(4)]

    def scanned(a, b):
        def step(c, row):
            return c * 1.5 + jax.lax.psum(row * c, "y"), None

        return jax.lax.scan(step, a, b)[0]

    def ringed(a, b):
        def step(_, state):
            c, b = state
            return c + a @ b, jax.lax.ppermute(b, "y", ring)

        return jax.lax.fori_loop(0, 3, step, (a * 0 + b * 0, b))[0]

    def own(a):
        i = jax.lax.axis_index("x") * 4 + jax.lax.axis_index("y")
        return jax.lax.dynamic_slice(a, (0, i), (2, 1)) + jax.lax.psum(a, "x")[:, :1]

    rows, columns, both = P("x", None), P(None, "y"), P("x", "y")
    made = [
        ("contracted", lambda a, b: a @ b, [(4, 8), (8, 4)], [P("x", "y"), P("y", None)], P("x", None)),
        ("gathered", lambda a: a * 2, [(4, 8)], [both], P("x", None)),
        ("resharded", lambda a: a + 1, [(8, 8)], [P(("x", "y"), None)], P(None, ("x", "y"))),
        ("turned", lambda a: a.T, [(4, 8)], [both], both),
        ("psum_x", shard(lambda a: jax.lax.psum(a, "x"), (both,), P(None, "y")), [(4, 8)], [both], columns),
        ("psum_both", shard(lambda a: a / jax.lax.psum(a, ("x", "y")), (both,), both), [(4, 8)], [both], both),
        ("gather_scatter",
         shard(lambda a: jax.lax.psum_scatter(jax.lax.all_gather(a, "y", tiled=True), "x", scatter_dimension=1,
                                              tiled=True), (both,), both), [(4, 8)], [both], both),
        ("all_to_all", shard(lambda a: jax.lax.all_to_all(a, "y", 0, 1, tiled=True), (both,), both),
         [(8, 4)], [both], both),
        ("ppermute", shard(lambda a: jax.lax.ppermute(a, "y", ring), (both,), both), [(4, 8)], [both], both),
        ("shifted", shard(lambda a: a + jax.lax.ppermute(a, "x", [(0, 1)]), (both,), both), [(4, 8)], [both], both),
        ("scattered", shard(lambda a: jax.lax.psum_scatter(a, "y", tiled=True), (rows,), P(("x", "y"), None)),
         [(8, 4)], [rows], P(("x", "y"), None)),
        ("mlp", lambda a, w, v: jnp.tanh(a @ w) @ v, [(4, 4), (4, 8), (8, 4)],
         [rows, columns, P("y", None)], rows),
        ("norm", lambda a: a / jnp.sqrt((a * a).sum(axis=1, keepdims=True)), [(4, 8)], [both], both),
        ("ring", shard(ringed, (both, both), both), [(4, 8), (4, 8)], [both, both], both),
        ("scan", shard(scanned, (both, P(None, "x", "y")), both), [(4, 8), (3, 4, 8)], [both, P(None, "x", "y")], both),
        ("own", shard(own, (P(None, None),), P("x", "y")), [(2, 8)], [P(None, None)], P("x", "y")),
    ]
    for name, f, shapes, ins, out in made:
        yield name, f, shapes, [NamedSharding(mesh, s) for s in ins], NamedSharding(mesh, out)


def work():
    """Prints a line of JSON per program: its text, and what changes with each element of each device."""
    import jax
    import numpy as np

    for name, f, shapes, ins, out in programs():
        jitted = jax.jit(f, in_shardings=tuple(ins), out_shardings=out)
        rng = np.random.default_rng(1)
        given = [(rng.random(s).astype(np.float32) + 0.5) / 4 for s in shapes]
        compiled = jitted.lower(*given).compile()
        parts = []  # by parameter and device: its shard
        for array, sharding in zip(given, ins):
            placed = jax.device_put(array, sharding)
            parts.append({s.device.id: np.array(s.data) for s in placed.addressable_shards})

        def run(changed=None):
            arrays = []
            for k, (array, sharding) in enumerate(zip(given, ins)):
                shards = []
                for device in sharding.device_set:
                    part = parts[k][device.id]
                    if changed and changed[:2] == (k, device.id):
                        part = part.copy()
                        part[changed[2]] += 0.375
                    shards.append(jax.device_put(part, device))
                arrays.append(jax.make_array_from_single_device_arrays(array.shape, sharding, shards))
            results = compiled(*arrays)
            results = results if isinstance(results, (tuple, list)) else [results]
            return [{s.device.id: np.array(s.data) for s in r.addressable_shards} for r in results]

        base = run()
        pairs = []
        for k in range(len(given)):
            for device in range(DEVICES):
                for at in np.ndindex(parts[k][device].shape):
                    for o, (was, now) in enumerate(zip(base, run((k, device, at)))):
                        for p in range(DEVICES):
                            for to in zip(*np.nonzero(was[p] != now[p])):
                                pairs.append([k, device, list(at), o, p, [int(c) for c in to]])
        line = {"name": name, "text": compiled.as_text(), "pairs": pairs}
        line["shapes"] = [list(r[0].shape) for r in base]
        print(json.dumps(line), flush=True)


def as_part(text):
    """The module with an entry that calls its entry, so that reads go through all of it; the caller's name."""
    head = re.search(r"^ENTRY (%?[\w.\-]+)[^\n]*\n", text, re.M)
    body = text[head.end():text.index("\n}", head.end())]
    found = re.findall(r"= (\S+) parameter\((\d+)\)", body)
    types = [t for t, _ in sorted(found, key=lambda f: int(f[1]))]
    result = re.search(r"ROOT %?\S+ = (\([^=]*?\)|\S+) \S+\(", body).group(1)
    lines = [f"  %whole_{k} = {t} parameter({k})" for k, t in enumerate(types)]
    names = ", ".join(f"%whole_{k}" for k in range(len(types)))
    lines.append(f"  ROOT %whole = {result} call({names}), to_apply={head.group(1)}")
    return text[:head.start()] + text[head.start() + len("ENTRY "):] + "\n\nENTRY %wholly {\n" + "\n".join(lines) + "\n}\n"


def image(text):
    """A map's text as a function from coordinates to the set of its results."""
    head, _, domain = text.partition(", domain: ")
    asked, _, results = head.partition(" -> ")
    lists = re.match(r"\(([^)]*)\)(?:\[([^\]]*)\])?(?:\{([^}]*)\})?$", asked)
    dims, ranges, params = ([v.strip() for v in (part or "").split(",") if v.strip()] for part in lists.groups())

    def python(e):
        return compile(e.replace("floordiv", "//").replace(" mod ", " % ").replace(" xor ", " ^ "), "map", "eval")

    bounds, guards = {}, []
    for e, lo, hi in re.findall(r"(?:^|, )(.+?) in \[(-?\d+), (-?\d+)\]", domain):
        if re.fullmatch(r"\w+", e):
            bounds[e] = (int(lo), int(hi))
        else:
            guards.append((python(e), int(lo), int(hi)))
    values = python(results[:-1] + ",)" if results != "()" else "()")
    free = ranges + params

    def of(*at):
        env = dict(zip(dims, at))
        if any(not bounds[d][0] <= env[d] <= bounds[d][1] for d in dims):
            return set()
        found = set()
        for more in itertools.product(*(range(bounds[v][0], bounds[v][1] + 1) for v in free)):
            env.update(zip(free, more))
            if all(lo <= eval(e, {"min": min, "max": max}, env) <= hi for e, lo, hi in guards):
                found.add(eval(values, {"min": min, "max": max}, env))
        return found

    return of


def stated(reach, shape):
    """Pairs ((device, element), (device of the result, its element)) of one operand and output."""
    line = json.loads(reach.json)
    positions = line.get("positions") or [None] * len(line["maps"])
    pairs = set()
    for elements, position in zip(line["maps"], positions):
        of = image(position or elements)
        for at in itertools.product(*(range(n) for n in shape)):
            for p in range(DEVICES):
                if position:
                    pairs |= {((e[-1], e[:-1]), (p, at)) for e in of(*at, p)}
                else:
                    pairs |= {((p, e), (p, at)) for e in of(*at)}
    return pairs


def test_every_change_on_eight_devices_is_a_stated_read():
    import tessera as ts
    from conftest import needs

    needs("jax")
    env = dict(os.environ, JAX_PLATFORMS="cpu", XLA_FLAGS=f"--xla_force_host_platform_device_count={DEVICES}")
    done = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    exact, tight, across, names = 0, 0, 0, []
    for text in done.stdout.splitlines():
        line = json.loads(text)
        module = ts.hlo(as_part(line["text"]))
        assert not module.problems, line["name"]
        changes = {}
        for k, device, at, o, p, to in line["pairs"]:
            changes.setdefault((k, o), set()).add(((device, tuple(at)), (p, tuple(to))))
        names.append(line["name"])
        for reach in module.reads("whole"):
            key = reach.operand_number, reach.output
            assert reach.sound != "unknown", f"{line['name']}: {reach.reason}"
            pairs = stated(reach, line["shapes"][reach.output])
            missing = changes.pop(key, set()) - pairs
            assert not missing, f"{line['name']}: not stated: {sorted(missing)[:3]}, of {reach.maps}"
            across += any(a[0] != b[0] for a, b in pairs)
            exact += reach.sound == "exact"
            found = {((d, tuple(at)), (p, tuple(to))) for k, d, at, o, p, to in line["pairs"] if (k, o) == key}
            tight += reach.sound == "exact" and pairs == found
        assert not changes, f"{line['name']}: reads of {sorted(changes)} are not stated"
    print(f"{len(names)} programs, {exact} exact reads, {tight} of them tight, {across} across devices")
    assert len(names) >= 15 and exact >= 19 and across >= 19 and tight == exact


if __name__ == "__main__":
    work()
