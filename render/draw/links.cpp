#include "render/draw/links.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "core/notation/convert.h"
#include "core/worksheet/functions/functions.h"
#include "render/draw/grid/memory.h"
#include "render/draw/levels/levels.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

constexpr i64 kTabled = i64{1} << 16;  // pairs that a link lists; beyond it is asked one way, by formula
constexpr i64 kThreads = 0x7E55'0001;  // points that stand for a thread are no coordinates of a tensor

u64 threadDomain() {
  static const u64 domain = pointDomain({kThreads});
  return domain;
}

// A link that is listed when somebody first asks it: drawing a picture does not pay for it.
class LazyLink : public Link {
 public:
  LazyLink(u64 from, u64 to, std::function<LinkPtr()> make) : from_(from), to_(to), make_(std::move(make)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (point.domain != (way == Way::There ? from_ : to_)) return;
    std::call_once(once_, [this] { made_ = make_(); });
    made_->carry(point, way, out);
  }

 private:
  u64 from_, to_;
  std::function<LinkPtr()> make_;
  mutable std::once_flag once_;
  mutable LinkPtr made_;
};

// There: f's value; back: who has that value.
class ValueLink : public Link {
 public:
  ValueLink(SubjectPtr f, std::shared_ptr<const AddressIndex> index, u64 from, u64 to, i64 size)
      : f_(std::move(f)), index_(std::move(index)), from_(from), to_(to), size_(size) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (point.index < 0 || point.domain != (way == Way::There ? from_ : to_)) return;
    if (way == Way::There) {
      if (point.index >= f_->size) return;
      const i64 value = f_->valueOf(point.index);
      if (value >= 0 && value < size_) out.push_back({to_, value});
    } else if (point.index < size_) {
      for (const i64 i : index_->occupants(point.index, static_cast<int>(kMost)).indices) out.push_back({from_, i});
    }
  }

 private:
  SubjectPtr f_;
  std::shared_ptr<const AddressIndex> index_;
  u64 from_, to_;
  i64 size_;
};

class AddressLink : public Link {
 public:
  struct Side {
    SubjectPtr subject;
    std::shared_ptr<const AddressIndex> index;
  };
  AddressLink(Side a, Side b) : a_(std::move(a)), b_(std::move(b)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const Side &from = way == Way::There ? a_ : b_, &to = way == Way::There ? b_ : a_;
    if (point.domain != from.subject->domain || point.index < 0 || point.index >= from.subject->size) return;
    const i64 address = from.subject->valueOf(point.index);
    for (const i64 i : to.index->occupants(address, static_cast<int>(kMost)).indices)
      out.push_back({to.subject->domain, i});
  }

 private:
  Side a_, b_;
};

// A product's point is a point of A and one of B: which, says how the result's modes are made of theirs.
class ProductLink : public Link {
 public:
  enum class Kind : unsigned char { Behind, Blocked, Raked };  // (A, B); per mode (a, b); per mode (b, a)
  enum class Part : unsigned char { A, B };
  ProductLink(Kind kind, Part part, SubjectPtr result, SubjectPtr a, SubjectPtr b)
      : kind_(kind), part_(part), r_(std::move(result)), a_(std::move(a)), b_(std::move(b)) {}

  void carry(Point point, Way way, std::vector<Point>& out) const override {
    const SubjectPtr& mine = part_ == Part::A ? a_ : b_;
    const SubjectPtr& from = way == Way::There ? r_ : mine;
    if (point.domain != from->domain || point.index < 0 || point.index >= from->size) return;
    if (way == Way::There) {
      const auto [i, j] = split(point.index);
      out.push_back({mine->domain, part_ == Part::A ? i : j});
      return;
    }
    const i64 others = part_ == Part::A ? b_->size : a_->size;
    for (i64 k = 0; k < std::min<i64>(others, kMost); ++k)
      out.push_back({r_->domain, part_ == Part::A ? joined(point.index, k) : joined(k, point.index)});
  }

 private:
  [[nodiscard]] std::pair<i64, i64> split(i64 index) const {
    if (kind_ == Kind::Behind) return {index % a_->size, index / a_->size};
    std::vector<i64> i, j;
    const std::vector<i64> c = r_->coordOf(index);
    for (std::size_t k = 0; k < c.size(); ++k) {
      const i64 inner = kind_ == Kind::Blocked ? a_->extents[k] : b_->extents[k];
      i.push_back(kind_ == Kind::Blocked ? c[k] % inner : c[k] / inner);
      j.push_back(kind_ == Kind::Blocked ? c[k] / inner : c[k] % inner);
    }
    return {a_->indexOf(i), b_->indexOf(j)};
  }
  [[nodiscard]] i64 joined(i64 i, i64 j) const {
    if (kind_ == Kind::Behind) return i + a_->size * j;
    const std::vector<i64> a = a_->coordOf(i), b = b_->coordOf(j);
    std::vector<i64> c;
    for (std::size_t k = 0; k < a.size(); ++k)
      c.push_back(kind_ == Kind::Blocked ? a[k] + a_->extents[k] * b[k] : b[k] + b_->extents[k] * a[k]);
    return r_->indexOf(c);
  }

  Kind kind_;
  Part part_;
  SubjectPtr r_, a_, b_;
};

// The thread that a place is on; nullopt where its axes name none.
std::optional<i64> threadAt(const axe::Place& place) {
  struct Term {
    std::string_view axis;
    i64 threads;
  };
  constexpr Term kTerms[] = {{"lane", 1},  {"laneid", 1},  {"tx", 1},         {"tid_in_wg", 1}, {"tid", 1},
                             {"warp", 32}, {"warpid", 32}, {"wid_in_wg", 32}, {"wgid", 128}};
  i64 thread = 0;
  bool named = false;
  for (const Term& t : kTerms) {
    const auto found = place.find(std::string(t.axis));
    if (found == place.end()) continue;
    thread += found->second * t.threads;
    named = true;
  }
  return named && thread >= 0 ? std::optional(thread) : std::nullopt;
}

class PlacedLink : public Link {
 public:
  explicit PlacedLink(std::shared_ptr<const Placed> placed) : p_(std::move(placed)) {}
  void carry(Point point, Way way, std::vector<Point>& out) const override {
    if (way == Way::There) {
      if (const auto linear = p_->linearOf(point))
        for (const i64 thread : threadsOf(*linear)) out.push_back(threadPoint(thread));
    } else if (isThread(point)) {
      std::call_once(once_, [this] { list(); });
      const auto found = held_.find(point.index);
      if (found != held_.end())
        out.insert(out.end(), found->second.begin(),
                   found->second.begin() + static_cast<std::ptrdiff_t>(std::min(found->second.size(), kMost)));
    }
  }

 private:
  [[nodiscard]] std::vector<i64> threadsOf(i64 linear) const {
    std::vector<i64> threads;
    for (const axe::Place& place : p_->places(linear)) {
      const auto thread = threadAt(place);
      if (thread && std::find(threads.begin(), threads.end(), *thread) == threads.end()) threads.push_back(*thread);
    }
    return threads;
  }
  void list() const {
    for (i64 k = 0; k < p_->size() && p_->size() <= kTabled; ++k)
      for (const i64 thread : threadsOf(k)) held_[thread].push_back(p_->pointOf(k));
  }
  std::shared_ptr<const Placed> p_;
  mutable std::once_flag once_;
  mutable std::unordered_map<i64, std::vector<Point>> held_;
};

// (register, lane, warp) -> element.
LinkPtr elementsAt(const Arrow& arrow, const std::vector<i64>& shape) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  const u64 from = pointDomain(extents), to = pointDomain(shape);
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < *sizeOf(arrow); ++i) {
    const std::vector<i64> digits = digitsAt(arrow, delinearize(i, extents, LinearOrder::Colex));
    if (!arrow.map.isReal(digits)) continue;
    pairs.push_back({{from, i}, {to, linearize(arrow.map.at(digits), shape, LinearOrder::Colex)}});
  }
  return tableLink(std::move(pairs));
}

// (register, lane, warp) -> thread.
LinkPtr threadsAt(const Arrow& arrow) {
  const std::vector<i64> extents = extentsOf(arrow.from);
  std::vector<std::pair<Point, Point>> pairs;
  for (i64 i = 0; i < *sizeOf(arrow); ++i) {
    const std::vector<i64> coord = delinearize(i, extents, LinearOrder::Colex);
    axe::Place place;
    for (std::size_t k = 0; k < coord.size(); ++k) place[arrow.from.modes[k].name] = coord[k];
    if (const auto thread = threadAt(place)) pairs.push_back({{pointDomain(extents), i}, threadPoint(*thread)});
  }
  return tableLink(std::move(pairs));
}

void hardwareLinks(const Arrow& arrow, const Value& value, std::vector<FigureLink>& links) {
  const auto count = sizeOf(arrow);
  const auto placed = Placed::of(value);
  if (!count || *count > kTabled || !placed || !arrow.map.params().empty()) return;
  const std::vector<i64> shape = (*placed)->shape();
  if (arrow.map.axes().size() != shape.size()) return;
  const u64 from = pointDomain(extentsOf(arrow.from));
  const auto elements = [arrow, shape] { return elementsAt(arrow, shape); };
  links.push_back({std::make_shared<LazyLink>(from, pointDomain(shape), elements), "", ""});
  links.push_back({std::make_shared<LazyLink>(from, threadDomain(), [arrow] { return threadsAt(arrow); }), "", ""});
}

// What only some functions do; everything else keeps its points or has none to show.
enum class Kinship : unsigned char {
  SameIndex,
  Address,
  Through,        // R(i) = A(B(i))
  ThroughSecond,  // R(i) = B(A(i))
  Inverse,
  Behind,
  Before,
  Blocked,
  Raked
};
struct KinshipRow {
  std::string_view function;
  Kinship kinship;
};
constexpr KinshipRow kKinships[] = {
    {"coalesce", Kinship::SameIndex},     {"flatten", Kinship::SameIndex},     {"group", Kinship::SameIndex},
    {"canonicalize", Kinship::SameIndex}, {"composition", Kinship::Through},   {"compose", Kinship::ThroughSecond},
    {"logical_divide", Kinship::Address}, {"zipped_divide", Kinship::Address}, {"tiled_divide", Kinship::Address},
    {"flat_divide", Kinship::Address},    {"filter", Kinship::Address},        {"filter_zeros", Kinship::Address},
    {"select", Kinship::Address},         {"take", Kinship::Address},          {"right_inverse", Kinship::Inverse},
    {"left_inverse", Kinship::Inverse},   {"nullspace", Kinship::Inverse},     {"logical_product", Kinship::Behind},
    {"zipped_product", Kinship::Behind},  {"tiled_product", Kinship::Behind},  {"flat_product", Kinship::Behind},
    {"append", Kinship::Behind},          {"prepend", Kinship::Before},        {"blocked_product", Kinship::Blocked},
    {"raked_product", Kinship::Raked},
};

// Inputs and result as far as they are functions, and the links between them.
class Family {
 public:
  Family(const Operation& op, const Value& result, std::span<const std::string> names, std::string resultName)
      : names_(names.begin(), names.end()), resultName_(std::move(resultName)) {
    for (const Value& input : op.inputs) inputs_.push_back(subject(input));
    const auto* first = op.inputs.empty() ? nullptr : std::get_if<Layout>(&op.inputs[0]);
    shapeless_ = first != nullptr && !first->arrow();
    result_ = subject(result);
  }

  std::vector<FigureLink> links(Kinship kinship) {
    if (!result_ || input(0) == nullptr) return {};
    switch (kinship) {
      case Kinship::SameIndex:
        same(0);
        break;
      case Kinship::Address:
        address();
        if (input(1) != nullptr) value(inputs_[1], inputs_[1]->domain, 0, names_[1]);
        break;
      case Kinship::Through:
        through(0, 1);
        break;
      case Kinship::ThroughSecond:
        through(1, 0);
        break;
      case Kinship::Inverse:
        value(result_, result_->domain, 0, resultName_);
        break;
      case Kinship::Behind:
        product(ProductLink::Kind::Behind, 0, 1);
        break;
      case Kinship::Before:
        product(ProductLink::Kind::Behind, 1, 0);
        break;
      case Kinship::Blocked:
        product(ProductLink::Kind::Blocked, 0, 1);
        break;
      case Kinship::Raked:
        product(ProductLink::Kind::Raked, 0, 1);
        break;
    }
    return std::move(links_);
  }

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
  void same(std::size_t k) {
    if (inputs_[k]->size == result_->size)
      add(sameIndex(result_->domain, inputs_[k]->domain, result_->size), resultName_, names_[k]);
  }
  void address() {
    if (auto link = addressLink(result_, inputs_[0])) add(*std::move(link), resultName_, names_[0]);
  }
  // Point i of `from` is point f(i) of input `to`.
  void value(const SubjectPtr& f, u64 from, std::size_t to, const std::string& fromName) {
    if (auto link = valueLink(f, from, inputs_[to]->domain, inputs_[to]->size))
      add(*std::move(link), fromName, names_[to]);
  }
  // R(i) = outer(inner(i)).
  void through(std::size_t outer, std::size_t inner) {
    if (input(inner) == nullptr || input(outer) == nullptr || shapeless_) {  // a by-mode tiler; a swizzle alone
      address();
      return;
    }
    if (inputs_[inner]->size != result_->size) return;
    same(inner);
    value(inputs_[inner], inputs_[inner]->domain, outer, names_[inner]);
    value(inputs_[inner], result_->domain, outer, resultName_);
  }
  void product(ProductLink::Kind kind, std::size_t a, std::size_t b) {
    if (input(a) == nullptr || input(b) == nullptr || inputs_[a]->size * inputs_[b]->size != result_->size) return;
    const bool modes = kind == ProductLink::Kind::Behind ||
                       (inputs_[a]->rank() == result_->rank() && inputs_[b]->rank() == result_->rank());
    if (!modes) return;
    for (const auto part : {ProductLink::Part::A, ProductLink::Part::B})
      add(std::make_shared<ProductLink>(kind, part, result_, inputs_[a], inputs_[b]), resultName_,
          names_[part == ProductLink::Part::A ? a : b]);
  }

  std::vector<SubjectPtr> inputs_;
  SubjectPtr result_;
  std::vector<std::string> names_;
  std::string resultName_;
  bool shapeless_ = false;  // a swizzle alone, drawn over one period
  std::vector<FigureLink> links_;
};

}  // namespace

Point threadPoint(i64 thread) { return {threadDomain(), thread}; }
bool isThread(Point point) { return point.domain == threadDomain() && point.real(); }

u64 pointDomainOf(const Value& value) {
  if (std::get_if<Layout>(&value) == nullptr) return 0;
  const auto subject = subjectOf(value);
  return subject ? (*subject)->domain : 0;
}

Result<LinkPtr> valueLink(const SubjectPtr& f, u64 from, u64 to, i64 size) {
  TESSERA_TRY(auto index, addressIndex(f));
  return LinkPtr(std::make_shared<ValueLink>(f, std::move(index), from, to, size));
}

Result<LinkPtr> addressLink(const SubjectPtr& a, const SubjectPtr& b) {
  TESSERA_TRY(auto ofA, addressIndex(a));
  TESSERA_TRY(auto ofB, addressIndex(b));
  return LinkPtr(
      std::make_shared<AddressLink>(AddressLink::Side{a, std::move(ofA)}, AddressLink::Side{b, std::move(ofB)}));
}

LinkPtr firstModeLink(const Subject& subject) {
  const std::vector<i64> extents = subject.extents;
  const u64 own = subject.domain;
  const auto threads = [extents, own, size = std::min(subject.size, kTabled)] {
    std::vector<std::pair<Point, Point>> pairs;
    for (i64 i = 0; i < size; ++i) pairs.push_back({{own, i}, threadPoint(i % extents[0])});
    return tableLink(std::move(pairs));
  };
  return std::make_shared<LazyLink>(own, threadDomain(), threads);
}

LinkPtr placedLink(std::shared_ptr<const Placed> placed) { return std::make_shared<PlacedLink>(std::move(placed)); }

std::vector<FigureLink> linksOf(const Value& value) {
  std::vector<FigureLink> links;
  const auto* layout = std::get_if<Layout>(&value);
  if (layout == nullptr || !layout->arrow()) return links;
  const Arrow& arrow = *layout->arrow();
  if (arrow.from.kind == SpaceKind::Hardware) {
    hardwareLinks(arrow, value, links);
    return links;
  }
  if (arrow.to.kind == SpaceKind::Hardware) {
    if (auto placed = Placed::of(value)) links.push_back({placedLink(*std::move(placed)), "", ""});
    return links;
  }
  if (LinkPtr declared = declaredLink(value)) links.push_back({std::move(declared), "", ""});
  // Pictures of tiles (a chain) see rows x columns, whatever the modes are.
  const auto subject = subjectOf(value);
  if (subject && (*subject)->rank() > 2 && arrow.from.order == LinearOrder::Colex) {
    const i64 rows = (*subject)->extents[0];
    links.push_back(
        {sameIndex((*subject)->domain, pointDomain({rows, (*subject)->size / rows}), (*subject)->size), "", ""});
  }
  return links;
}

std::vector<FigureLink> linksOf(const Operation& operation, const Value* result, std::span<const std::string> inputs,
                                const std::string& resultName) {
  const auto row = std::find_if(std::begin(kKinships), std::end(kKinships),
                                [&](const KinshipRow& r) { return r.function == operation.function; });
  if (row == std::end(kKinships) || result == nullptr) return {};
  return Family(operation, *result, inputs, resultName).links(row->kinship);
}

}  // namespace tessera
