// Barriers that count, and the copies of TMA that arrive at them.
//
//     tessera::mbarrier_expect(&full[kt % 3], 32768);
//     tessera::cp_async_bulk_tensor_2d_load(&sA[kt % 3 * 8192], A_map, 64 * kt, 128 * bm, &full[kt % 3]);
//     tessera::mbarrier_wait(&full[kt % 3], kt / 3 % 2);      phase kt / 3 by its parity; O1 excludes other phases
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

// Where a tensor begins: one slot, which no swizzle moves.
Result<Place> KernelWriter::startOf(const Tensor& tensor) {
  Tensor first = tensor;
  first.levels.clear();
  first.swizzle = {};
  return place(first);
}

Result<void> KernelWriter::one(const Mbarrier& m, Span) {
  TESSERA_TRY(const Place barrier, startOf(m.barrier));
  fixed("shared_address");
  const auto line = [&](const std::string& function, const std::string& rest) {
    fixed(function);
    const std::string at = pointer(barrier, 0);
    out_.line(fmt::format("tessera::{}({}{});", function, at, rest));
  };
  switch (m.op) {
    case Mbarrier::Op::Init:
      line("mbarrier_init", fmt::format(", {}", m.value.value()));
      break;
    case Mbarrier::Op::Arrive:
      line("mbarrier_arrive", "");
      break;
    case Mbarrier::Op::Expect: {
      i64 bytes = 0;
      for (const Tensor& t : m.data) {
        const auto type = scalarType(t.element);
        i64 count = 1;
        for (const Level& level : t.levels) {
          const Expr size = small(sizeOf(level));
          if (!size.isConstant() || !type)
            return Diag{fmt::format("the bytes of {} are not known", nameOf(t)), "sizes that are numbers", "", {}};
          count *= size.value();
        }
        bytes += count * type->bits / 8;
      }
      line("mbarrier_expect", fmt::format(", {}", bytes));
      break;
    }
    case Mbarrier::Op::Wait:
      // Phase -1 is the one before the first.
      line("mbarrier_wait", ", " + text(small(tessera::mod(m.value + 2, Expr::constant(2)))));
      break;
  }
  return {};
}

// The whole tensor's dimensions: those of the box, then those along which it has one element.
Result<KernelWriter::MapParam> KernelWriter::mapOf(const AtomBox& box, const Tensor& global) {
  MapParam out;
  out.root = rootOf(nameOf(global));
  const Tensor& all = out.root->tensor;
  if (!out.root->operand || !all.offset.isConstant(0) || !all.swizzle.isIdentity())
    return Diag{fmt::format("TMA finds {} by the caller's tensor, and {} is none", nameOf(global), nameOf(all)),
                "an operand of the program, %A:[1024,1024:1024,1].fp16.GL",
                "",
                {}};
  const auto strideAlong = [&](int dim) -> std::optional<i64> {
    std::optional<i64> found;
    for (const Level& level : all.levels)
      for (const Dim& d : level.dims)
        for (const Mode& m : d) {
          if (m.dim != dim || m.size.isConstant(1)) continue;
          if (found || !m.stride.isConstant() || !m.step.isConstant(1)) return std::nullopt;
          found = m.stride.value();
        }
    return found;
  };
  std::vector<int> dims = box.dims;
  for (int d = 0; d < static_cast<int>(all.extents.size()); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end() && !all.extents[static_cast<std::size_t>(d)].isConstant(1))
      dims.push_back(d);
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const Expr& extent = all.extents[static_cast<std::size_t>(dims[k])];
    const auto stride = strideAlong(dims[k]);
    if (!stride || !extent.isConstant() || (k < box.strides.size() && *stride != box.strides[k]))
      return Diag{fmt::format("dimension {} of {} is not one extent and one stride, as a tensor map says it", dims[k],
                              nameOf(all)),
                  "extents and strides that are numbers, one of each a dimension",
                  "",
                  {}};
    out.map.extents.push_back(extent.value());
    out.map.strides.push_back(*stride);
    out.map.box.push_back(k < box.sizes.size() ? box.sizes[k] : 1);
  }
  if (dims.size() > 5)
    return Diag{
        fmt::format("{} has {} dimensions, and a tensor map five", nameOf(all), dims.size()), "rank 1 to 5", "", {}};
  out.map.swizzle = box.swizzle;
  out.dims = std::move(dims);
  return out;
}

Result<void> KernelWriter::bulk(const Atom& atom, const Spec& spec) {
  TESSERA_TRY(Place to, startOf(spec.outputs[0]));
  TESSERA_TRY(const Place barrier, startOf(spec.barriers[0]));
  TESSERA_TRY(MapParam wanted, mapOf(*atom.box, spec.inputs[0]));
  to.root->written = true;
  header(to.root->type);
  const MapParam* map = nullptr;
  for (const MapParam& m : maps_)
    if (m.root == wanted.root && m.map == wanted.map && m.dims == wanted.dims) map = &m;
  if (map == nullptr) {
    wanted.name = out_.name(wanted.root->tensor.name + "_map", 0);
    maps_.push_back(wanted);
    map = &maps_.back();
  }
  Atom whole = atom;  // as many coordinates as the map has dimensions
  whole.box->sizes = map->map.box;
  const auto rank = fmt::format("{}d", map->map.box.size());
  for (std::string* name : {&whole.name, &whole.ptx})
    if (const std::size_t at = name->find("tensor."); at != std::string::npos) name->replace(at + 7, 2, rank);
  TESSERA_TRY(const std::string function, deviceFunction(whole, spec));
  fixed("shared_address");
  fixed("TensorMap");
  head_.functions.try_emplace(functionName(whole.name), function);
  std::string coordinates;
  for (const int d : map->dims)
    coordinates += fmt::format(", {}", text(small(spec.inputs[0].origin.at(static_cast<std::size_t>(d)))));
  const std::string shared = pointer(to, 0), at = pointer(barrier, 0), word = out_.use(map->name);
  out_.line(fmt::format("tessera::{}({}, {}{}, {});", functionName(whole.name), shared, word, coordinates, at));
  return {};
}

}  // namespace tessera::codegen
