#include "app/engine/help/completions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "app/engine/help/fuzzy.h"
#include "app/engine/module/module_words.h"
#include "app/engine/program/program_words.h"
#include "app/show/show.h"
#include "core/analysis/access/access.h"
#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/hlo/notation.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/statements/evaluator.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

using Items = std::vector<Completion>;

std::string_view firstWord(std::string_view s) {
  s = stripped(s);
  std::size_t n = 0;
  while (n < s.size() && isNamePart(s[n])) ++n;
  return s.substr(0, n);
}

// The innermost open bracket in a statement's beginning: its callee, and the argument at the end.
struct Frame {
  std::string_view callee;  // empty: a tuple, or brackets of another kind
  std::size_t open = 0;
  int argument = 0;
};
std::vector<Frame> framesOf(std::string_view s) {
  std::vector<Frame> open;
  for (std::size_t k = 0; k < s.size(); ++k) {
    const char c = s[k];
    if (c == '(' || c == '[' || c == '{') {
      std::size_t from = k;
      // f<0>(: the name is before the template arguments.
      if (from > 0 && s[from - 1] == '>') {
        const std::size_t angle = s.rfind('<', from);
        if (angle != std::string_view::npos && k - angle < 40) from = angle;
      }
      const std::size_t end = from;
      while (from > 0 && isNamePart(s[from - 1])) --from;
      open.push_back({c == '(' ? s.substr(from, end - from) : std::string_view(), k, 0});
    } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    } else if (c == ',' && !open.empty()) {
      ++open.back().argument;
    }
  }
  return open;
}

// "ACCESS" for argument 1 of "to_banks(L, ACCESS, TYPE)"; of several spellings joined by " or " the last that has it.
std::string parameterOf(std::string_view signature, int argument) {
  std::string found;
  while (!signature.empty()) {
    const std::size_t end = std::min(signature.find(" or "), signature.size());
    std::string_view one = signature.substr(0, end);
    signature.remove_prefix(std::min(end + 4, signature.size()));
    const std::size_t open = one.find('(');
    if (open == std::string_view::npos) continue;
    one = one.substr(open + 1, one.rfind(')') - open - 1);
    for (int k = 0; !one.empty(); ++k) {
      const std::size_t comma = std::min(one.find(','), one.size());
      if (k == argument) found = std::string(stripped(one.substr(0, comma)));
      one.remove_prefix(std::min(comma + 1, one.size()));
    }
  }
  return found;
}

std::string parameterAt(std::string_view callee, int argument) {
  for (const FunctionInfo& f : functions())
    if (f.name == callee) {
      const std::string found = parameterOf(f.signature, argument);
      if (!found.empty()) return found;
    }
  return "";
}

// --- completions -----------------------------------------------------------------------------------------------------

void addWords(Items& out, std::initializer_list<std::string_view> words, const char* kind) {
  for (const std::string_view w : words) out.push_back({std::string(w), kind, "", std::string(w)});
}
// All instructions, families with each of their sizes, each with "16x8x16, sm_80".
const std::vector<std::pair<std::string, std::string>>& describedInstructions() {
  static const std::vector<std::pair<std::string, std::string>> kAll = [] {
    std::vector<std::pair<std::string, std::string>> all;
    const auto add = [&](const AtlasRow& row) { all.emplace_back(row.name, row.shape + ", " + row.architecture); };
    for (const AtlasRow& row : atlas()) {
      if (row.parameter.empty()) add(row);
      for (const i64 n : row.parameter) add(bind(row, n));
    }
    return all;
  }();
  return kAll;
}

void addList(Items& out, const std::vector<std::string>& words, const char* kind) {
  static const std::map<std::string, std::string> kDetails = [] {
    std::map<std::string, std::string> details;
    for (const auto& [name, detail] : describedInstructions()) details[name] = detail;
    return details;
  }();
  for (const std::string& w : words) {
    const auto detail = kDetails.find(w);
    out.push_back({w, kind, detail == kDetails.end() ? "" : detail->second, w});
  }
}
void addTypes(Items& out) {
  for (const std::string_view t : elementTypeNames()) out.push_back({std::string(t), "type", "", std::string(t)});
}
void addFunctions(Items& out, bool claims) {
  for (const FunctionInfo& f : functions()) {
    const bool claim = isClaimName(f.name);
    if (claim != claims) continue;
    out.push_back(
        {std::string(f.name), claim ? "claim" : "function", std::string(f.signature), std::string(f.name) + "("});
  }
}
void addNames(Items& out, std::span<const BoundName> names, std::size_t before) {
  for (const BoundName& n : names) {
    if (n.begin >= before || n.name.empty() || n.name[0] == '#') continue;
    const bool known = n.outcome->value.has_value();
    Completion c{n.name, "name", known ? kindOf(*n.outcome->value) : "", n.name};
    const auto same = std::ranges::find(out, c.text, &Completion::text);
    if (same == out.end()) {
      out.push_back(std::move(c));
    } else {
      *same = std::move(c);
    }
  }
}
void addInstructions(Items& out) {
  const std::size_t first = out.size();
  addList(out, instructionNames(), "instruction");
  for (std::size_t k = first; k < out.size(); ++k) out[k].insert = "atlas(" + out[k].text + ")";
}

// soft.%fusion.1 as a value.
std::optional<Value> modulePart(std::string_view text, std::span<const BoundName> names, std::size_t before) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const hlo::Listing* listing = moduleNamed(text.substr(0, dot), before, names);
  if (listing == nullptr) return std::nullopt;
  auto part = hlo::findPart(*listing, text.substr(dot + 1));
  return part ? std::optional(Value(Layout(*std::move(part)))) : std::nullopt;
}

// The views of the name between `show` and `as`; all views if it is not a name.
void addViews(Items& out, std::string_view shown, std::span<const BoundName> names, std::size_t before) {
  const Value* value = nullptr;
  bool operation = false;
  for (const BoundName& n : names)
    if (n.begin < before && n.name == stripped(shown)) {
      value = n.outcome->value ? &*n.outcome->value : nullptr;
      operation = n.outcome->operation.has_value();
    }
  std::optional<Value> part;
  if (value == nullptr) part = modulePart(stripped(shown), names, before);
  if (part) value = &*part;
  std::vector<std::string_view> able;
  if (value != nullptr) able = viewsFor(*value);
  if (operation) able.push_back("algebra");
  for (const ViewInfo& v : views())
    if (value == nullptr || std::ranges::find(able, v.name) != able.end())
      out.push_back({std::string(v.name), "view", std::string(v.what), std::string(v.name)});
}

void addParameter(Items& out, const std::string& parameter, std::string_view callee, std::string_view arguments) {
  if (parameter == "ACCESS" || parameter == "COPY" || parameter == "LOAD") {
    addList(out, accessNames(), "access");
  } else if (parameter == "TYPE") {
    addTypes(out);
  } else if ((parameter == "NAME" && callee != "smem_atom") || parameter == "MMA") {
    addList(out, instructionNames(), "instruction");
  } else if (parameter == "OPERAND") {
    const auto row = findInstruction(stripped(arguments.substr(0, arguments.find(','))));
    if (!row) return addWords(out, {"A", "B", "C"}, "operand");
    for (const AtlasOperand& o : row->operands) out.push_back({o.name, "operand", o.element, o.name});
  }
}

bool isWordParameter(const std::string& p) {
  constexpr std::array<std::string_view, 7> kWords = {"ACCESS", "COPY", "LOAD", "TYPE", "NAME", "MMA", "OPERAND"};
  return std::ranges::find(kWords, p) != kWords.end();
}

// --- position --------------------------------------------------------------------------------------------------------

struct Where {
  std::string_view before;   // the statement before the word, comments blanked
  std::size_t begin = 0;     // of the statement in the document
  std::string_view keyword;  // show, prove ...; empty for the others
};

// Position of the last " word " outside brackets, or npos.
std::size_t clause(std::string_view s, std::string_view word) {
  int depth = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (s[k] == '(' || s[k] == '[' || s[k] == '{') ++depth;
    if (s[k] == ')' || s[k] == ']' || s[k] == '}') --depth;
    if (depth == 0 && k > 0 && isBlank(s[k - 1]) && s.substr(k, word.size()) == word && k + word.size() < s.size() &&
        isBlank(s[k + word.size()]))
      found = k;
  }
  return found;
}

// The possible continuations after a complete operand and a blank.
bool afterOperand(std::string_view before) {
  if (before.empty() || !isBlank(before.back())) return false;
  const std::string_view t = stripped(before);
  if (t.empty()) return false;
  if (t.back() == ')' || t.back() == '}' || t.back() == ']') return true;
  if (!isNamePart(t.back())) return false;
  std::size_t from = t.size();
  while (from > 0 && (isNamePart(t[from - 1]) || t[from - 1] == '.')) --from;
  const std::string_view last = t.substr(from);
  constexpr std::array<std::string_view, 14> kOpen = {"show", "prove", "assert", "find", "as",  "by",  "o",
                                                      "for",  "where", "and",    "or",   "not", "run", "over"};
  return std::ranges::find(kOpen, last) == kOpen.end();
}

void expression(Items& out, const Where& at, std::span<const BoundName> names) {
  addNames(out, names, at.begin);
  addFunctions(out, false);
}

// In brackets: values of the parameter's kind, else an expression.
void inCall(Items& out, const Where& at, const Frame& frame, std::span<const BoundName> names) {
  const std::string_view arguments = at.before.substr(frame.open + 1);
  // In `find ... where` the layout is not an argument.
  const bool condition = at.keyword == "find" && frame.callee == "conflict_free";
  const std::string parameter = parameterAt(frame.callee, frame.argument + (condition ? 1 : 0));
  if (isWordParameter(parameter)) return addParameter(out, parameter, frame.callee, arguments);
  expression(out, at, names);
  if (frame.callee == "explain" || frame.callee == "refuses") addFunctions(out, true);
}

void inShow(Items& out, const Where& at, std::span<const BoundName> names) {
  const std::size_t as = clause(at.before, "as");
  if (as != std::string_view::npos) {
    const std::string_view words = stripped(at.before.substr(as + 2));
    if (words.empty()) return addViews(out, at.before.substr(4, as - 4), names, at.begin);
    if (words == "reads") return addWords(out, {"tile"}, "keyword");
    if (firstWord(words) != "banks") return;
    addTypes(out);
    return addList(out, accessNames(), "access");
  }
  if (afterOperand(at.before)) return addWords(out, {"as", "o"}, "keyword");
  expression(out, at, names);
  addFunctions(out, true);
  addInstructions(out);
}

// prove NAME of a graphene block.
void addPrograms(Items& out, std::span<const BoundName> names) {
  for (const BoundName& n : names)
    if (n.outcome && n.outcome->value && std::holds_alternative<graphene::Listing>(*n.outcome->value))
      out.push_back({n.name, "name", "a Graphene program", n.name});
}

// task "TITLE": CLAIM and CONDITION
void inTask(Items& out, const Where& at, std::span<const BoundName> names) {
  const std::size_t title = at.before.find('"', at.before.find('"') + 1);
  const std::size_t colon = title == std::string_view::npos ? title : at.before.find(':', title);
  if (colon == std::string_view::npos) return;
  if (afterOperand(at.before.substr(colon + 1))) return addWords(out, {"and", "by"}, "keyword");
  addFunctions(out, true);
  addWords(out, {"not"}, "keyword");
  addPrograms(out, names);
  expression(out, at, names);
}

void inClaim(Items& out, const Where& at, std::span<const BoundName> names) {
  if (at.keyword == "prove" && clause(at.before, "by") != std::string_view::npos)
    return addWords(out, {"simplify", "strided", "f2", "exhaustive", "z3"}, "method");
  const std::string_view said = stripped(at.before.substr(at.keyword.size()));
  if (afterOperand(at.before))
    return at.keyword == "prove" ? addWords(out, {"by"}, "keyword") : addWords(out, {"and", "or", "o"}, "keyword");
  addFunctions(out, true);
  if (said.empty()) addWords(out, {"not"}, "keyword");
  if (at.keyword == "prove") addPrograms(out, names);
  if (at.keyword == "assert") expression(out, at, names);
}

void inFind(Items& out, const Where& at, std::span<const BoundName> names) {
  const std::string_view said = stripped(at.before.substr(4));
  const bool where = clause(at.before, "where") != std::string_view::npos;
  if (said.empty()) return addWords(out, {"swizzle"}, "keyword");
  if (said == "swizzle") return addWords(out, {"for"}, "keyword");
  if (where && clause(at.before, "by") != std::string_view::npos) return addWords(out, {"z3"}, "method");
  if (where && afterOperand(at.before)) return addWords(out, {"and", "by"}, "keyword");
  if (where) {
    out.push_back({"conflict_free", "claim", "conflict_free(ACCESS, TYPE)", "conflict_free("});
    return;
  }
  if (afterOperand(at.before)) return addWords(out, {"where"}, "keyword");
  expression(out, at, names);
}

// After "compare cublas," the next word belongs to that last clause.
bool continuesClause(std::string_view before, std::string_view word) {
  const std::size_t at = clause(before, word), with = clause(before, "with");
  return at != std::string_view::npos && (with == std::string_view::npos || with < at) &&
         stripped(before).ends_with(',');
}

void inRun(Items& out, const Where& at, std::span<const BoundName> names) {
  const std::string_view said = stripped(at.before.substr(3));
  if (said.empty()) return addPrograms(out, names);
  const std::string_view last = said.substr(said.find_last_of(" \t,") + 1);
  if (last == "compare" || continuesClause(at.before, "compare"))
    return addWords(out, {"cublas", "variants", "unfused"}, "keyword");
  if (last == "by") return addWords(out, {"emulator"}, "keyword");
  if (last == "as") return addWords(out, {"bars", "table"}, "keyword");
  if (last != "with" && last != "on" && last != "seed" && last != "spec" && isBlank(at.before.back()))
    addWords(out, {"with", "compare", "on", "spec", "by", "seed", "as"}, "keyword");
}

Items offersAt(const Where& at, std::span<const BoundName> names) {
  Items out;
  const std::vector<Frame> open = framesOf(at.before);
  if (!open.empty()) {
    inCall(out, at, open.back(), names);
  } else if (stripped(at.before).empty()) {
    addWords(out, {"show", "prove", "assert", "find", "check", "run", "graphene"}, "keyword");
    out.push_back({"task", "keyword", "task \"TITLE\": CLAIM", "task \""});
    expression(out, at, names);
    addFunctions(out, true);
  } else if (at.keyword == "show") {
    inShow(out, at, names);
  } else if (firstWord(at.before) == "check") {
    addPrograms(out, names);
  } else if (at.keyword == "prove" || at.keyword == "assert") {
    inClaim(out, at, names);
  } else if (at.keyword == "task") {
    inTask(out, at, names);
  } else if (at.keyword == "find") {
    inFind(out, at, names);
  } else if (firstWord(at.before) == "run") {
    inRun(out, at, names);
  } else if (afterOperand(at.before)) {
    addWords(out, {"o", "over", "and", "or"}, "keyword");
  } else {
    expression(out, at, names);
    addFunctions(out, true);
  }
  return out;
}

int rankOf(const std::string& kind) {
  constexpr std::array<std::string_view, 10> kOrder = {"instruction", "type",    "access", "operand", "function",
                                                       "claim",       "keyword", "method", "view",    "name"};
  return static_cast<int>(std::ranges::find(kOrder, kind) - kOrder.begin());
}

void keepMatching(Completions& found, Items all, std::string_view word) {
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].text == word && all[k].insert == all[k].text) return;  // complete already
    const auto score = fuzzyScore(word, all[k].text);
    // Ignore matches of few letters inside words.
    if (!score || (!word.empty() && *score < 1800 && word.size() < 3)) continue;
    // Break ties by table order: fp16 before fp8, common forms before rare ones.
    const int alike = *score + static_cast<int>(std::min<std::size_t>(all[k].text.size(), 200));
    order.emplace_back(-(alike + rankOf(all[k].kind) * 40), k);
  }
  std::ranges::stable_sort(order);
  std::vector<std::string_view> seen;
  for (const auto& [score, k] : order) {
    if (found.items.size() == kMostOffers) break;
    if (std::ranges::find(seen, all[k].text) != seen.end()) continue;
    seen.emplace_back(all[k].text);
    found.items.push_back(all[k]);
  }
}

bool inText(std::string_view s) { return std::ranges::count(s, '"') % 2 != 0; }

}  // namespace

std::size_t statementBegin(std::string_view text, std::size_t caret) {
  constexpr int kMostLines = 40;
  std::size_t line = caret;
  for (int k = 0; k < kMostLines; ++k) {
    while (line > 0 && text[line - 1] != '\n') --line;
    // An indented line continues the statement above.
    if (line == 0 || line >= text.size() || !(text[line] == ' ' || text[line] == '\t')) break;
    --line;
  }
  const std::size_t semicolon = text.substr(0, caret).rfind(';');
  if (semicolon != std::string_view::npos && semicolon >= line) {
    const std::string_view since = text.substr(line, semicolon - line);
    if (framesOf(since).empty() && since.find("//") == std::string_view::npos) return semicolon + 1;
  }
  return line;
}

std::vector<BoundName> boundNames(std::span<const std::shared_ptr<const Outcome>> outcomes) {
  std::vector<BoundName> names;
  for (const auto& o : outcomes)
    if ((o->statement.kind == StatementKind::Bind || o->statement.kind == StatementKind::Block) &&
        !o->statement.name.empty())
      names.push_back({o->statement.name, o->statement.line, o->statement.span.begin, o});
  return names;
}

Completions completionsAt(std::string_view text, std::size_t caret, std::span<const BoundName> names) {
  Completions found;
  caret = std::min(caret, text.size());
  found.begin = found.end = caret;
  if (auto inside = programWordsAt(text, caret)) {
    found.begin = inside->begin;
    keepMatching(found, std::move(inside->items), text.substr(inside->begin, caret - inside->begin));
    return found;
  }
  constexpr std::size_t kMost = 64 << 10;  // no help in longer statements
  const std::size_t begin = statementBegin(text.substr(0, caret), caret);
  if (caret - begin > kMost) return found;
  const std::string_view typed = text.substr(begin, caret - begin);
  const std::size_t lastLine = typed.rfind('\n') == std::string_view::npos ? 0 : typed.rfind('\n') + 1;
  if (typed.find("//", lastLine) != std::string_view::npos) return found;
  const std::string clean = withoutComments(typed);
  if (inText(clean)) return found;
  if (auto parts = moduleWordsAt(clean, begin, names)) {
    found.begin = begin + parts->begin;
    keepMatching(found, std::move(parts->items), std::string_view(clean).substr(parts->begin));
    return found;
  }
  std::size_t word = clean.size();
  while (word > 0 && (isNamePart(clean[word - 1]) || clean[word - 1] == '.')) --word;
  const std::string_view prefix = std::string_view(clean).substr(word);
  if (!prefix.empty() && (isDigit(prefix[0]) || prefix[0] == '.')) return found;
  Where at{std::string_view(clean).substr(0, word), begin, {}};
  at.before.remove_prefix(std::min(at.before.find_first_not_of(" \t\r\n"), at.before.size()));
  const std::string_view first = firstWord(at.before);
  for (const std::string_view k : {"show", "prove", "assert", "find", "task"})
    if (first == k) at.keyword = k;
  // Without a letter, list only positions with few words: a view, an access, a method.
  Items all = offersAt(at, names);
  if (prefix.empty()) {
    const bool few = !all.empty() && (all[0].kind == "view" || all[0].kind == "access" || all[0].kind == "method" ||
                                      all[0].kind == "type" || all[0].kind == "operand");
    if (!few ||
        (!at.before.empty() && !isBlank(at.before.back()) && at.before.back() != '(' && at.before.back() != ','))
      return found;
  }
  found.begin = caret - prefix.size();
  keepMatching(found, std::move(all), prefix);
  return found;
}

const std::vector<std::string>& instructionNames() {
  static const std::vector<std::string> kNames =
      mapped<std::string>(describedInstructions(), [](const auto& described) { return described.first; });
  return kNames;
}

namespace {

// "ldmatrix.x4" -> "ldmatrix" and 4; a name without a count is its own family.
std::pair<std::string_view, int> familyOf(std::string_view name) {
  const std::size_t x = name.rfind(".x");
  if (x == std::string_view::npos || x + 3 > name.size() || !isDigit(name[x + 2])) return {name, 0};
  return {name.substr(0, x), name[x + 2] - '0'};
}

// Within each family: ldmatrix.x4, x2, x1. The widest form is what a kernel uses if it can.
void widestFirst(std::vector<std::string>& names) {
  for (auto from = names.begin(); from != names.end();) {
    const auto end = std::find_if(from, names.end(),
                                  [&](const std::string& n) { return familyOf(n).first != familyOf(*from).first; });
    std::stable_sort(
        from, end, [](const std::string& a, const std::string& b) { return familyOf(a).second > familyOf(b).second; });
    from = end;
  }
}

}  // namespace

const std::vector<std::string>& accessNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = {"ld.shared", "st.shared", "ld.global", "st.global"};
    for (const AtlasRow& row : atlas())
      if (row.parameter.empty() && accessOf(row) != nullptr && parseAccess(row.name).ok()) names.push_back(row.name);
    widestFirst(names);
    return names;
  }();
  return kNames;
}

std::span<const std::string_view> elementTypeNames() {
  static constexpr std::array<std::string_view, 24> kTypes = {
      "fp16", "bf16", "f32", "tf32", "fp8", "e4m3", "e5m2", "s8",   "u8", "s32", "u32", "f64",
      "f16",  "s16",  "u16", "s64",  "u64", "s4",   "u4",   "e2m1", "b8", "b16", "b32", "b1"};
  return kTypes;
}

}  // namespace tessera
