#include "core/notation/triton/module.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/notation/triton/module_text.h"

namespace tessera::triton {

using namespace module_text;

namespace {

constexpr std::size_t kMostResults = 4096;

// `%a = ` or `%a, %b:2 = ` at the start: the names of the results.
std::size_t resultsOf(std::string_view s, std::size_t begin, std::vector<ModuleValue>& results) {
  std::vector<ModuleValue> found;
  std::size_t at = skipSpace(s, 0);
  while (at < s.size() && s[at] == '%') {
    const std::size_t end = nameEnd(s, at);
    const std::string name(s.substr(at, end - at));
    const Span span{begin + at, begin + end};
    at = end;
    std::size_t count = 1;
    const bool many = at + 1 < s.size() && s[at] == ':' && isDigit(s[at + 1]);
    if (many) {
      count = 0;
      for (++at; at < s.size() && isDigit(s[at]); ++at)
        count = std::min(count * 10 + static_cast<std::size_t>(s[at] - '0'), kMostResults);
    }
    for (std::size_t k = 0; k < count && found.size() < kMostResults; ++k)
      found.push_back({many ? name + "#" + std::to_string(k) : name, "", span});
    at = skipSpace(s, at);
    if (at < s.size() && s[at] == ',') {
      at = skipSpace(s, at + 1);
      continue;
    }
    if (at >= s.size() || s[at] != '=') return 0;
    results = std::move(found);
    return skipSpace(s, at + 1);
  }
  return 0;
}

std::string operationName(std::string_view s, std::size_t at) {
  if (at < s.size() && s[at] == '"') ++at;
  std::size_t end = at;
  while (end < s.size() && (isNamePart(s[end]) || s[end] == '.')) ++end;
  const std::string_view name = s.substr(at, end - at);
  return name.find('.') == std::string_view::npos ? std::string() : std::string(name);
}

// tensor<64x!tt.ptr<f32>, #b> with the element replaced by what it points to; unchanged if it is no pointer.
std::string pointee(std::string_view type) {
  const std::size_t pointer = type.find("!tt.ptr<");
  if (pointer == std::string_view::npos) return std::string(type);
  const std::size_t open = pointer + 7, close = closing(type, open);
  if (close == std::string_view::npos) return std::string(type);
  const std::string_view inner = type.substr(open + 1, close - open - 1);
  return std::string(type.substr(0, pointer)) + std::string(inner.substr(0, topLevel(inner, ","))) +
         std::string(type.substr(close + 1));
}

std::string withElementI1(std::string_view type) {
  if (!type.starts_with("tensor<")) return "i1";
  std::size_t at = 7;
  for (std::size_t end = at;; at = end + 1) {
    end = at;
    while (end < type.size() && isDigit(type[end])) ++end;
    if (end == at || end >= type.size() || type[end] != 'x') break;
    end = at;
    while (type[end] != 'x') ++end;
    at = end;
    end = at;
  }
  const std::string_view rest = type.substr(std::min(at, type.size()));
  const std::size_t comma = topLevel(rest, ",");
  return std::string(type.substr(0, at)) + "i1" +
         (comma == std::string_view::npos ? std::string(">") : std::string(rest.substr(comma)));
}

bool hasNoTypedResult(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNone = {"ttng.tmem_store", "ttg.local_store", "ttng.tc_gen5_mma",
                                                     "ttng.tc_gen5_mma_scaled", "ttg.local_dealloc"};
  return name.find("async_") != std::string_view::npos || std::ranges::find(kNone, name) != kNone.end();
}

// The types that the results of an operation have, of those printed after its colon.
void giveTypes(ModuleOperation& op, std::vector<std::string> types, bool arrow) {
  if (types.empty() || op.results.empty() || hasNoTypedResult(op.name)) return;
  std::vector<ModuleValue>& results = op.results;
  if (op.name == "tt.make_tensor_descriptor" && types.back().starts_with("!ttg.memdesc<"))  // its elided word
    types.back().replace(0, 12, "!tt.tensordesc");
  if (!arrow && results.size() == 1) {
    const bool first = op.name == "tt.addptr" || op.name == "tt.advance";
    std::string type = first ? types.front() : types.back();
    if (op.name == "tt.load") type = pointee(types.front());
    if (op.name == "arith.cmpi" || op.name == "arith.cmpf") type = withElementI1(type);
    results[0].type = std::move(type);
    return;
  }
  for (std::size_t k = 0; k < results.size(); ++k)
    if (k < types.size())
      results[k].type = types[k];
    else if (op.name == "tt.split")
      results[k].type = types.back();
}

// Reads statements in order.
class Outline {
 public:
  explicit Outline(std::string_view text) : clean_(withoutCommentsAndPlaces(text)) {}

  Module read() {
    for (std::size_t at = 0; at < clean_.size();) {
      const std::size_t end = statementEnd(clean_, at);
      statement(at, end);
      at = end + 1;
    }
    return std::move(module_);
  }

 private:
  void statement(std::size_t from, std::size_t to) {
    const std::size_t begin = skipSpace(std::string_view(clean_).substr(0, to), from);
    const std::string_view s = std::string_view(clean_).substr(begin, to - begin);
    spend(1 + static_cast<Work>(s.size() / 16));
    if (s.empty()) return;
    if (s[0] == '#') return alias(s, begin);
    if (s[0] == '}') return regionEnd(s, begin);
    if (const std::size_t name = s.find("tt.func"); name != std::string_view::npos) {
      const std::size_t at = s.find('@', name);
      if (at != std::string_view::npos) function_ = std::string(s.substr(at, nameEnd(s, at) - at));
    }
    arguments(s, begin);
    operation(s, begin);
  }

  void alias(std::string_view s, std::size_t begin) {
    const std::size_t equals = s.find('=');
    const std::size_t value = equals == std::string_view::npos ? equals : skipSpace(s, equals + 1);
    if (value == std::string_view::npos || value >= s.size() || s[value] != '#') return;
    const std::string_view name = stripped(s.substr(0, equals));
    if (name.find_first_of("<{ ") != std::string_view::npos) return;
    module_.aliases.push_back({std::string(name), std::string(stripped(s.substr(value))), {begin, begin + s.size()}});
  }

  // `%x: TYPE` in the head of a function, a block or a partition.
  void arguments(std::string_view s, std::size_t begin) {
    for (std::size_t at = s.find('%'); at != std::string_view::npos; at = s.find('%', at + 1)) {
      const std::size_t end = nameEnd(s, at);
      if (end + 1 >= s.size() || s[end] != ':' || isDigit(s[end + 1])) continue;
      std::string type = typeAt(s.substr(end + 1));
      module_.values.push_back({std::string(s.substr(at, end - at)), std::move(type), {begin + at, begin + end}});
    }
  }

  void operation(std::string_view s, std::size_t begin) {
    ModuleOperation op;
    const std::size_t at = resultsOf(s, begin, op.results);
    op.name = operationName(s, at);
    if (op.name.empty() || op.name == "tt.func") return;
    op.function = function_;
    op.span = {begin, begin + s.size()};
    const std::size_t colon = typesAt(s);
    op.operands = operandsIn(s.substr(at, std::min(colon, s.size()) - at));
    const bool region = s.ends_with("({");
    if (!region) finish(op, s, colon);
    module_.operations.push_back(op);
    if (region) open_.push_back(module_.operations.size() - 1);
    if (!region) keep(op);
  }

  // `}) : (A) -> B` ends the region of the last operation that opened one.
  void regionEnd(std::string_view s, std::size_t begin) {
    arguments(s, begin);
    if (!s.starts_with("})") || open_.empty()) return;
    ModuleOperation& op = module_.operations[open_.back()];
    open_.pop_back();
    finish(op, s, typesAt(s));
    keep(op);
  }

  void keep(const ModuleOperation& op) {
    std::ranges::copy_if(op.results, std::back_inserter(module_.values),
                         [](const ModuleValue& v) { return !v.type.empty(); });
  }

  void finish(ModuleOperation& op, std::string_view s, std::size_t colon) {
    const bool loop = op.name == "scf.for" || op.name == "scf.if";
    const TypeLists types = typeListsOf(s, loop ? std::string_view::npos : colon);
    op.operandTypes = types.operands;
    op.targetTypes = types.results;
    giveTypes(op, types.arrow ? types.results : types.operands, types.arrow);
    if (op.name != "scf.for" && op.name != "scf.while") return;
    const std::vector<ModuleValue> variables = iterationVariables(s, op.span.begin);
    const std::vector<std::string>& list = op.name == "scf.for" ? types.results : types.operands;
    for (std::size_t k = 0; k < std::min(variables.size(), list.size()); ++k)
      module_.values.push_back({variables[k].name, list[k], variables[k].span});
  }

  std::string clean_;
  std::string function_;
  std::vector<std::size_t> open_;
  Module module_;
};

}  // namespace

Module outlineOf(std::string_view text) { return Outline(text).read(); }

std::vector<std::string> aliasesIn(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (isNamePart(text[end]) || text[end] == '.' || text[end] == '-' || text[end] == '$'))
      ++end;
    const std::string name(text.substr(at, end - at));
    if (name.size() > 1 && name.find('.') == std::string::npos && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

}  // namespace tessera::triton
