// Links of algebra operations, between the points of the result and of the inputs.
#include <algorithm>

#include "app/show/show.h"
#include "core/worksheet/value.h"
#include "render/draw/links.h"

namespace tessera {
namespace {

// A point of a product is a point of A and one of B; the structure of the result's modes determines which.
struct Product {
  enum class Kind : unsigned char { Appended, Blocked, Raked };  // modes (A, B); per mode (a, b); per mode (b, a)
  Kind kind;
  SubjectPtr r, a, b;

  [[nodiscard]] std::pair<i64, i64> split(i64 index) const {
    if (kind == Kind::Appended) return {index % a->size, index / a->size};
    std::vector<i64> i, j;
    const std::vector<i64> c = r->coordOf(index);
    for (std::size_t k = 0; k < c.size(); ++k) {
      const i64 inner = kind == Kind::Blocked ? a->extents[k] : b->extents[k];
      i.push_back(kind == Kind::Blocked ? c[k] % inner : c[k] / inner);
      j.push_back(kind == Kind::Blocked ? c[k] / inner : c[k] % inner);
    }
    return {a->indexOf(i), b->indexOf(j)};
  }
  [[nodiscard]] i64 joined(i64 i, i64 j) const {
    if (kind == Kind::Appended) return i + a->size * j;
    const std::vector<i64> p = a->coordOf(i), q = b->coordOf(j);
    std::vector<i64> c;
    for (std::size_t k = 0; k < p.size(); ++k)
      c.push_back(kind == Kind::Blocked ? p[k] + a->extents[k] * q[k] : q[k] + b->extents[k] * p[k]);
    return r->indexOf(c);
  }
};

// The inputs and result that are functions, and the links between them.
class Family {
 public:
  Family(const Operation& op, const Value& result, std::span<const std::string> names, std::string resultName)
      : operation_(op), names_(names.begin(), names.end()), resultName_(std::move(resultName)) {
    for (const Value& input : op.inputs) inputs_.push_back(subject(input));
    const auto* first = op.inputs.empty() ? nullptr : std::get_if<Layout>(&op.inputs[0]);
    shapeless_ = first != nullptr && !first->arrow();
    result_ = subject(result);
    if (std::get_if<Layout>(&result) != nullptr)
      if (auto s = subjectOf(result)) wide_ = *std::move(s);
  }

  // `relate` is how the result relates to the inputs. `sliced`: the first input may be a coordinate. `turned`: the
  // input whose points are the coordinates that a result of several axes gives; -1: none.
  std::vector<FigureLink> links(void (Family::*relate)(), bool sliced, int turned) {
    if (turned >= 0) coordinates(static_cast<std::size_t>(turned));
    if (links_.empty() && result_ && input(sliced && input(0) == nullptr ? 1 : 0) != nullptr) (this->*relate)();
    return std::move(links_);
  }

  void sameIndices() { same(0); }
  void sameAddresses() {
    address();
    if (input(1) != nullptr) value(inputs_[1], inputs_[1]->domain, 0, names_[1]);
  }
  void throughSecond() { through(0, 1); }  // R(i) = A(B(i))
  void throughFirst() { through(1, 0); }   // R(i) = B(A(i))
  void inverse() { value(result_, result_->domain, 0, resultName_); }
  void appended() { product(Product::Kind::Appended, 0, 1); }
  void prepended() { product(Product::Kind::Appended, 1, 0); }
  void blocked() { product(Product::Kind::Blocked, 0, 1); }
  void raked() { product(Product::Kind::Raked, 0, 1); }
  // A linear layout: offset -> coordinates is drawn as coordinates -> offset, by A's own points.
  void turned() {
    if (result_->domain == inputs_[0]->domain) same(0);
  }
  void matched() {  // A(i) = B(R(i))
    same(0);
    if (input(1) != nullptr) value(result_, result_->domain, 1, resultName_);
  }
  void common() {  // A(R(i)) = i = B(R(i))
    inverse();
    if (input(1) != nullptr) value(result_, result_->domain, 1, resultName_);
  }
  void slice() { part(Keep::Wildcards); }
  void dice() { part(Keep::Numbers); }
  void copies() { addPart(copiesLink(result_, inputs_[0]), 0); }
  void tileAtCorner() { addPart(cornerLink(result_, inputs_[0], corner()), 0); }
  void upcast() { recast(number(1, result_->size, inputs_[0]->size), 1); }
  void downcast() { recast(1, number(1, inputs_[0]->size, result_->size)); }
  void recastBoth() { recast(number(2, result_->size, inputs_[0]->size), number(1, inputs_[0]->size, result_->size)); }

 private:
  static SubjectPtr subject(const Value& value) {
    if (std::get_if<Layout>(&value) == nullptr) return nullptr;
    auto s = subjectOf(value);
    return s && (*s)->axes() == 1 && !(*s)->hasFan() ? *std::move(s) : nullptr;
  }
  [[nodiscard]] const Subject* input(std::size_t k) const {
    return k < inputs_.size() && k < names_.size() ? inputs_[k].get() : nullptr;
  }
  void add(LinkPtr link, std::string from, std::string to) {
    links_.push_back({std::move(link), std::move(from), std::move(to)});
  }
  void addPart(LinkPtr link, std::size_t k) {
    if (link) add(std::move(link), resultName_, names_[k]);
  }
  void coordinates(std::size_t k) {
    const auto any = [&](std::size_t j) -> SubjectPtr {
      if (j >= operation_.inputs.size() || std::get_if<Layout>(&operation_.inputs[j]) == nullptr) return nullptr;
      auto s = subjectOf(operation_.inputs[j]);
      return s ? *s : nullptr;
    };
    const SubjectPtr from = any(0), to = any(k);
    if (!wide_ || !from || !to || wide_->axes() < 2 || k >= names_.size()) return;
    addPart(coordinateLink(wide_, to), k);
    if (k == 1 && from->size == wide_->size)
      add(sameIndex(wide_->domain, from->domain, wide_->size), resultName_, names_[0]);
  }
  // slice((0,_,1), L); slice(X, shape, box) preserves X's addresses.
  void part(Keep keep) {
    const auto* coord = operation_.inputs.empty() ? nullptr : std::get_if<cute::IntTuple>(&operation_.inputs[0]);
    if (coord == nullptr || input(1) == nullptr) {
      if (input(0) != nullptr) address();
      return;
    }
    addPart(partLink(result_, inputs_[1], *coord, keep), 1);
  }
  // Argument k, or for upcast<4>(L), which has none, the ratio of element counts; exact if all elements are combined.
  [[nodiscard]] i64 number(std::size_t k, i64 fewer, i64 more) const {
    const auto* written = k < operation_.inputs.size() ? std::get_if<i64>(&operation_.inputs[k]) : nullptr;
    return written != nullptr ? *written : std::max<i64>(1, more / std::max<i64>(1, fewer));
  }
  // tile * coordinate, mode by mode.
  [[nodiscard]] std::vector<i64> corner() const {
    std::vector<i64> at(static_cast<std::size_t>(inputs_[0]->rank()), 0);
    const auto tuple = [&](std::size_t k) {
      return k < operation_.inputs.size() ? std::get_if<cute::IntTuple>(&operation_.inputs[k]) : nullptr;
    };
    const auto *tile = tuple(1), *coord = tuple(2);
    if (tile == nullptr || coord == nullptr) return at;
    const auto extents = tile->leaves(), where = coord->leaves();
    for (std::size_t k = 0; k < at.size() && k < extents.size() && k < where.size(); ++k)
      if (extents[k].isPlain() && where[k].isPlain()) at[k] = extents[k].value() * where[k].value();
    return at;
  }
  void same(std::size_t k) {
    if (inputs_[k]->size == result_->size)
      add(sameIndex(result_->domain, inputs_[k]->domain, result_->size), resultName_, names_[k]);
  }
  void address(i64 bits = 1, i64 bitsOfInput = 1) {
    if (auto link = addressLink(result_, inputs_[0], bits, bitsOfInput)) add(*std::move(link), resultName_, names_[0]);
  }
  void recast(i64 newBits, i64 oldBits) {
    if (newBits >= 1 && oldBits >= 1) address(newBits, oldBits);
  }
  // Point i of `from` is point f(i) of input `to`.
  void value(const SubjectPtr& f, u64 from, std::size_t to, const std::string& fromName) {
    if (auto link = valueLink(f, from, inputs_[to]->domain, inputs_[to]->size))
      add(*std::move(link), fromName, names_[to]);
  }
  // R(i) = outer(inner(i)).
  void through(std::size_t outer, std::size_t inner) {
    if (input(inner) == nullptr || input(outer) == nullptr || shapeless_) {  // a by-mode tiler, or a swizzle alone
      address();
      return;
    }
    if (inputs_[inner]->size != result_->size) return;
    same(inner);
    value(inputs_[inner], inputs_[inner]->domain, outer, names_[inner]);
    value(inputs_[inner], result_->domain, outer, resultName_);
  }
  void product(Product::Kind kind, std::size_t a, std::size_t b) {
    if (input(a) == nullptr || input(b) == nullptr || inputs_[a]->size * inputs_[b]->size != result_->size) return;
    const bool modes = kind == Product::Kind::Appended ||
                       (inputs_[a]->rank() == result_->rank() && inputs_[b]->rank() == result_->rank());
    if (!modes) return;
    const auto all = std::make_shared<const Product>(Product{kind, result_, inputs_[a], inputs_[b]});
    for (const bool first : {true, false}) {
      const SubjectPtr &mine = first ? all->a : all->b, &other = first ? all->b : all->a;
      const auto part = [all, first, domain = mine->domain](i64 index, std::vector<Point>& out) {
        const auto [i, j] = all->split(index);
        out.push_back({domain, first ? i : j});
      };
      const auto copies = [all, first, count = other->size](i64 index, std::vector<Point>& out) {
        for (i64 k = 0; k < std::min<i64>(count, Link::kMost); ++k)
          out.push_back({all->r->domain, first ? all->joined(index, k) : all->joined(k, index)});
      };
      add(formulaLink({result_->domain, result_->size, part}, {mine->domain, mine->size, copies}), resultName_,
          names_[first ? a : b]);
    }
  }

  const Operation& operation_;  // valid only during construction of the links
  std::vector<SubjectPtr> inputs_;
  SubjectPtr result_, wide_;  // wide: with any number of axes
  std::vector<std::string> names_;
  std::string resultName_;
  bool shapeless_ = false;  // a swizzle alone, drawn over one period
  std::vector<FigureLink> links_;
};

// All other functions keep their points or have none to show.
struct Row {
  std::string_view function;
  void (Family::*relate)();
  bool sliced = false;
  int turned = -1;
};
constexpr Row kRows[] = {
    {"coalesce", &Family::sameIndices},
    {"flatten", &Family::sameIndices},
    {"group", &Family::sameIndices},
    {"group_modes", &Family::sameIndices},
    {"canonicalize", &Family::sameIndices},
    {"composition", &Family::throughSecond},
    {"compose", &Family::throughFirst},
    {"logical_divide", &Family::sameAddresses},
    {"zipped_divide", &Family::sameAddresses},
    {"tiled_divide", &Family::sameAddresses},
    {"flat_divide", &Family::sameAddresses},
    {"filter", &Family::sameAddresses},
    {"filter_zeros", &Family::sameAddresses},
    {"select", &Family::sameAddresses},
    {"take", &Family::sameAddresses},
    {"right_inverse", &Family::inverse},
    {"left_inverse", &Family::inverse},
    {"nullspace", &Family::inverse},
    {"logical_product", &Family::appended},
    {"zipped_product", &Family::appended},
    {"tiled_product", &Family::appended},
    {"flat_product", &Family::appended},
    {"append", &Family::appended},
    {"prepend", &Family::prepended},
    {"blocked_product", &Family::blocked},
    {"raked_product", &Family::raked},
    {"max_common_layout", &Family::common},
    {"as_position_independent_swizzle_layout", &Family::sameIndices},
    {"slice", &Family::slice, true},
    {"dice", &Family::dice, true},
    {"tile_to_shape", &Family::copies},
    {"MakeLayoutTile", &Family::tileAtCorner},
    {"GetTileLayout", &Family::tileAtCorner},
    {"upcast", &Family::upcast},
    {"downcast", &Family::downcast},
    {"recast", &Family::recastBoth},
    {"recast_layout", &Family::recastBoth},
    {"pack", &Family::upcast},
    {"unpack", &Family::downcast},
    {"permute", &Family::sameAddresses},
    {"complement", &Family::sameAddresses},
    {"invert", &Family::turned, false, 0},
    {"pseudoinvert", &Family::turned, false, 0},
    {"invert_and_compose", &Family::matched, false, 1},
};

}  // namespace

std::vector<FigureLink> linksOf(const Operation& operation, const Value* result, std::span<const std::string> inputs,
                                const std::string& resultName) {
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.function == operation.function; });
  if (row == std::end(kRows) || result == nullptr) return {};
  return Family(operation, *result, inputs, resultName).links(row->relate, row->sliced, row->turned);
}

}  // namespace tessera
