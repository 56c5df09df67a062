"""Layouts of other libraries, recognized by attributes and text. None of the libraries is imported.

    numpy, torch          strides in elements; offset 0 is the first element of the view
    CuTe DSL              the text that it prints; a swizzle acts on elements, as the object itself does, unless
                          `elements` names the type whose bytes it counts
    pycute, tensor-layouts   shape and stride
    Gluon, Triton         their repr, read like pasted text; `shape` is that of the tile
    jax                   arrays and their shapes as XLA shapes; shardings with a shape as Axe layouts
"""

from operator import index as _index

from . import _engine


def shape_text(shape):
    """(4, (2, 2)) as text, checked."""
    if isinstance(shape, (tuple, list)):
        return "(%s)" % ",".join(shape_text(one) for one in shape)
    return "%d" % _index(shape)


def _is_shape(value):
    if isinstance(value, (tuple, list)):
        return all(_is_shape(one) for one in value)
    return hasattr(value, "__index__")


def _module(source):
    return (getattr(type(source), "__module__", "") or "").split(".")[0]


def _from_pair(shape, stride, seconds):
    return _engine.layout("%s:%s" % (shape_text(shape), shape_text(stride)), {}, seconds)


def _numpy(array, seconds):
    if array.itemsize == 0 or any(s % array.itemsize for s in array.strides):
        raise ValueError("the strides %s are no multiples of the element's %d bytes" % (array.strides, array.itemsize))
    return _strided(array.shape, [s // array.itemsize for s in array.strides], seconds)


def _strided(shape, strides, seconds):
    if not len(shape):
        return _engine.layout("1:0", {}, seconds)
    if 0 in tuple(shape):
        raise ValueError("an array without elements has no layout")
    return _from_pair(tuple(shape), tuple(strides), seconds)


def _cute(source, elements, seconds):
    text = str(source)
    if elements is not None:
        return _engine.layout("%s over %s" % (text, elements), {}, seconds)
    return _engine.layout(text.replace("S<", "Sw<"), {}, seconds)


def _triton(source, shape, seconds):
    pasted = _engine.paste(repr(source), [], [], "", seconds)
    text = pasted.statements[-1]
    if shape is not None and " over " not in text:
        text += " over " + shape_text(shape)
    return _engine.layout(text, {}, seconds)


_XLA_TYPES = {
    "bool": "pred", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int4": "s4",
    "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64", "uint4": "u4", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "complex64": "c64", "complex128": "c128", "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2", "float8_e4m3b11fnuz": "f8e4m3b11fnuz", "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz",
}  # fmt: skip


def _major_to_minor(source):
    """Of a jax.Array with a layout of its own; else None, None."""
    for name in ("format", "layout"):
        held = getattr(source, name, None)
        held = getattr(held, "layout", None) or getattr(held, "device_local_layout", None) or held
        order = getattr(held, "major_to_minor", None)
        if order is not None:
            return tuple(order), getattr(held, "tiling", None)
    return None, None


def _jax_array(source, seconds):
    name = str(source.dtype)
    if name not in _XLA_TYPES:
        raise ValueError("XLA has no type for jax's %s" % name)
    shape = [_index(extent) for extent in source.shape]
    order, tiling = _major_to_minor(source)
    order = range(len(shape)) if order is None else order
    text = "%s[%s]{%s" % (_XLA_TYPES[name], ",".join(map(str, shape)), ",".join(map(str, reversed(tuple(order)))))
    if tiling:
        text += ":T" + "".join("(%s)" % ",".join(map(str, tile)) for tile in tiling)
    return _engine.layout(text + "}", {}, seconds)


def _jax_sharding(source, shape, seconds):
    if shape is None:
        raise TypeError("a sharding needs the shape of the array: layout(sharding, (64, 128))")
    mesh, spec = source.mesh, tuple(source.spec)
    sizes = dict(mesh.shape)
    try:
        devices = mesh.devices
    except (AttributeError, ValueError):  # of an AbstractMesh
        devices = None
    if hasattr(devices, "flat"):
        ids = [d.id for d in devices.flat]
        if ids != list(range(len(ids))):
            raise ValueError("the devices of the mesh are not numbered in its order: %s" % ids)
    strides, step = {}, 1
    for name in reversed(list(sizes)):
        strides[name], step = step, step * sizes[name]
    placed, order = {}, []
    for dimension, names in enumerate(spec):
        if names is None:
            continue
        if not isinstance(names, (str, tuple, list)):
            raise ValueError("%r is no mesh axis" % (names,))
        for name in (names,) if isinstance(names, str) else names:
            placed[name] = "S%d" % dimension
            order.append(name)  # the first one of a dimension is its major part
    order += [name for name in sizes if name not in placed]
    text = "shard(%s, mesh (%s):(%s), %s)" % (
        shape_text(shape),
        ",".join(str(sizes[name]) for name in order),
        ",".join(str(strides[name]) for name in order),
        ", ".join(placed.get(name, "R") for name in order),
    )
    return _engine.layout("%s over %s" % (text, shape_text(shape)), {}, seconds)


def layout_of(source, shape, elements, seconds):
    """The layout of a foreign object, or None."""
    if isinstance(source, (tuple, list)):
        if len(source) == 2 and _is_shape(source):
            return _from_pair(source[0], source[1], seconds)
        return None
    module = _module(source)
    if module == "cutlass":
        return _cute(source, elements, seconds)
    if module == "triton" and not callable(source):
        return _triton(source, shape, seconds)
    if module in ("jax", "jaxlib"):
        if hasattr(source, "mesh") and hasattr(source, "spec"):
            return _jax_sharding(source, shape, seconds)
        if hasattr(source, "shape") and hasattr(source, "dtype"):
            return _jax_array(source, seconds)
        return None
    if hasattr(source, "strides") and hasattr(source, "itemsize") and hasattr(source, "shape"):
        return _numpy(source, seconds)
    stride = getattr(source, "stride", None)
    if callable(stride) and hasattr(source, "shape"):
        return _strided(source.shape, stride(), seconds)
    if stride is not None and hasattr(source, "shape") and _is_shape(stride) and _is_shape(source.shape):
        return _from_pair(source.shape, stride, seconds)
    return None
