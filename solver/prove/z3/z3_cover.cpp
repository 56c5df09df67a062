// Rung 4 for coverage: asks Z3 for a point of each place, one small question at a time.
//
//     (4,4):(1,2) onto [0, 10)     place 0: i + 2*j == 0, 0 <= i, j < 4 ?   sat, (0,0)     ...     place 9: sat, (3,3)
//     (4,8):(9,1) onto [0, 35)     place 8: unsat, so nothing gives 8
//
// No `forall exists` is needed: a place is a number, so each question is quantifier-free. If there are more places than
// points, one of the first points + 1 places is empty, so that many questions suffice. Places where sorted strides jump
// come first, since holes of layouts are there. A sum of many coprime strides can keep the integer solver busy for
// long; such a question goes to bit-vectors instead.
// Law: every point that Z3 returns is checked by Map::at before its place counts as hit.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "solver/prove/obligation.h"
#include "solver/prove/prove.h"
#include "solver/prove/smt/encode.h"
#include "solver/prove/z3/smt_solver.h"

namespace tessera::prover {
namespace {

using smt::Encoding;
using smt::Numbers;
using smt::Status;

constexpr Work kIntegerWork = workOf(0.25);  // for one question over integers, before trying bit-vectors
constexpr std::size_t kExported = 16;  // number of questions kept as files, if they are satisfiable or there is no Z3

// For one axis: the values after the reach of the sorted strides so far, lowest first, and both ends.
std::vector<i64> likelyHoles(const Normal& normal, const Form& axis, i64 extent) {
  std::vector<std::pair<i128, i128>> strides;  // |stride|, reach
  i128 lowest = axis.constantTerm();
  for (const auto& [monomial, coefficient] : axis.terms) {
    if (monomial.size() != 1 || !normal.isPart(monomial.front())) continue;
    const i128 reach = i128{coefficient} * normal.atoms()[monomial.front()].range.hi;
    lowest += std::min<i128>(reach, 0);
    strides.emplace_back(coefficient < 0 ? -i128{coefficient} : i128{coefficient}, reach < 0 ? -reach : reach);
  }
  std::ranges::sort(strides);
  std::vector<i64> places = {0, extent - 1};
  i128 top = lowest;
  const auto add = [&](i128 place) {
    if (place >= 0 && place < extent) places.push_back(static_cast<i64>(place));
  };
  for (const auto& [stride, reach] : strides) {
    if (stride > top - lowest + 1) add(top + 1);
    top += reach;
  }
  add(top + 1);
  return places;
}

class PlaceByPlace {
 public:
  PlaceByPlace(const Map& map, const Normal& normal, Numbers numbers, bool fallsBack, const std::string& name,
               bool exportSmt2, const Budget& budget)
      : fallsBack_(fallsBack),
        map_(map),
        normal_(normal),
        name_(name),
        exportSmt2_(exportSmt2),
        budget_(budget),
        solver_(terms_, Encoding::logicFor(normal, numbers), budget),
        encoding_(terms_, normal, numbers) {
    std::vector<smt::Term> facts;
    point_ = encoding_.copy("", facts);
    for (const smt::Term t : facts) solver_.add(t);
    for (std::size_t g = 0; g < map.guards().size(); ++g)
      solver_.add(
          encoding_.within(normal.forms()[map.axes().size() + g], map.guards()[g].lo, map.guards()[g].hi, point_));
    if (exportSmt2) spend(static_cast<Work>(kExported) * terms_.size());
  }

  // `count`: number of places, colex, that decide the claim. Likely holes are always tried; all other places only if
  // there are at most `most`.
  Answer run(i64 count, i64 most) {
    const auto extents = mapped<i64>(map_.axes(), [](const Axis& a) { return *a.extent; });
    for (std::size_t a = 0; a < extents.size(); ++a)
      for (const i64 value : likelyHoles(normal_, normal_.forms()[a], extents[a])) {
        std::vector<i64> place(extents.size(), 0);
        place[a] = value;
        if (auto answer = ask(place)) return *std::move(answer);
      }
    if (count > most && haveZ3())
      return unknown("Z3", fmt::format("{} places are too many to query one by one", count));
    for (i64 n = 0; n < count; ++n)
      if (auto answer = ask(delinearize(n, extents, LinearOrder::Colex))) {
        if (answer->truth == Truth::Unknown) answer->detail += fmt::format(" after {} of {} places", n, count);
        return *std::move(answer);
      }
    return answered(haveZ3() ? proved("", fmt::format("each of the {} places has a point", count))
                             : unknown("", solver_.reason()));
  }

 private:
  // nullopt: the place is hit.
  std::optional<Answer> ask(const std::vector<i64>& place) {
    std::optional<Answer> answer = askHere(place, fallsBack_ ? kIntegerWork : budget_.remaining());
    if (!answer || answer->truth != Truth::Unknown || !fallsBack_ || budget_.spent()) return answer;
    if (!bits_)
      bits_ = std::make_unique<PlaceByPlace>(map_, normal_, Numbers::Bits, false, name_, exportSmt2_, budget_);
    return bits_->askHere(place, budget_.remaining());
  }
  std::optional<Answer> askHere(const std::vector<i64>& place, Work most) {
    solver_.push();
    for (std::size_t a = 0; a < place.size(); ++a)
      solver_.add(encoding_.within(normal_.forms()[a], place[a], place[a], point_));
    const Status result = solver_.check(most);
    if (exportSmt2_ && ((haveZ3() && result != Status::Sat) || smt2_.size() < kExported))
      smt2_.emplace_back(fmt::format("{}_{}.smt2", name_, smt2_.size() + 1),
                         solver_.text("a point is at the place " + tuple(place), "no point is at this place"));
    std::optional<Answer> answer;
    if (result == Status::Unsat) {
      answer = answered(uncovered("", place));
    } else if (result == Status::Unknown) {
      // Without Z3 there are only questions to write.
      if (haveZ3() || smt2_.size() >= kExported) answer = answered(unknown("", solver_.reason()));
    } else if (!hits(place)) {
      answer = answered(unknown("", "the solver returned a point that does not exist; this is a bug in Tessera"));
    }
    solver_.pop();
    return answer;
  }

  [[nodiscard]] bool hits(const std::vector<i64>& place) {
    const std::vector<i64> at = normal_.digitsAt(atomValues(normal_, solver_, point_));
    return inBox(map_.digits(), at) && map_.isReal(at) && map_.at(at) == place;
  }

  Answer answered(Answer a) {
    a.method = "Z3 " + solver_.logic();
    a.smt2 = std::move(smt2_);
    return a;
  }

  bool fallsBack_;  // to bit-vectors
  const Map& map_;
  const Normal& normal_;
  const std::string& name_;
  bool exportSmt2_;
  const Budget& budget_;
  smt::Terms terms_ = {};
  SmtSolver solver_;
  Encoding encoding_;
  Encoding::Copy point_;
  std::vector<std::pair<std::string, std::string>> smt2_;
  std::unique_ptr<PlaceByPlace> bits_;  // created when the integers first take too long
};

}  // namespace

Answer byZ3Cover(const Map& map, i64 most, const std::string& name, bool exportSmt2, const Budget& budget) {
  if (!map.params().empty()) return unknown("Z3", "places are queried one by one, but sizes are symbolic");
  for (const Axis& a : map.axes())
    if (!a.extent) return unknown("Z3", fmt::format("{} declares no extent", named(map, a)));
  i64 count = countPlaces(map).value_or(INT64_MAX);
  if (const auto points = countPoints(map.digits()); points && *points < count) count = *points + 1;
  return bySmt(exportSmt2, budget, [&] {
    const auto normal = Normal::create(map.digits(), {}, allExprs(map));
    if (!normal) return unknown("Z3", "the expressions have no normal form");
    const Numbers numbers = Encoding::hasXor(*normal) ? Numbers::Bits : Numbers::Integers;
    const bool fits = Encoding::widthFor(*normal).has_value();
    if (numbers == Numbers::Bits && !fits) return unknown("Z3", "the values need more than 118 bits");
    const bool fallsBack = numbers == Numbers::Integers && fits && haveZ3();
    return PlaceByPlace(map, *normal, numbers, fallsBack, name, exportSmt2, budget).run(count, most);
  });
}

}  // namespace tessera::prover
