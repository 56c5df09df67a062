#include "core/paste/code/index_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/chars.h"
#include "core/code/index_code.h"
#include "core/worksheet/functions/functions.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kMostNames = 200;     // bindings
constexpr std::size_t kMostFunctions = 16;  // of one text, besides the last
constexpr std::size_t kMostListed = 24;     // accesses that notes describe
constexpr std::size_t kMostQuestions = 40;  // asked at once

bool isBindable(std::string_view name) {
  constexpr std::array<std::string_view, 13> kWords = {"lambda", "o",    "_",     "and",    "or",   "not", "true",
                                                       "false",  "show", "prove", "assert", "find", "run"};
  return !name.empty() && isNameStart(name[0]) && std::ranges::all_of(name, isNamePart) &&
         std::ranges::find(kWords, name) == kWords.end() && name != "code";
}

Result<code::Given> givenOf(const Given& given) {
  code::Given out;
  for (const auto& [name, value] : given.lets) {
    Result<code::Given::Constant> constant = code::constantOf(name, value);
    if (!constant) {
      if (isNameStart(value.empty() ? ' ' : value[0])) continue;  // a type that index code does not know
      constant.error().hint = fmt::format("--let {}=64", name);
      return constant.error();
    }
    out.constants.push_back(*std::move(constant));
  }
  for (const auto& [name, extent] : given.over) out.over.push_back({code::withoutBlanks(name), extent});
  return out;
}

std::string suffixOf(const code::Given& given, const Given& written) {
  std::string text;
  for (const auto& c : given.over) text += fmt::format("{}{} = {}", text.empty() ? " over (" : ", ", c.name, c.extent);
  if (!text.empty()) text += ")";
  bool first = true;
  for (const auto& [name, value] : written.lets) {
    if (given.find(code::withoutBlanks(name)) == nullptr) continue;
    text += fmt::format("{}{} = {}", first ? " with " : ", ", name, value);
    first = false;
  }
  return text;
}

std::string describe(const code::IndexValue& v) {
  const std::string_view does = v.direction == code::Direction::Load    ? "loads"
                                : v.direction == code::Direction::Store ? "stores"
                                                                        : "takes the address of";
  const std::string elements = v.vector > 1 ? fmt::format("{} elements", v.vector) : "1 element";
  const std::string type = v.element.empty() ? "" : " of " + v.element;
  if (v.direction == code::Direction::Address)
    return fmt::format("line {}: takes an address in {}{}", v.line, v.name, type);
  return fmt::format("line {}: {} {} of {}{}", v.line, does, elements, v.name,
                     type.empty() ? "" : " (" + v.element + ")");
}

std::string arrayLayout(const code::IndexValue& v) {
  std::string shape, stride;
  i64 step = 1;
  for (std::size_t k = v.extents.size(); k-- > 0;) {
    shape = fmt::format("{}{}{}", v.extents[k], shape.empty() ? "" : ",", shape);
    stride = fmt::format("{}{}{}", step, stride.empty() ? "" : ",", stride);
    step *= v.extents[k];
  }
  return v.extents.size() == 1 ? fmt::format("{}:{}", shape, stride) : fmt::format("({}):({})", shape, stride);
}

// The block, a binding for each name, and last the value of the text.
void addStatements(Reading& out, const code::IndexCode& code, std::string_view word, std::string_view text,
                   const Given& given) {
  const code::IndexValue& last = code.value();
  const bool allArrays = std::ranges::all_of(
      *code.values, [](const code::IndexValue& v) { return v.kind == code::IndexValue::Kind::Array; });
  if (!allArrays)
    out.statements.push_back(
        {"code", fmt::format("{} code {{\n{}\n}}{}", word, text, suffixOf(code.given, given)), {0, text.size()}});
  std::map<std::string, const code::IndexValue*, std::less<>> byName;
  std::vector<std::string> order;
  for (const code::IndexValue& v : *code.values) {
    if (!isBindable(v.name) || v.fault || v.name == "value" || v.name == "result") continue;
    const bool hides = v.kind == code::IndexValue::Kind::Value && findFunction(v.name) != nullptr;
    if (hides && v.name != last.name) continue;
    const auto [at, isNew] = byName.emplace(v.name, &v);
    if (isNew) order.push_back(v.name);
    if (v.kind != code::IndexValue::Kind::Array) at->second = &v;
  }
  for (const std::string& name : order) {
    const code::IndexValue& v = *byName[name];
    if (name == last.name || out.statements.size() >= kMostNames) continue;
    const bool array = v.kind == code::IndexValue::Kind::Array;
    out.statements.push_back({name, fmt::format("{} = {}", name, array ? arrayLayout(v) : "code." + name), v.span});
  }
  const std::string name = isBindable(last.name) && last.name != "value" && last.name != "result" ? last.name : "X";
  const bool array = last.kind == code::IndexValue::Kind::Array;
  out.statements.push_back({name, fmt::format("{} = {}", name, array ? arrayLayout(last) : "code"), last.span});
}

// Each function before the last one that no other line calls, as a block of its own: the text up to its end.
void addEarlierFunctions(Reading& out, std::string_view word, std::string_view text, const code::Given& known,
                         const Given& given) {
  const auto trees = word == "python" ? code::readPython(text) : code::readCpp(text);
  if (!trees) return;
  std::vector<Statement> found;
  for (std::size_t k = 0; k + 1 < trees->size() && found.size() < kMostFunctions; ++k) {
    const code::Tree& tree = (*trees)[k];
    const bool later = std::any_of(trees->begin() + static_cast<std::ptrdiff_t>(k) + 1, trees->end(),
                                   [&](const code::Tree& t) { return t.kind == code::Tree::Kind::Function; });
    if (tree.kind != code::Tree::Kind::Function || !later || !isBindable(tree.text) || findFunction(tree.text))
      continue;
    const bool taken = std::ranges::any_of(out.statements, [&](const Statement& s) { return s.name == tree.text; }) ||
                       std::ranges::any_of(found, [&](const Statement& s) { return s.name == tree.text; });
    const std::string_view part = text.substr(0, tree.span.end);
    const auto one = taken ? Result<code::IndexCode>(Diag{}) : code::indexCode(word, part, known);
    if (!one || one->value().name != tree.text || one->value().fault) continue;
    found.push_back(
        {tree.text, fmt::format("{} {} {{\n{}\n}}{}", word, tree.text, part, suffixOf(one->given, given)), tree.span});
  }
  out.statements.insert(out.statements.begin(), found.begin(), found.end());
}

void addNotes(Reading& out, const code::IndexCode& code) {
  std::vector<std::pair<std::string, std::size_t>> lines;  // a line of a loop makes several accesses
  for (const code::IndexValue& v : *code.values) {
    if (v.kind != code::IndexValue::Kind::Access) continue;
    const std::string text =
        v.fault ? fmt::format("line {}: an access of {} is left out: {}", v.line, v.name, v.fault->message)
                : describe(v);
    const auto same = std::ranges::find(lines, text, &std::pair<std::string, std::size_t>::first);
    if (same != lines.end()) {
      ++same->second;
    } else if (lines.size() < kMostListed) {
      lines.emplace_back(text, 1);
    }
  }
  for (const auto& [text, times] : lines)
    out.notes.push_back(times == 1 ? text : fmt::format("{}, {} times", text, times));
  const code::IndexValue& last = code.value();
  if (last.kind == code::IndexValue::Kind::Access)
    out.notes.push_back(last.element.empty() ? fmt::format("X counts elements of {}", last.name)
                                             : fmt::format("X counts elements of {} ({})", last.name, last.element));
  if (!code.given.over.empty()) {
    std::string names;
    for (const auto& c : code.given.over)
      names += fmt::format("{}{} < {}", names.empty() ? "" : ", ", c.name, c.extent);
    out.notes.push_back(fmt::format("coordinates, in this order: {}", names));
  }
}

void ask(Reading& out, const code::Survey& survey, const code::Given& given) {
  std::set<std::string> asked;
  for (const code::Missing& m : survey.missing) {
    if (out.questions.size() >= kMostQuestions || !asked.insert(m.name).second) continue;
    if (m.extent && given.over.empty()) continue;
    if (const auto extent = code::knownExtent(m.name, given); extent && given.over.empty()) continue;
    if (m.isConstant) {
      out.questions.push_back({m.name, "a constant", fmt::format("--let {}=64", m.name), m.span});
    } else if (m.name.starts_with("threadIdx.")) {
      out.questions.push_back({m.name, "the extent of a coordinate: the size of the block",
                               fmt::format("--over {}=128 or --let blockDim=(128,1,1)", m.name), m.span});
    } else {
      out.questions.push_back({m.name, "the extent of a coordinate, or a constant",
                               fmt::format("--over {0}=64 or --let {0}=64", m.name), m.span});
    }
  }
}

}  // namespace

std::string withMatchedBraces(std::string_view text, bool python) {
  std::string out(text);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    const bool comment = python ? c == '#' : out.compare(i, 2, "//") == 0;
    if (comment) {
      i = std::min(out.find('\n', i), out.size()) - 1;
      continue;
    }
    if (!python && out.compare(i, 2, "/*") == 0) {
      const std::size_t close = out.find("*/", i + 2);
      if (close == std::string::npos) {
        out += " */";
        continue;
      }
      i = close + 1;
      continue;
    }
    const bool quote = c == '"' || (c == '\'' && (python || i == 0 || !isNamePart(out[i - 1])));
    if (quote) {
      std::size_t k = i + 1;
      while (k < out.size() && out[k] != c && out[k] != '\n') k += out[k] == '\\' ? 2 : 1;
      if (k < out.size() && out[k] == c) i = k;
      continue;
    }
    if (c == '{') open.push_back(i);
    if (c == '}' && open.empty()) {
      out[i] = ' ';
    } else if (c == '}') {
      open.pop_back();
    }
  }
  if (!open.empty()) out += "\n" + std::string(open.size(), '}');
  return out;
}

Result<Reading> readIndexCode(std::string_view word, std::string_view written, const Given& given) {
  const bool python = word == "python";
  const std::string text = withMatchedBraces(written, python);
  TESSERA_TRY(const code::Given known, givenOf(given));
  Reading out;
  out.dialect = python ? "index code in Python" : "index code in C++";
  const Result<code::IndexCode> code = code::indexCode(word, text, known);
  if (code) {
    addStatements(out, *code, word, text, given);
    addEarlierFunctions(out, word, text, known, given);
    addNotes(out, *code);
    if (text != written) out.notes.emplace_back("unmatched braces were removed or closed");
    return out;
  }
  const code::Survey survey = code::survey(*code::languageOf(word), text, known);
  const bool blocked = survey.fault && survey.fault->message.find("does not define") != std::string::npos;
  if (survey.missing.empty() || blocked || code.error().message.find("bound") == std::string::npos) {
    Diag diag = code.error();
    const std::size_t on = diag.message.find("depends on "), comma = diag.message.find(", a function or macro");
    if (diag.hint.empty() && on != std::string::npos && comma != std::string::npos)
      diag.hint =
          fmt::format("paste the definition of {} with the text", diag.message.substr(on + 11, comma - on - 11));
    if (diag.hint.empty() && diag.message.find("no integer value and no access") != std::string::npos)
      diag.hint = "paste the line that computes the index, such as As[row * 8 + col]";
    diag.span = {std::min(diag.span.begin, written.size()), std::min(diag.span.end, written.size())};
    return diag;
  }
  ask(out, survey, known);
  if (out.questions.empty()) return code.error();
  return out;
}

}  // namespace tessera::paste
