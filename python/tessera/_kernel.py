"""Compiled kernels, run on the CPU, and Graphene programs."""

from operator import index as _index

from . import _engine
from ._engine import Buffer, KernelRun


def kernel(
    ptx,
    grid,
    block=(),
    args=(),
    *,
    entry="",
    cluster=(),
    shared=0,
    seed=1,
    steps=1 << 33,
    reference="",
    tolerance=0.0,
    prove=False,
    barriers=False,
):
    """Runs a kernel given as PTX on the CPU and reports races of every schedule, errors, and each access to memory.

    ptx        the text, or the bytes of a cubin or program with PTX inside
    args       by parameter: a NumPy array (a buffer), a number, None (any value), or a text: "f32[1024]" (random),
               "f32[64]=0", "int32:5", "tensormap:f16[1024,512],box=64x64"; a dict gives them names for the reference
    reference  "C = A @ B": compares the buffers after the run; prove: for every value of the buffers
    barriers   also removes each barrier in turn

    >>> import tessera as ts
    >>> run = ts.kernel('''.version 7.0
    ... .target sm_70
    ... .address_size 64
    ... .visible .entry twice(.param .u64 a) {
    ...   .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<3>;
    ...   ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    ...   ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd3], %f2; ret;
    ... }''', grid=1, block=32, args=["f32[32]=1.5"])
    >>> run.verdict, run.findings, run.buffers[0][:3].tolist()
    ('clean', [], [3.0, 3.0, 3.0])
    >>> [(a.op, a.sectors, a.ideal_sectors) for a in run.accesses]
    [('ld.global.f32', 4, 4), ('st.global.f32', 4, 4)]
    """
    text = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
    items = args.items() if isinstance(args, dict) else [("", a) for a in args]
    arguments = [_argument(name, value) for name, value in items]
    return _engine.run_kernel(
        text,
        entry,
        _extents(grid),
        _extents(block),
        _extents(cluster),
        shared,
        arguments,
        seed,
        steps,
        reference,
        float(tolerance),
        prove,
        barriers,
    )


def _extents(value):
    return [_index(x) for x in value] if isinstance(value, (tuple, list)) else [_index(value)]


def _argument(name, value):
    """(text, type, shape, buffer or None)."""
    prefix = name + "=" if name else ""
    if value is None:
        return prefix + "_", "", [], None
    if isinstance(value, str):
        return prefix + value, "", [], None
    if isinstance(value, bool):
        return prefix + ("1" if value else "0"), "", [], None
    if isinstance(value, int):
        return prefix + str(value), "", [], None
    if isinstance(value, float):
        return prefix + repr(value), "", [], None
    import numpy

    if isinstance(value, numpy.generic):
        return "%s%s:%s" % (prefix, value.dtype.name, value.item()), "", [], None
    array = numpy.ascontiguousarray(value)
    if array.dtype.hasobject:
        raise TypeError("an argument of a kernel is an array of numbers, not of objects")
    if array.dtype.byteorder == ">" or array.dtype != array.dtype.newbyteorder("<"):
        array = array.astype(array.dtype.newbyteorder("<"))
    return name, array.dtype.str, list(array.shape), array


def _buffers(self):
    """The buffers after the run as read-only NumPy arrays, by parameter; None for scalars."""
    return [_buffer_array(buffer) for buffer in self._buffers]


def _buffer_array(buffer):
    if not buffer.type:
        return None
    return buffer.bytes.view(buffer.type).reshape(buffer.shape)


def _run_html(self):
    import html

    return "<pre>%s</pre>" % html.escape(self.text)


KernelRun.buffers = property(_buffers, doc=_buffers.__doc__)
KernelRun._repr_html_ = _run_html
Buffer.array = property(_buffer_array, doc="The buffer as a read-only NumPy array; None for a scalar.")


def check_program(text, *, architecture="", settings=(), sizes=(), seconds=10.0):
    """Checks every obligation of a Graphene program: bounds, races, coverage, values ... True if all hold."""
    return _engine.check_program(text, architecture, list(settings), list(sizes), seconds)
