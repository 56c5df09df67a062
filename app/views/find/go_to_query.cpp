#include "app/views/find/go_to_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/views/pictures/pane_view.h"
#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/worksheet/functions/tile_value.h"
#include "render/draw/grid/memory.h"

namespace tessera::panes {
namespace {

constexpr Dialect kDialect{.plus = false, .hex = true};

std::optional<i64> number(Cursor& in) {
  if (in.atEnd() || !isDigit(in.peek())) return std::nullopt;
  const auto n = in.integer();
  if (!n.ok() || *n < 0) return std::nullopt;
  return *n;
}

std::optional<GoTo> coordinate(std::string_view text) {
  Cursor in(text, kDialect);
  GoTo wanted{GoTo::Kind::Coordinate, {}, {}};
  const bool bracket = in.accept('(');
  do {
    const auto n = number(in);
    if (!n) return std::nullopt;
    wanted.numbers.push_back(*n);
  } while (in.accept(','));
  if (bracket && !in.accept(')')) return std::nullopt;
  // A bare number is text: numbers occur in every worksheet.
  if (!in.atEnd() || (!bracket && wanted.numbers.size() < 2)) return std::nullopt;
  return wanted;
}

// "T12", "T12 V3", "thread 12 value 3": `first` is the word, followed by its number with or without a blank.
std::optional<GoTo> named(std::string_view text) {
  struct Word {
    std::string_view word;
    GoTo::Kind kind;
    bool blank;  // a blank is required before the number
  };
  constexpr Word kWords[] = {{"offset", GoTo::Kind::Offset, true}, {"byte", GoTo::Kind::Byte, true},
                             {"thread", GoTo::Kind::Thread, true}, {"lane", GoTo::Kind::Thread, true},
                             {"bank", GoTo::Kind::Bank, true},     {"t", GoTo::Kind::Thread, false}};
  const std::string low = lowerCase(text);
  for (const Word& w : kWords) {
    if (low.compare(0, w.word.size(), w.word) != 0) continue;
    Cursor in(std::string_view(low).substr(w.word.size()), kDialect);
    if (w.blank && in.raw() != ' ') continue;
    const auto n = number(in);
    if (!n) continue;
    GoTo wanted{w.kind, {*n}, {}};
    if (w.kind == GoTo::Kind::Thread && !in.atEnd()) {
      if (!in.accept("value") && !in.accept("register") && !in.accept('v') && !in.accept('r')) continue;
      const auto value = number(in);
      if (!value) continue;
      wanted.numbers.push_back(*value);
    }
    if (in.atEnd()) return wanted;
  }
  return std::nullopt;
}

}  // namespace

GoTo goToOf(std::string_view text) {
  text = stripped(text);
  std::optional<GoTo> wanted = coordinate(text);
  if (!wanted) wanted = named(text).value_or(GoTo{});
  wanted->text = text;
  return *wanted;
}

namespace {

constexpr i64 kLooked = i64{1} << 18;  // limit of cells per grid read for a label

// The available ranges, for the message.
struct Range {
  i64 least = 0, most = -1;
  void add(i64 n) {
    if (most < least) least = most = n;
    least = std::min(least, n);
    most = std::max(most, n);
  }
  [[nodiscard]] bool any() const { return least <= most; }
  [[nodiscard]] std::string text() const { return fmt::format("{} to {}", least, most); }
};

std::optional<Place> placeOf(const Figure& figure, Point point) {
  for (std::size_t g = 0; g < figure.grids.size(); ++g) {
    if (!figure.grids[g].cells) continue;
    const auto found = figure.grids[g].cells->find(point, 1);
    if (!found.empty()) return Place{0, g, found[0].first, found[0].second};
  }
  return std::nullopt;
}

// "12" after `mark` in a label's words: "T12", "W1 T12", "T9.0".
std::optional<i64> numberAfter(std::string_view label, std::string_view marks) {
  for (std::size_t k = 0; k + 1 < label.size(); ++k) {
    const bool begins = k == 0 || label[k - 1] == ' ' || label[k - 1] == '.';
    if (!begins || marks.find(label[k]) == std::string_view::npos) continue;
    i64 n = 0;
    const char* end = label.data() + label.size();
    if (std::from_chars(label.data() + k + 1, end, n).ec == std::errc{}) return n;
  }
  return std::nullopt;
}

class Search {
 public:
  explicit Search(const GoTo& wanted) : w_(wanted) {}

  std::optional<Place> in(const Outcome& o) {
    switch (w_.kind) {
      case GoTo::Kind::Coordinate:
        return coordinate(o);
      case GoTo::Kind::Offset:
        return offset(o, w_.numbers[0]);
      case GoTo::Kind::Byte:
        return byte(o);
      case GoTo::Kind::Thread:
        return thread(*o.figure);
      case GoTo::Kind::Bank:
        return bank(*o.figure);
      case GoTo::Kind::Text:
        break;
    }
    return std::nullopt;
  }

  [[nodiscard]] Diag nothing() const {
    const auto among = [&](std::string available) {
      return Diag{"'" + w_.text + "' is not in any picture", std::move(available)};
    };
    switch (w_.kind) {
      case GoTo::Kind::Coordinate:
        if (!shapes_.empty()) return among("the pictures have shape " + shapes_);
        return {"no picture of this sheet has coordinates", "a picture of a layout"};
      case GoTo::Kind::Offset:
        if (range_.any()) return among("the pictures have offsets " + range_.text());
        return {"no picture of this sheet has offsets", "a picture of a layout into memory"};
      case GoTo::Kind::Byte:
        if (range_.any()) return among("the pictures have bytes " + range_.text());
        return {"no picture has a known element size", "an offset, counted in elements",
                fmt::format("offset {}, or show S as banks f16", w_.numbers[0])};
      case GoTo::Kind::Thread:
        if (values_.any()) return among(fmt::format("thread {} has values {}", w_.numbers[0], values_.text()));
        if (range_.any()) return among("the pictures have threads " + range_.text());
        return {"no picture of this sheet shows threads", "a picture of an instruction, or of banks",
                "show ldmatrix.x4"};
      default:
        if (range_.any()) return among("the pictures have banks " + range_.text());
        return {"no picture of this sheet shows banks", "a picture of banks", "show S as banks f16"};
    }
  }

 private:
  static Result<SubjectPtr> subjectIn(const Outcome& o) {
    const Value* value = valueOf(o);
    return value == nullptr ? Result<SubjectPtr>(Diag{}) : subjectOf(*value);
  }

  std::optional<Place> coordinate(const Outcome& o) {
    const auto subject = subjectIn(o);
    if (!subject.ok()) return byHeaders(*o.figure);
    const std::vector<i64>& extents = (*subject)->extents;
    std::string shape;
    for (const i64 n : extents) shape += fmt::format("{}{}", shape.empty() ? "" : " x ", n);
    if (shapes_.find(shape) == std::string::npos && shapes_.size() < 80)
      shapes_ += (shapes_.empty() ? "" : ", ") + shape;
    if (w_.numbers.size() != extents.size()) return std::nullopt;
    for (std::size_t k = 0; k < extents.size(); ++k)
      if (w_.numbers[k] >= extents[k]) return std::nullopt;
    return placeOf(*o.figure, {(*subject)->domain, (*subject)->indexOf(w_.numbers)});
  }

  // For pictures that are not of a layout, such as an instruction's operands, whose headers count from 0.
  std::optional<Place> byHeaders(const Figure& figure) {
    for (std::size_t g = 0; g < figure.grids.size() && w_.numbers.size() == 2; ++g) {
      const Grid& grid = figure.grids[g];
      const i64 row = w_.numbers[0], col = w_.numbers[1];
      if (!grid.cells || row >= grid.rows || col >= grid.cols) continue;
      if (grid.cells->rowHeader(row) == std::to_string(row) && grid.cells->colHeader(col) == std::to_string(col))
        return Place{0, g, row, col};
    }
    return std::nullopt;
  }

  std::optional<Place> offset(const Outcome& o, i64 wanted) {
    const auto subject = subjectIn(o);
    if (!subject.ok() || (*subject)->axes() != 1) return std::nullopt;
    range_.add(scaled(o, (*subject)->least));
    range_.add(scaled(o, (*subject)->most));
    const auto index = addressIndex(*subject);
    if (!index.ok()) return std::nullopt;
    for (const i64 at : (*index)->occupants(wanted, 4).indices)
      if (const auto place = placeOf(*o.figure, {(*subject)->domain, at})) return place;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<int> bitsOf(const Outcome& o) const {
    const Value* value = valueOf(o);
    if (value == nullptr) return std::nullopt;
    if (const auto bits = elementBitsOf(*value)) return bits;
    for (const std::string& word : o.show ? o.show->arguments : std::vector<std::string>{})
      if (const auto bits = elementBits(word); bits.ok()) return *bits;
    return std::nullopt;
  }
  [[nodiscard]] i64 scaled(const Outcome& o, i64 element) const {
    const auto bits = bitsOf(o);
    return w_.kind == GoTo::Kind::Byte && bits ? element * *bits / 8 : element;
  }

  std::optional<Place> byte(const Outcome& o) {
    const auto bits = bitsOf(o);
    if (!bits || *bits <= 0) return std::nullopt;
    const auto inBits = checkedMul(w_.numbers[0], 8);
    if (!inBits) return std::nullopt;
    return offset(o, *inBits / *bits);
  }

  std::optional<Place> thread(const Figure& figure) {
    for (std::size_t g = 0; g < figure.grids.size(); ++g) {
      const Grid& grid = figure.grids[g];
      if (!grid.cells || grid.cols <= 0) continue;
      const i64 rows = std::min(grid.rows, std::max<i64>(1, kLooked / grid.cols));
      for (i64 r = 0; r < rows; ++r)
        for (i64 c = 0; c < std::min(grid.cols, kLooked); ++c)
          if (holds(grid.cells->cell(r, c))) return Place{0, g, r, c};
    }
    return std::nullopt;
  }
  bool holds(const Cell& cell) {
    const auto t = numberAfter(cell.label, "T");
    if (!t) return false;
    range_.add(*t);
    if (*t != w_.numbers[0]) return false;
    if (w_.numbers.size() < 2) return true;
    const std::optional<i64> v = numberAfter(cell.second.empty() ? cell.label : cell.second, "VRr");
    if (v) values_.add(*v);
    return v == w_.numbers[1];
  }

  std::optional<Place> bank(const Figure& figure) {
    for (std::size_t g = 0; g < figure.grids.size(); ++g) {
      const Grid& grid = figure.grids[g];
      if (grid.name != "phases" || !grid.cells) continue;
      range_.add(0);
      range_.add(grid.cols - 1);
      if (w_.numbers[0] >= grid.cols) continue;
      for (i64 r = 0; r < grid.rows; ++r)  // the first phase that uses the bank
        if (!grid.cells->cell(r, w_.numbers[0]).label.empty()) return Place{0, g, r, w_.numbers[0]};
      return Place{0, g, 0, w_.numbers[0]};
    }
    return std::nullopt;
  }

  const GoTo& w_;
  Range range_, values_;
  std::string shapes_;
};

}  // namespace

Result<std::vector<Place>> placesOf(const GoTo& wanted, std::span<const std::shared_ptr<const Outcome>> outcomes) {
  Search search(wanted);
  std::vector<Place> places;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k] || !outcomes[k]->figure) continue;
    if (auto place = search.in(*outcomes[k])) {
      place->outcome = k;
      places.push_back(*place);
    }
  }
  if (places.empty()) return search.nothing();
  return places;
}

}  // namespace tessera::panes
