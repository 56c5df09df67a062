// Constructors of Gluon's layouts -> Triton's attributes.
//
//     gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])       #ttg.blocked<{sizePerThread = [1, 4], ...}>
//     gl.SliceLayout(1, parent)                              #ttg.slice<{dim = 1, parent = #ttg.blocked<...>}>
//     gl.DistributedLinearLayout(..., shape=[16, 32])        #ttg.linear<{...}> over (16, 32)
//     gl.allocate_shared_memory(gl.float16, [64, 64], L)     !ttg.memdesc<64x64xf16, L, #ttg.shared_memory, mutable>
//     gl.zeros([64, 64], gl.float32, layout=L)               tensor<64x64xf32, L>
//
// gl.AutoLayout and gl.CoalescedLayout are chosen by the compiler: refused, with this reason.
#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/paste/dialects.h"
#include "core/paste/python/gluon_layouts.h"

namespace tessera::paste {
namespace {

using python::Invocation;
using python::Item;

std::string elementOf(const Item& type) {
  if (type.text == "e4m3") return "f8E4M3FN";
  if (type.text == "e5m2") return "f8E5M2";
  const bool integer = type.text.starts_with('s') || type.text.starts_with('u');
  return integer ? "i" + type.text.substr(1) : type.text;
}

Result<std::optional<Item>> tensor(const Item* shape, const Item* type, const Item* layout, bool memory) {
  if (shape == nullptr || layout == nullptr || !layout->is(Item::Kind::Text)) return std::optional<Item>();
  TESSERA_TRY(const std::vector<i64> extents, python::integersOf(*shape, "the shape"));
  const std::string element = type != nullptr && type->is(Item::Kind::Type) ? elementOf(*type) : "i32";
  const std::string inside =
      fmt::format("{}x{}, {}", fmt::join(extents, "x"), element, python::attributeAlone(layout->text));
  const bool registers = !memory && !layout->text.starts_with("#ttng.");
  std::string out = registers ? fmt::format("tensor<{}>", inside)
                              : fmt::format("!ttg.memdesc<{}, {}, mutable>", inside,
                                            memory ? "#ttg.shared_memory" : "#ttng.tensor_memory");
  return std::optional(Item::expression(std::move(out)).with(*shape).with(*layout));
}

Result<std::optional<Item>> tensorOf(const Invocation& made) {
  if (made.name == "allocate_shared_memory")
    return tensor(made.argument(1, "shape"), made.argument(0, "element_ty"), made.argument(2, "layout"), true);
  if (made.name == "allocate_tensor_memory")
    return tensor(made.argument(1, "shape"), made.argument(0, "element_ty"), made.argument(2, "layout"), false);
  if (made.name == "zeros")
    return tensor(made.argument(0, "shape"), made.argument(1, "dtype"), made.argument(2, "layout"), false);
  if (made.name == "full")
    return tensor(made.argument(0, "shape"), made.argument(2, "dtype"), made.argument(3, "layout"), false);
  if (made.name != "arange") return std::optional<Item>();
  const Item* begin = made.argument(0, "start");
  const Item* end = made.argument(1, "end");
  if (begin == nullptr || end == nullptr) return std::optional<Item>();
  TESSERA_TRY(const Item extent, python::binary("-", *end, *begin));
  return tensor(&extent, nullptr, made.argument(2, "layout"), false);
}

class GluonEvaluator : public python::Evaluator {
 public:
  using Evaluator::Evaluator;

 protected:
  Result<std::optional<Item>> call(const Invocation& made) override {
    if (made.name == "constexpr" && made.arguments.size() == 1) return std::optional(made.arguments[0]);
    TESSERA_TRY(auto tensor, tensorOf(made));
    if (tensor) return tensor;
    return python::gluonLayout(made);
  }

  std::string example(std::string_view name) const override {
    const std::string lower = lowerCase(name);
    if (lower.find("layout") == std::string::npos && lower.find("parent") == std::string::npos) return "64";
    return "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>";
  }

  Result<std::optional<Item>> member(const Item& object, const std::string& name) override {
    const auto bits = object.is(Item::Kind::Type) ? python::bitsOfType(object.text) : std::nullopt;
    if (bits && name == "primitive_bitwidth") return std::optional(Item::number(*bits));
    return std::optional<Item>();
  }

  // An attribute refers to another by its text.
  [[nodiscard]] bool refersByName() const override { return false; }
};

int recognizesGluon(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  for (std::size_t at = text.find("Layout"); at != std::string_view::npos; at = text.find("Layout", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && isNamePart(text[begin - 1])) --begin;
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    if (end < text.size() && (text[end] == '(' || text[end] == '.') &&
        python::isGluonLayout(text.substr(begin, end - begin)))
      return 2;
  }
  return 0;
}

Result<Reading> readGluon(std::string_view text, const Given& given) {
  return GluonEvaluator(text, given).read("Gluon");
}

}  // namespace

const Dialect kGluon{"Gluon", recognizesGluon, readGluon};

}  // namespace tessera::paste
