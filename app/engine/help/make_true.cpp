#include "app/engine/help/make_true.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "app/engine/answers.h"
#include "core/analysis/inverse/inverse_search.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work_budget.h"
#include "core/notation/convert.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/notation.h"
#include "core/notation/inverse.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr double kSeconds = 0.5;  // of work (core/base/work_budget.h)
constexpr std::size_t kMostEdits = 2;

// A layout that may take the place of argument k of the claim.
struct Candidate {
  std::size_t argument = 0;
  std::string text;
};

using Order = std::vector<std::size_t>;  // of the leaves, the fastest first

// The same shape with compact strides in that order, each beginning at a multiple of `multiple`.
std::optional<cute::Layout> packed(const cute::Layout& layout, const Order& order, i64 multiple) {
  std::vector<cute::LayoutLeaf> leaves = cute::flatLeaves(layout);
  i64 run = 1;
  for (const std::size_t k : order) {
    leaves[k].stride = cute::IntTuple(leaves[k].extent == 1 ? 0 : run);
    const auto next = checkedMul(run, leaves[k].extent);
    if (!next || *next > (i64{1} << 60)) return std::nullopt;
    run = leaves[k].extent == 1 ? run : (*next + multiple - 1) / multiple * multiple;
  }
  std::vector<std::vector<cute::LayoutLeaf>> each;
  each.reserve(leaves.size());
  for (const cute::LayoutLeaf& leaf : leaves) each.push_back({leaf});
  auto made = cute::refined(layout.shape(), each, /*isStatic=*/false);
  if (!made) return std::nullopt;
  return *std::move(made);
}

// In the order of the strides, row-major, column-major; each once.
std::vector<Order> ordersOf(const cute::Layout& layout) {
  const std::vector<cute::LayoutLeaf> leaves = cute::flatLeaves(layout);
  Order column(leaves.size());
  std::iota(column.begin(), column.end(), std::size_t{0});
  Order byStride = column;
  const std::vector<cute::IntTuple> strides = layout.stride().leaves();
  std::ranges::stable_sort(byStride, {}, [&](std::size_t k) { return std::abs(strides[k].value()); });
  std::vector<Order> orders = {std::move(byStride)};
  for (const Order& order : {Order(column.rbegin(), column.rend()), column})
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  return orders;
}

bool isAName(std::string_view text) {
  return !text.empty() && isNameStart(text[0]) && std::ranges::all_of(text, isNamePart);
}

// Whether a statement mentions the name as a whole word.
bool mentions(std::string_view statement, std::string_view name) {
  for (std::size_t at = statement.find(name); at != std::string_view::npos; at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !isNamePart(statement[at - 1])) && (end == statement.size() || !isNamePart(statement[end])))
      return true;
  }
  return false;
}

EngineOptions withoutFigures() {
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  return options;
}

class TruthMaker {
 public:
  TruthMaker(const Statement& statement, const ProveRequest& asked, const ProveOptions& options)
      : statement_(statement), asked_(asked), options_(options) {
    options_.budgetSeconds = kSeconds;
    options_.exportSmt2 = false;
    options_.onRung = {};
    for (const ClaimSource::Name& n : asked.source.names) scope_.bindQuoted(n.name, n.value, {}, n.statement);
  }

  MadeTrue run() {
    try {
      const WorkBudget limit({.seconds = kSeconds, .cancel = options_.cancel});
      search();
    } catch (const OutOfBudget& end) {
      out_.none = fmt::format("the search ended early: {}", end.what());
    }
    if (!out_.edits.empty()) out_.none.clear();
    return std::move(out_);
  }

 private:
  void search() {
    const Claim& claim = asked_.claim;
    if (asked_.negated) return affirm();
    if (claim.kind() == ClaimKind::Threads) return (void)(out_.none = ofThreads());
    if (claim.maps().empty())
      return (void)(out_.none = "find searches layouts, and this claim is about parts of a module");
    if (asked_.source.arguments.empty()) return;
    switch (claim.kind()) {
      case ClaimKind::ConflictFree:
        return conflictFree();
      case ClaimKind::Equal:
        return equal();
      case ClaimKind::Roundtrip:
        if (asked_.source.arguments.size() == 2) return inverse();
        break;
      case ClaimKind::Aligned:
        return compact(multipleOf(std::get<claims::Aligned>(claim.says)));
      case ClaimKind::Vectorizes:
        return compact(multipleOf(std::get<claims::Vectorizes>(claim.says)));
      default:
        break;
    }
    compact(1);
  }

  template <class Rows>
  static i64 multipleOf(const Rows& rows) {
    return std::max<i64>(1, rows.elementBits > 0 ? rows.bytes * 8 / rows.elementBits : 1);
  }

  // `not CLAIM` is refuted because the claim holds.
  void affirm() {
    const std::size_t at = statement_.text.find("not ");
    if (at == std::string::npos) return;
    std::string after = statement_.text;
    after.erase(at, 4);
    out_.edits.push_back({after, statement_.text, after});
  }

  [[nodiscard]] std::string ofThreads() const {
    switch (std::get<claims::Threads>(asked_.claim.says).question->what) {
      case claims::ThreadQuestion::What::ConflictFree:
        return "no Sw<B,M,S> and no padding of one pitch, written into the line, frees the access of conflicts";
      case claims::ThreadQuestion::What::Coalesced:
        return "find changes addresses in shared memory; which thread reads which global address is the code's to "
               "choose";
      case claims::ThreadQuestion::What::RaceFree:
        return "find changes layouts; a race needs a barrier or other indices";
      case claims::ThreadQuestion::What::Computes:
        break;
    }
    return "find changes layouts; the values that a kernel computes are determined by its statements";
  }

  [[nodiscard]] std::string textOf(std::size_t argument) const {
    const Span s = asked_.source.arguments[argument];
    return s.end <= statement_.text.size() ? statement_.text.substr(s.begin, s.end - s.begin) : std::string();
  }

  [[nodiscard]] std::optional<Layout> layoutAt(std::size_t argument) {
    for (const Statement& s : splitStatements(textOf(argument))) {
      const Started started = startStatement(s, scope_, withoutFigures());
      if (!started.outcome.value) return std::nullopt;
      auto layout = layoutOf(*started.outcome.value);
      if (!layout) return std::nullopt;
      return *std::move(layout);
    }
    return std::nullopt;
  }

  // --- candidates, by kind of claim ---

  void conflictFree() {
    const auto& claim = std::get<claims::ConflictFree>(asked_.claim.says);
    const auto layout = layoutAt(0);
    if (!layout) return (void)(out_.none = "find swizzle needs a layout");
    auto plain = plainCuteOf(*layout);
    if (!plain)
      if (const auto swizzled = swizzledCuteOf(*layout)) plain = swizzled->inner();
    if (!plain)
      return (void)(out_.none = fmt::format("find swizzle needs a layout with strides: {}", plain.error().message));
    const AccessSpec specs[] = {claim.access};
    const auto found = findSwizzle(*plain, claim.elementBits, specs, {.paddings = true, .cancel = options_.cancel});
    if (!found) return (void)(out_.none = found.error().message);
    for (const auto* answers : {&found->swizzles, &found->paddings})
      if (!answers->empty()) offer({0, answers->front().cute});
    if (!found->clash.empty())
      out_.none = fmt::format("none of {} swizzles serves it: {}", found->candidates, found->clash.front().text);
  }

  void equal() {
    if (asked_.source.arguments.size() != 2)
      return (void)(out_.none = "find searches layouts, and this claim is about a chain of operations");
    const std::optional<Layout> both[] = {layoutAt(0), layoutAt(1)};
    if (!both[0] || !both[1]) return;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const Layout &own = *both[k], &other = *both[1 - k];
      const auto target = tableOf(other), table = tableOf(own);
      if (!target) return (void)(out_.none = target.error().message);
      InverseQuestion question;
      question.target = *target;
      question.name = textOf(1 - k);
      if (table && table->values.size() == target->values.size() && plainCuteOf(own)) {
        question.what = InverseQuestion::What::Swizzle;
        question.over = own;
        question.overTable = *table;
        if (const auto answer = answerOf(question); answer.layout && offer({k, print(*answer.layout)})) continue;
        question.over.reset();
        question.overTable.reset();
      }
      question.what = InverseQuestion::What::Layout;
      const auto answer = answerOf(question);
      if (answer.layout) offer({k, print(*answer.layout)});
      if (!answer.none.empty()) out_.none = answer.none;
    }
  }
  static Result<Table> tableOf(const Layout& layout) {
    const Result<Arrow>& arrow = layout.arrow();
    return arrow ? valueTable(*arrow) : Result<Table>(arrow.error());
  }

  void inverse() {
    const auto layout = layoutAt(0);
    const auto plain = layout ? plainCuteOf(*layout) : Result<cute::Layout>(Diag{"find needs a layout"});
    const auto back = plain ? cute::leftInverse(*plain) : Result<cute::Layout>(plain.error());
    if (back) offer({1, print(*back)});
    out_.none = back ? fmt::format("{} is the left inverse of {}, and the claim does not hold with it, either",
                                   print(*back), textOf(0))
                     : fmt::format("{} has no left inverse: {}", textOf(0), back.error().message);
  }

  void compact(i64 multiple) {
    if (const auto none = tooFew()) return (void)(out_.none = *none);
    const auto layout = layoutAt(0);
    if (!layout) return (void)(out_.none = "find searches layouts, and this is none");
    std::optional<cute::Swizzle> swizzle;
    auto plain = plainCuteOf(*layout);
    if (!plain) {
      if (const auto swizzled = swizzledCuteOf(*layout)) {
        plain = swizzled->inner();
        swizzle = *swizzled->swizzle();
      } else if (const Result<Arrow>& arrow = layout->arrow(); arrow) {
        plain = boxOf(*arrow);
      }
    }
    if (!plain || !plain->isPlain())
      return (void)(out_.none = "strides do not describe the layout, and find changes strides and swizzles");
    int tried = 0;
    for (const i64 each : multiple > 1 ? std::vector<i64>{multiple, 1} : std::vector<i64>{1}) {
      for (const Order& order : ordersOf(*plain)) {
        auto made = packed(*plain, order, each);
        if (!made) continue;
        if (!swizzle && print(*plain) != layout->text()) made = withoutSplits(*std::move(made));
        const auto composed = swizzle ? cute::ComposedLayout::make(*swizzle, cute::IntTuple(0), *made)
                                      : Result<cute::ComposedLayout>(Diag{});
        tried += composed ? 2 : 1;
        if (composed) offer({0, print(*composed)});
        offer({0, print(*made)});
      }
    }
    out_.none = fmt::format("it does not hold for any of the {} compact layouts of this shape", tried);
  }
  // The modes of a formula are split only as far as its strides need.
  static cute::Layout withoutSplits(cute::Layout layout) {
    const std::vector<cute::IntTuple> modes(static_cast<std::size_t>(layout.rank()), cute::IntTuple(1));
    const auto merged =
        layout.rank() > 1 ? cute::coalesce(layout, cute::IntTuple::tuple(modes)) : cute::coalesce(layout);
    return merged ? *merged : layout;
  }
  // Row-major over the coordinates of a formula.
  static Result<cute::Layout> boxOf(const Arrow& arrow) {
    std::vector<cute::IntTuple> extents;
    for (const i64 e : extentsOf(arrow.from)) extents.emplace_back(e);
    if (extents.empty()) return Diag{"no coordinates"};
    const cute::IntTuple shape = extents.size() == 1 ? extents[0] : cute::IntTuple::tuple(std::move(extents));
    TESSERA_TRY(const cute::Layout column, cute::Layout::compact(shape));
    Order rows(cute::flatLeaves(column).size());
    std::iota(rows.rbegin(), rows.rend(), std::size_t{0});
    auto made = packed(column, rows, 1);
    if (!made) return Diag{"too large"};
    return *std::move(made);
  }

  // A given codomain that no layout of this shape can satisfy.
  [[nodiscard]] std::optional<std::string> tooFew() const {
    const Claim& claim = asked_.claim;
    const Map& map = claim.maps()[0];
    const auto points = map.pointCount();
    if (asked_.source.arguments.size() != 2 || !points || map.axes().size() != 1 || !map.axes()[0].extent)
      return std::nullopt;
    const i64 places = *map.axes()[0].extent;
    const bool onto = claim.kind() == ClaimKind::Surjective || claim.kind() == ClaimKind::Bijective;
    const bool into = claim.kind() == ClaimKind::Bijective;
    if (onto && *points < places)
      return fmt::format("{} coordinates cannot take {} places, for any strides: use another shape, or {} places",
                         *points, places, *points);
    if (into && *points > places)
      return fmt::format("{} coordinates share {} places, for any strides: use another shape, or {} places", *points,
                         places, *points);
    return std::nullopt;
  }

  // --- the edit of a candidate, and its proof ---

  // Adds the edit if the claim is proved with it.
  bool offer(const Candidate& candidate) {
    if (out_.edits.size() >= kMostEdits || candidate.text == textOf(candidate.argument)) return false;
    std::vector<Correction> edits;
    if (auto definition = ofDefinition(candidate)) edits.push_back(*std::move(definition));
    edits.push_back(ofClaim(candidate));
    for (Correction& edit : edits) {
      if (std::ranges::find(out_.edits, edit.after, &Correction::after) != out_.edits.end()) return true;
      if (!isProved(edit)) continue;
      out_.edits.push_back(std::move(edit));
      return true;
    }
    return false;
  }

  // NAME = LAYOUT in place of the statement that bound the name. Not if another argument is computed from it.
  [[nodiscard]] std::optional<Correction> ofDefinition(const Candidate& candidate) const {
    const std::string name = textOf(candidate.argument);
    if (!isAName(name)) return std::nullopt;
    const ClaimSource::Name* bound = nullptr;
    for (const ClaimSource::Name& n : asked_.source.names) {
      if (n.name == name) bound = &n;
      if (n.name != name && (n.statement.empty() || mentions(n.statement, name))) return std::nullopt;
    }
    if (bound == nullptr || !bound->statement.starts_with(name)) return std::nullopt;
    std::string after = fmt::format("{} = {}", name, candidate.text);
    return Correction{after, bound->statement, after};
  }
  [[nodiscard]] Correction ofClaim(const Candidate& candidate) const {
    const Span s = asked_.source.arguments[candidate.argument];
    std::string after = statement_.text;
    after.replace(s.begin, s.end - s.begin, candidate.text);
    return Correction{after, statement_.text, after};
  }

  [[nodiscard]] bool isProved(const Correction& edit) const {
    const EngineOptions quiet = withoutFigures();
    Scope scope = scope_;
    Statement claim = statement_;
    if (edit.before == statement_.text) {
      claim.text = edit.after;
      claim.span.end = claim.span.begin + claim.text.size();
    } else {
      for (const Statement& s : splitStatements(edit.after))
        if (startStatement(s, scope, quiet).outcome.diag) return false;
    }
    const Started started = startStatement(claim, scope, quiet);
    const auto* request = std::get_if<ProveRequest>(&started.request);
    return request != nullptr && prove(request->claim, options_).truth == Truth::Proved;
  }

  const Statement& statement_;
  const ProveRequest& asked_;
  ProveOptions options_;
  Scope scope_;
  MadeTrue out_;
};

}  // namespace

MadeTrue makeTrue(const Statement& statement, const ProveRequest& asked, const ProveOptions& options) {
  return TruthMaker(statement, asked, options).run();
}

}  // namespace tessera
