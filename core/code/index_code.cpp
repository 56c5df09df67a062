#include "core/code/index_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work.h"
#include "core/code/cpp/macros.h"
#include "core/code/run/interpreter.h"
#include "core/map/compose.h"
#include "core/map/tabulate.h"

namespace tessera::code {
namespace {

constexpr std::size_t kMostPrinted = 4096;  // nodes of an expression that are printed

// The text with its macros applied, and its trees.
struct Source {
  Language language;
  Expanded expanded;
  std::vector<Tree> trees;
};
// [[nodiscard]], [[buffer(0)]]: blanks.
std::string withoutAttributes(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find("[["); at != std::string::npos; at = out.find("[[", at + 2)) {
    const std::size_t end = out.find("]]", at);
    if (end == std::string::npos) break;
    const std::string_view inside = std::string_view(out).substr(at + 2, end - at - 2);
    const bool attribute =
        !inside.empty() && isNameStart(inside[0]) && inside.find_first_of("[]{};") == std::string_view::npos;
    const bool subscript = at > 0 && (isNamePart(out[at - 1]) || out[at - 1] == ']');
    if (attribute && !subscript)
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end) + 2, ' ');
  }
  return out;
}

Result<Source> sourceOf(Language language, std::string_view text, const Given& given) {
  const auto isGiven = [&](std::string_view name) { return given.find(name) != nullptr; };
  Source source{language, language == Language::Cpp ? withMacros(text, isGiven) : Expanded{std::string(text), {}}, {}};
  if (language == Language::Cpp) source.expanded.text = withoutAttributes(source.expanded.text);
  auto trees = language == Language::Python ? readPython(source.expanded.text) : readCpp(source.expanded.text);
  if (!trees) {
    trees.error().span = source.expanded.original(trees.error().span);
    return trees.error();
  }
  source.trees = *std::move(trees);
  return source;
}

Survey surveyed(const Source& source, const Given& given);

std::vector<Digit> digitsOf(const Given& given) {
  std::vector<Digit> digits;
  for (const auto& c : given.over) digits.push_back({c.name, c.extent, DigitKind::Index, 0});
  return digits;
}

std::string listed(const std::vector<Missing>& missing) {
  std::string text;
  for (const Missing& m : missing) text += (text.empty() ? "" : ", ") + m.name;
  return text;
}

class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t k = 0; k < text.size(); ++k)
      if (text[k] == '\n') starts_.push_back(k + 1);
  }
  [[nodiscard]] std::size_t at(std::size_t position) const {
    return 1 + static_cast<std::size_t>(std::ranges::upper_bound(starts_, position) - starts_.begin());
  }

 private:
  std::vector<std::size_t> starts_;
};

// threadIdx.x as the name of a variable of a map: threadIdx_x.
std::string identifierOf(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (isNamePart(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() || !isNameStart(name[0]) ? "d" + name : name;
}

// Makes the values of a run from its entries.
class Collector {
 public:
  Collector(const Interpreter& run, const Source& source, std::string_view text)
      : run_(run), expanded_(source.expanded), lines_(text), digits_(run.arithmetic().digits()) {
    std::set<std::string> taken;
    for (Digit& d : digits_) {
      d.name = identifierOf(d.name);
      while (!taken.insert(d.name).second) d.name += "_";
    }
  }

  IndexValue value(const Entry& e) const {
    IndexValue v;
    v.name = e.name;
    v.span = expanded_.original(e.span);
    v.line = lines_.at(v.span.begin);
    if (e.fault) {
      v.fault = e.fault;
      v.fault->span = expanded_.original(e.fault->span);
      v.kind = IndexValue::Kind::Access;
      return v;
    }
    if (e.access >= 0) describe(v, run_.memory().accesses()[static_cast<std::size_t>(e.access)]);
    if (e.value.is(Value::Kind::Pointer)) return pointer(e, std::move(v));
    setMap(v, axes(e.value, v), e);
    return v;
  }

 private:
  void describe(IndexValue& v, const Access& access) const {
    const Array& array = run_.memory().arrays()[static_cast<std::size_t>(access.array)];
    v.kind = IndexValue::Kind::Access;
    v.direction = access.direction;
    v.vector = access.vector;
    v.elementBits = static_cast<int>(access.element.size());
    v.element = v.elementBits == 0 ? "" : print(access.element);
    v.isShared = array.isShared;
    v.isRegister = array.isDeclared && !array.isShared;
    v.extents = array.extents;
  }

  IndexValue pointer(const Entry& e, IndexValue v) const {
    const Array& array = run_.memory().arrays()[static_cast<std::size_t>(e.value.array)];
    v.elementBits = static_cast<int>(array.element.size());
    v.element = v.elementBits == 0 ? "" : print(array.element);
    v.isShared = array.isShared;
    v.isRegister = array.isDeclared && !array.isShared;
    if (e.value.extents.empty() || !e.value.offset.isConstant(0)) {
      v.kind = IndexValue::Kind::Access;
      v.direction = Direction::Address;
      if (e.value.unit > 0) v.elementBits = e.value.unit;
      setMap(v, {{"offset", e.value.offset, {}}}, e);
      return v;
    }
    v.kind = IndexValue::Kind::Array;
    v.extents = array.extents;
    std::vector<Digit> digits;
    Expr offset;
    for (std::size_t k = 0; k < v.extents.size(); ++k) {
      digits.push_back({fmt::format("i{}", k), v.extents[k], DigitKind::Index, 0});
      offset = offset * v.extents[k] + Expr::digit(static_cast<int>(k));
    }
    set(v, Map::create(std::move(digits), {{"offset", offset, {}}}));
    return v;
  }

  std::vector<Axis> axes(const Value& value, IndexValue& v) const {
    if (value.is(Value::Kind::Number)) return {{"offset", value.number.value, {}}};
    if (value.is(Value::Kind::Tuple)) {
      std::vector<Axis> axes;
      for (std::size_t k = 0; k < value.elements.size(); ++k) {
        const Value& one = value.elements[k];
        if (one.is(Value::Kind::Unbound) && one.text.ends_with("AXIS_SEPARATOR")) continue;  // of TVM
        if (!one.is(Value::Kind::Number)) {
          v.fault = Diag{fmt::format("component {} of {} is no index: {}", k, v.name, one.text), "", "", v.span};
          return {};
        }
        axes.push_back({"", one.number.value, {}});
      }
      return axes;
    }
    v.fault = Diag{fmt::format("{} depends on {}", v.name, value.text), "an index of coordinates and constants", "",
                   value.span.empty() ? v.span : expanded_.original(value.span)};
    return {};
  }

  // Over the coordinates and the loops around the entry; of another loop, the value of its last iteration.
  void setMap(IndexValue& v, std::vector<Axis> axes, const Entry& e) const {
    if (v.fault) return;
    std::vector<Guard> guards;
    if (!e.live.isConstant(1)) guards.push_back({e.live, 1, 1});
    if (digits_.size() == run_.names().given().over.size())
      return set(v, Map::create(digits_, std::move(axes), std::move(guards)));
    std::vector<Digit> digits;
    std::vector<Expr> by;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      const bool kept =
          k < run_.names().given().over.size() || std::ranges::find(e.loops, static_cast<int>(k)) != e.loops.end();
      by.push_back(kept ? Expr::digit(static_cast<int>(digits.size())) : Expr::constant(digits_[k].extent - 1));
      if (kept) digits.push_back(digits_[k]);
    }
    set(v, Map::create(std::move(digits), substituted(std::move(axes), by), substituted(std::move(guards), by)));
  }

  static void set(IndexValue& v, Result<Map> map) {
    if (map) {
      v.map = *std::move(map);
      return;
    }
    v.fault = map.error();
    v.fault->span = v.span;
  }

  const Interpreter& run_;
  const Expanded& expanded_;
  Lines lines_;
  std::vector<Digit> digits_;
};

bool varies(const IndexValue& v) {
  return std::ranges::any_of(v.map.axes(), [](const Axis& a) { return !a.value.isConstant(); });
}

// How good a value is as that of the text.
int rank(const IndexValue& v) {
  if (v.fault && v.fault->message.find("is loaded") != std::string::npos) return 0;
  if (v.kind == IndexValue::Kind::Array) return 1;
  if (v.kind == IndexValue::Kind::Access && v.isRegister) return 2;
  if (v.kind == IndexValue::Kind::Access && !varies(v) && !v.fault) return 2;
  return 3;
}

std::size_t lastOf(const std::vector<IndexValue>& values, const std::vector<Entry>& entries) {
  for (std::size_t k = entries.size(); k-- > 0;)
    if (entries[k].isResult && !entries[k].value.is(Value::Kind::Pointer)) return k;
  std::size_t best = values.size() - 1;
  for (std::size_t k = values.size(); k-- > 0;)
    if (rank(values[k]) > rank(values[best])) best = k;
  return best;
}

Diag unbound(const std::vector<Missing>& missing, const Diag& first) {
  if (missing.empty()) return first;
  Diag diag = first;
  diag.message = fmt::format("{} {} not bound", listed(missing), missing.size() == 1 ? "is" : "are");
  diag.expected = "an extent for each coordinate, and a value for each constant";
  diag.hint.clear();
  for (const Missing& m : missing)
    diag.hint += fmt::format("{}{} {} = 64", diag.hint.empty() ? "" : ", ", m.isConstant ? "with" : "over", m.name);
  diag.span = missing.front().span;
  return diag;
}

// Gives a name to each extent of `over (64, 64)`, and extents to coordinates that have them.
Result<void> nameCoordinates(const Source& source, Given& given) {
  const bool positional = std::ranges::any_of(given.over, [](const auto& c) { return c.name.empty(); });
  if (!positional && !given.over.empty()) {
    // Further coordinates have the extents of the text: tl.arange(0, 64).
    for (const Missing& m : surveyed(source, given).missing)
      if (m.extent) given.over.push_back({m.name, *m.extent});
    return {};
  }
  const std::vector<Given::Coordinate> extents = given.over;
  given.over.clear();
  const Survey found = surveyed(source, given);
  if (extents.empty()) {
    given.loops = true;
    for (const Missing& m : found.missing)
      if (const auto extent = m.extent ? m.extent : knownExtent(m.name, given)) given.over.push_back({m.name, *extent});
    return {};
  }
  std::vector<std::string> names;
  for (const Missing& m : found.missing)
    if (found.missing.size() == extents.size() || !m.isConstant) names.push_back(m.name);
  if (names.size() != extents.size()) {
    if (found.fault && names.size() < extents.size()) return *found.fault;
    return Diag{fmt::format("{} ({}), but {} extents",
                            names.size() == 1 ? "1 free name" : fmt::format("{} free names", names.size()),
                            listed(found.missing), extents.size()),
                "an extent for each coordinate; constants with `with NAME = VALUE`", "over (row = 64, col = 64)",
                found.missing.empty() ? Span{} : found.missing.front().span};
  }
  for (std::size_t k = 0; k < names.size(); ++k) given.over.push_back({names[k], extents[k].extent});
  return {};
}

// One more than the largest value; nullopt if a value can be negative.
std::optional<i64> codomainOf(const Map& map) {
  const auto points = map.pointCount();
  Range range;
  if (points && *points <= Arithmetic::kMostPoints) {
    const auto values = Tabulator::create(map, 0, LinearOrder::Lex);
    if (!values) return std::nullopt;
    const bool guarded = !map.guards().empty();
    std::vector<i64> chunk(4096);
    range = {INT64_MAX, INT64_MIN};
    for (i64 from = 0; from < *points; from += static_cast<i64>(chunk.size())) {
      const auto count = static_cast<std::size_t>(std::min<i64>(static_cast<i64>(chunk.size()), *points - from));
      values->fill(from, std::span(chunk).first(count));
      spend(static_cast<Work>(count));
      const auto [lo, hi] = std::minmax_element(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
      range = {std::min(range.lo, *lo), std::max(range.hi, *hi)};
    }
    if (guarded) range.lo = std::max<i64>(range.lo, 0);
  } else {
    range = factsOf(withSimplerValues(map).axes()[0].value, environmentOf(map)).interval;
  }
  return range.lo < 0 || range.hi < 0 ? std::nullopt : checkedAdd(range.hi, 1);
}

Survey surveyed(const Source& source, const Given& given) {
  Survey out;
  Interpreter run(source.expanded.text, source.language, given, digitsOf(given), true);
  if (const Result<void> done = run.runAll(source.trees); !done) {
    out.fault = done.error();
  }
  for (const Diag& fault : run.faults())
    if (!out.fault || fault.message.find("does not define") != std::string::npos) out.fault = fault;
  if (out.fault) out.fault->span = source.expanded.original(out.fault->span);
  out.missing = run.names().missing();
  for (Missing& m : out.missing) m.span = source.expanded.original(m.span);
  std::ranges::stable_sort(out.missing, {}, [](const Missing& m) {
    return std::pair(m.parameter < 0 ? INT32_MAX : m.parameter, m.span.begin);
  });
  return out;
}

}  // namespace

std::optional<Language> languageOf(std::string_view word) {
  if (word == "python") return Language::Python;
  if (word == "cuda" || word == "c" || word == "cpp" || word == "hip") return Language::Cpp;
  return std::nullopt;
}

bool IndexCode::operator==(const IndexCode& other) const {
  const IndexValue &a = value(), &b = other.value();
  return a.map == b.map && a.fault == b.fault && a.elementBits == b.elementBits;
}

std::optional<i64> knownExtent(const std::string& name, const Given& given) {
  if (name == "laneid" || name == "%laneid") return 32;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOf = {
      {{"threadIdx.", "blockDim"}, {"blockIdx.", "gridDim"}}};
  for (const auto& [index, size] : kOf) {
    if (!name.starts_with(index)) continue;
    const std::string axis = name.substr(index.size());
    if (const auto* one = given.find(std::string(size) + "." + axis); one != nullptr && one->numbers.size() == 1)
      return one->numbers[0];
    const auto* whole = given.find(size);
    if (whole == nullptr) continue;
    const std::size_t k = axis == "x" ? 0 : axis == "y" ? 1 : 2;
    return k < whole->numbers.size() ? whole->numbers[k] : 1;
  }
  return std::nullopt;
}

Survey survey(Language language, std::string_view text, const Given& given) {
  const auto source = sourceOf(language, text, given);
  if (source) return surveyed(*source, given);
  Survey out;
  out.fault = source.error();
  return out;
}

Result<IndexCode> indexCode(std::string_view word, std::string_view text, Given given) {
  const auto language = languageOf(word);
  if (!language) return Diag{fmt::format("{} is no language of index code", word), "c, cpp, cuda, hip or python"};
  TESSERA_TRY(const Source source, sourceOf(*language, text, given));
  TESSERA_CHECKED(nameCoordinates(source, given));
  for (const auto& c : given.over)
    if (c.extent < 1) return Diag{fmt::format("{} has the extent {}", c.name, c.extent), "an extent of at least 1"};
  Interpreter run(source.expanded.text, *language, given, digitsOf(given), false);
  if (const Result<void> done = run.runAll(source.trees); !done) {
    Diag diag = done.error();
    diag.span = source.expanded.original(diag.span);
    if (run.names().missing().empty()) return diag;
    Survey all = surveyed(source, given);
    // A function that the text does not define comes first: no binding helps.
    if (all.fault && all.fault->message.find("does not define") != std::string::npos) return *all.fault;
    return unbound(all.missing, diag);
  }
  auto values = std::make_shared<std::vector<IndexValue>>();
  const Collector collector(run, source, text);
  for (const Entry& e : run.entries()) values->push_back(collector.value(e));
  if (values->empty())
    return Diag{"this code has no integer value and no access",
                "an index, an address, or a function that returns one",
                "",
                {0, text.size()}};
  IndexCode code{std::string(word), std::string(text), std::move(given), values, 0};
  code.selected = lastOf(*values, run.entries());
  if (code.value().fault) return *code.value().fault;
  return code;
}

namespace {

// The accesses to a variable of shared memory, as offsets from its beginning.
void countFromVariable(IndexCode& code) {
  auto values = std::make_shared<std::vector<IndexValue>>(*code.values);
  for (IndexValue& v : *values) {
    if (v.kernel.variable != code.variable || v.fault) continue;
    const i64 bits = 8 * v.kernel.variableAt;
    if (bits % v.elementBits != 0) {
      v.fault =
          Diag{fmt::format("line {}: {} begins at byte {} of shared memory, which is not at an element of {} bits",
                           v.line, v.kernel.variable, v.kernel.variableAt, v.elementBits),
               "shared: offsets in shared memory"};
      continue;
    }
    std::vector<Axis> axes = v.map.axes();
    axes.front().value = axes.front().value - bits / v.elementBits;
    if (auto map = Map::create(v.map.digits(), std::move(axes), v.map.guards())) v.map = *std::move(map);
  }
  code.values = std::move(values);
}

}  // namespace

Result<IndexCode> selected(const IndexCode& code, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::optional<std::size_t> number;
  if (dot != std::string_view::npos && dot + 1 < name.size() &&
      name.substr(dot + 1).find_first_not_of("0123456789") == std::string_view::npos && name.size() - dot < 8) {
    number = static_cast<std::size_t>(std::stoi(std::string(name.substr(dot + 1))));
    name = name.substr(0, dot);
  }
  IndexCode out = code;
  out.run.reset();
  out.variable.clear();
  if (name.starts_with("shared ")) {
    out.variable = name.substr(name.find_first_not_of(' ', 7));
    name = "shared";
  }
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < code.values->size(); ++k) {
    const IndexValue& v = (*code.values)[k];
    if (v.name == name && (out.variable.empty() || v.kernel.variable == out.variable)) found.push_back(k);
  }
  if (name.starts_with("line ")) {
    const auto line = wholeNumber(name.substr(5));
    std::optional<std::size_t> at;
    for (std::size_t k = 0; k < code.values->size(); ++k) {
      const IndexValue& v = (*code.values)[k];
      const auto rank = [](const IndexValue& one) {
        return one.kind != IndexValue::Kind::Access || one.isRegister ? 0 : one.isShared ? 2 : 1;
      };
      if (line && static_cast<std::size_t>(*line) == v.line && v.kind != IndexValue::Kind::Array &&
          (!at || rank(v) >= rank((*code.values)[*at])))
        at = k;
    }
    if (!at) {
      std::vector<std::size_t> lines;
      for (const IndexValue& v : *code.values)
        if (v.kind == IndexValue::Kind::Access && !v.isRegister && std::ranges::find(lines, v.line) == lines.end() &&
            lines.size() < 20)
          lines.push_back(v.line);
      return Diag{fmt::format("{} accesses no memory", name),
                  fmt::format("one of the lines {}, or a name", fmt::join(lines, ", "))};
    }
    out.selected = *at;
    if (out.value().fault) return *out.value().fault;
    return out;
  }
  if (!number && !found.empty()) {
    out.selected = found.back();
  } else if (number && *number < found.size()) {
    out.selected = found[*number];
  } else {
    const bool variable = !out.variable.empty();
    const std::string asked = variable ? fmt::format("shared {}", out.variable) : std::string(name);
    std::vector<std::string> names;
    for (const IndexValue& v : *code.values) {
      const std::string& one = variable ? v.kernel.variable : v.name;
      if (!one.empty() && std::ranges::find(names, one) == names.end() && names.size() < 20) names.push_back(one);
    }
    if (number && !found.empty())
      return Diag{fmt::format("the code has {} values named {}", found.size(), asked),
                  fmt::format("{0}.0 to {0}.{1}", asked, found.size() - 1)};
    if (!variable)
      return Diag{fmt::format("the code has no value {}", name), fmt::format("one of {}", fmt::join(names, ", "))};
    if (names.empty())
      return Diag{fmt::format("the accesses to shared memory are not known to lie in one variable, {}", out.variable),
                  "shared: all accesses to shared memory"};
    return Diag{fmt::format("no access lies in a variable {} of shared memory", out.variable),
                fmt::format("one of {}", fmt::join(names, ", "))};
  }
  if (!out.variable.empty()) countFromVariable(out);
  if (out.value().fault) return *out.value().fault;
  return out;
}

Result<Map> toMap(const IndexCode& code) {
  if (code.value().fault) return *code.value().fault;
  return withSimplerValues(code.value().map);
}

std::string print(const IndexCode& code) {
  const auto map = toMap(code);
  if (!map) return "UNDEFINED";
  std::size_t nodes = 0;
  for (const Axis& a : map->axes()) nodes += nodeCount(a.value);
  std::string text = nodes <= kMostPrinted / 16 ? print(*map) : std::string();
  if (!text.empty() && text.size() <= kMostPrinted) return text;
  std::string extents;
  for (const Digit& d : map->digits())
    extents += fmt::format("{}{} = {}", extents.empty() ? "" : ", ", d.name, d.extent);
  return fmt::format("{} {{{}}} over ({})", code.word, code.text, extents);
}

}  // namespace tessera::code

namespace tessera {

Result<Arrow> NotationOf<code::IndexCode>::arrow(const code::IndexCode& code) {
  TESSERA_TRY(Map map, code::toMap(code));
  const bool address = map.axes().size() == 1;
  if (address) {
    std::vector<Axis> axes = map.axes();
    axes[0].extent = code::codomainOf(map);
    TESSERA_TRY(map, Map::create(map.digits(), std::move(axes), map.guards(), map.params()));
  }
  Arrow arrow = arrowOf(std::move(map), address ? SpaceKind::Elements : SpaceKind::Coordinates, LinearOrder::Lex,
                        address ? SpaceKind::Memory : SpaceKind::Coordinates);
  if (address) arrow.to.elementBits = code.value().elementBits;
  return arrow;
}

}  // namespace tessera
