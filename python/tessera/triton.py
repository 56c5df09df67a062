"""Reports about kernels of Triton. Only `report` imports triton, and only to compile; no GPU is used."""

from ._kernel import kernel as _run

_TYPES = {
    "float16": "fp16", "float32": "fp32", "float64": "fp64", "bool": "i1", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip


def report(kernel, *args, grid=1, num_warps=4, num_stages=3, arch=80, run=None, **constants):
    """Runs a Triton kernel on the CPU and reports every access to memory, and races and errors.

    kernel     a function with @triton.jit, compiled here for sm_`arch`; or a compiled kernel (with asm["ptx"])
    args       its arguments that are no constexpr: NumPy arrays, numbers, or texts as tessera.kernel() takes them;
               a text's type is that of its elements: "f32[1024]"
    constants  its constexprs, by name
    run        options of tessera.kernel(): {"reference": "C = A + B"}
    """
    compiled = kernel
    if not hasattr(kernel, "asm"):
        compiled = _compiled(kernel, args, num_warps, num_stages, arch, constants)
    elif constants:
        raise TypeError("a compiled kernel has its constants: " + ", ".join(constants))
    meta = compiled.metadata
    block = 32 * getattr(meta, "num_warps", num_warps)
    return _run(
        compiled.asm["ptx"],
        grid,
        block,
        list(args),
        entry=getattr(meta, "name", "") or "",
        shared=getattr(meta, "shared", 0) or 0,
        **(run or {}),
    )


def _compiled(function, args, num_warps, num_stages, arch, constants):
    if not hasattr(function, "arg_names"):
        raise TypeError("report() takes a function with @triton.jit or a compiled kernel, not %r" % (function,))
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    names = [p for p in function.arg_names if p not in constants]
    if len(names) != len(args):
        raise TypeError("the kernel takes %s and the constants %s" % (names, list(constants)))
    signature = {name: _type(value) for name, value in zip(names, args)}
    signature.update({name: "constexpr" for name in constants})
    if getattr(function, "is_gluon", lambda: False)():
        from triton.experimental.gluon._runtime import GluonASTSource as ASTSource
    # As Triton specialises a launch: buffers are aligned to 16 bytes, and numbers may be multiples of 16.
    values = dict(zip(names, args))
    aligned = [k for k, name in enumerate(function.arg_names) if name in values and _is_aligned(values[name])]
    source = ASTSource(
        fn=function,
        signature={name: signature[name] for name in function.arg_names},
        constexprs=constants,
        attrs={(k,): [["tt.divisibility", 16]] for k in aligned},
    )
    options = {"num_warps": num_warps, "num_stages": num_stages}
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)


def _is_aligned(value):
    if isinstance(value, int):
        return not isinstance(value, bool) and value % 16 == 0
    return _type(value).startswith("*")


def _type(value):
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"
    if isinstance(value, float):
        return "fp32"
    if isinstance(value, str):
        name = value.split("=")[-1] if "[" not in value.split("=")[0] else value
        element = name.split("[")[0].split(":")[0].strip()
        own = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "bf16": "bf16", "bfloat16": "bf16"}
        element = own.get(element, element)
        element = _TYPES.get(element, element)
        return "*" + element if "[" in value else element
    name = value.dtype.name
    if name not in _TYPES:
        raise TypeError("Triton has no type for an array of " + name)
    return "*" + _TYPES[name] if getattr(value, "ndim", 0) or hasattr(value, "__array_interface__") else _TYPES[name]
