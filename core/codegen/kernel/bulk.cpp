#include "core/codegen/kernel/bulk.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/slots/slots.h"

namespace tessera::codegen {

using namespace graphene;

Result<void> Bulk::barrier(const Mbarrier& m) {
  TESSERA_TRY(const Place barrier, addresses_.startOf(m.barrier));
  out_.calls("shared_address");
  const auto line = [&](const std::string& function, const std::string& rest) {
    out_.calls(function);
    const std::string at = addresses_.pointer(barrier, 0);
    out_.line(fmt::format("tessera::{}({}{});", function, at, rest));
  };
  if (m.op == Mbarrier::Op::Init) line("mbarrier_init", fmt::format(", {}", m.value.value()));
  if (m.op == Mbarrier::Op::Arrive) line("mbarrier_arrive", "");
  if (m.op == Mbarrier::Op::Wait)  // phase -1 is the one before the first
    line("mbarrier_wait", ", " + text_.text(variables_.small(tessera::mod(m.value + 2, Expr::constant(2)))));
  if (m.op != Mbarrier::Op::Expect) return {};
  i64 bytes = 0;
  for (const Tensor& t : m.data) {
    const auto type = scalarType(t.element);
    const Expr count = variables_.small(elementCount(t));
    if (!count.isConstant() || !type)
      return Diag{fmt::format("the size of {} in bytes is not known", nameOf(t)), "sizes that are numbers"};
    bytes += count.value() * type->bits / 8;
  }
  line("mbarrier_expect", fmt::format(", {}", bytes));
  return {};
}

// All dimensions of the tensor: first those of the box, then those along which the box has one element.
Result<MapParam> Bulk::mapOf(const AtomBox& box, const Tensor& global) const {
  MapParam out;
  out.root = storage_.find(nameOf(global));
  const Tensor& all = out.root->tensor;
  if (!out.root->operand || !all.offset.isConstant(0) || !all.swizzle.isIdentity())
    return Diag{fmt::format("TMA reaches {} through a whole tensor of the caller, but {} is not one", nameOf(global),
                            nameOf(all)),
                "an operand of the program, %A:[1024,1024:1024,1].fp16.GL"};
  const auto strideAlong = [&](int dim) -> std::optional<Expr> {
    std::optional<Expr> found;
    for (const Mode& m : modesOf(all)) {
      if (m.dim != dim || m.size.isConstant(1)) continue;
      if (found || !m.step.isConstant(1)) return std::nullopt;
      found = m.stride;
    }
    return found;
  };
  std::vector<int> dims = box.dims;
  for (int d = 0; d < static_cast<int>(all.extents.size()); ++d)
    if (std::ranges::find(dims, d) == dims.end() && !all.extents[static_cast<std::size_t>(d)].isConstant(1))
      dims.push_back(d);
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const Expr& extent = all.extents[static_cast<std::size_t>(dims[k])];
    const auto stride = strideAlong(dims[k]);
    if (!stride || (k < box.strides.size() && !(*stride == box.strides[k])))
      return Diag{fmt::format("dimension {} of {} does not have one extent and one stride, as a tensor map needs",
                              dims[k], nameOf(all)),
                  "one extent and one stride per dimension"};
    out.map.extents.push_back(variables_.simple(extent));
    out.map.strides.push_back(variables_.simple(*stride));
    out.map.box.push_back(k < box.sizes.size() ? box.sizes[k] : 1);
  }
  if (dims.size() > 5)
    return Diag{fmt::format("{} has {} dimensions, a tensor map at most five", nameOf(all), dims.size()),
                "rank 1 to 5"};
  out.map.swizzle = box.swizzle;
  out.dims = std::move(dims);
  return out;
}

Result<void> Bulk::copy(const Atom& atom, const Spec& spec) {
  TESSERA_TRY(Place to, addresses_.startOf(spec.outputs[0]));
  TESSERA_TRY(const Place barrier, addresses_.startOf(spec.barriers[0]));
  TESSERA_TRY(MapParam wanted, mapOf(*atom.box, spec.inputs[0]));
  to.root->written = true;
  out_.includes(to.root->type.header);
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
  out_.calls("shared_address");
  out_.calls("TensorMap");
  out_.calls(functionName(whole.name), function);
  std::string coordinates;
  for (const int d : map->dims)
    coordinates +=
        fmt::format(", {}", text_.text(variables_.small(spec.inputs[0].origin.at(static_cast<std::size_t>(d)))));
  const std::string shared = addresses_.pointer(to, 0), at = addresses_.pointer(barrier, 0), word = out_.use(map->name);
  out_.line(fmt::format("tessera::{}({}, {}{}, {});", functionName(whole.name), shared, word, coordinates, at));
  return {};
}

}  // namespace tessera::codegen
