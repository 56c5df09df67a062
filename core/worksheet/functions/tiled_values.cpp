#include "core/worksheet/functions/tiled_values.h"

#include <fmt/format.h>

#include "core/notation/convert.h"

namespace tessera {

const ThreadSlice* sliceIn(const Value& value) { return as<ThreadSlice>(value); }
const TiledMma* mmaIn(const Value& value) {
  const ThreadSlice* slice = sliceIn(value);
  return slice != nullptr ? std::get_if<TiledMma>(&slice->of) : as<TiledMma>(value);
}
const TiledCopy* copyIn(const Value& value) {
  const ThreadSlice* slice = sliceIn(value);
  return slice != nullptr ? std::get_if<TiledCopy>(&slice->of) : as<TiledCopy>(value);
}

Result<const TiledMma*> mmaAt(const Call& c, std::size_t k) {
  if (const TiledMma* mma = mmaIn(c[k])) return mma;
  return c.wrong(k, "a tiled mma, make_tiled_mma(mma.m16n8k16.f16, (2,2,1))");
}
Result<const TiledCopy*> copyAt(const Call& c, std::size_t k) {
  if (const TiledCopy* copy = copyIn(c[k])) return copy;
  return c.wrong(k, "a tiled copy, make_tiled_copy(NAME, TYPE, threads, values)");
}

Result<const ThreadSlice*> sliceAt(const Call& c, bool mma) {
  const ThreadSlice* slice = sliceIn(c[0]);
  if (slice != nullptr && (slice->of.index() == 0) == mma) return slice;
  const bool tiled = mma ? mmaIn(c[0]) != nullptr : copyIn(c[0]) != nullptr;
  Diag diag =
      c.wrong(0, mma ? "one thread of a tiled mma, M.get_slice(5)" : "one thread of a tiled copy, P.get_slice(5)");
  if (tiled) diag.hint = fmt::format("name the thread: get_slice(0).{}(...)", c.function);
  return diag;
}

Result<cute::Tensor> tensorAt(const Call& c, std::size_t k) {
  if (std::get_if<Layout>(&c[k]) == nullptr && !isTupleLike(c[k])) return c.wrong(k, "a tensor: a layout, or a shape");
  TESSERA_TRY(const Layout layout, c.at(k, layoutOf(c[k])));
  return c.at(k, tensorOf(layout));
}

Result<Value> valueOfTensor(const cute::Tensor& like, Result<cute::Tensor> tensor) {
  if (!tensor) return tensor.error();
  tensor->layout = tensor->layout.withStatic(like.layout.isStatic());
  TESSERA_TRY(cute::AnyLayout layout, cute::layoutOf(*tensor));
  return std::visit([](auto& made) { return Value(std::move(made)); }, layout);
}

}  // namespace tessera
