#include "core/paste/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/parameters.h"
#include "core/paste/bindings.h"
#include "core/paste/dialects.h"
#include "core/paste/xla/readers.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

namespace {

constexpr std::size_t kMostPasted = std::size_t{1} << 20;

// The first statement of a block and what follows it.
Result<paste::Reading> readBlock(std::string_view dialect, std::string_view name, const std::string& block) {
  paste::Reading out;
  out.dialect = dialect;
  const std::vector<Statement> statements = splitStatements(block);
  if (statements.empty() || statements.front().kind != StatementKind::Block)
    return Diag{"the text ends inside a bracket", "the whole text", "copy it again, up to its last line"};
  out.statements.push_back({std::string(name), statements.front().text, {}});
  return out;
}

std::string nameOr(const paste::Given& given, std::string_view name) {
  return given.name.empty() ? std::string(name) : blockNameOf(given.name);
}

// jit_f of "HloModule jit_f, ...".
std::string moduleName(std::string_view text) {
  Cursor in(text, {.nameAlso = ".-", .lineComments = true, .blockComments = true});
  if (!in.acceptWord("HloModule")) return "module";
  const std::string_view word = in.peekWord();
  return word.empty() ? "module" : paste::worksheetName(word);
}

}  // namespace

namespace paste {

const Dialect kHloModule{
    "HLO module", [](std::string_view text) { return isModuleText(text) && xla_text::hasComputation(text) ? 2 : 0; },
    [](std::string_view text, const Given& given) {
      const std::string name = nameOr(given, moduleName(text));
      return readBlock(kHloModule.name, name, asModuleBlock(name, text));
    }};

const Dialect kGraphene{"Graphene", [](std::string_view text) { return isProgram(text) ? 2 : 0; },
                        [](std::string_view text, const Given& given) {
                          const std::string name = nameOr(given, "kernel");
                          return readBlock(kGraphene.name, name, asBlock(name, text));
                        }};

}  // namespace paste

bool isProgram(std::string_view text) {
  if (text.size() > kMostPasted) return false;
  Cursor in(text, {.lineComments = true, .blockComments = true}, graphene::beginOf(text));
  const std::string_view word = in.peekWord();
  if (in.peek() != '%' && in.peek() != '#' && word != "def" && word != "param" && word != "require" && word != "assume")
    return false;
  if (text.find("<-") == std::string_view::npos) return false;
  const auto read = graphene::readProgram(text);
  return read && !read->specs.empty();
}

std::string blockNameOf(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  name = name.substr(0, name.find('.'));
  std::string out;
  for (const char c : name) out += isNamePart(c) ? c : '_';
  if (out.empty() || !isNameStart(out[0])) out.insert(0, "kernel_");
  return out;
}

std::string asBlock(std::string_view name, std::string_view text) {
  std::string out = fmt::format("graphene {} {{\n", name);
  while (!text.empty()) {  // indented by two blanks, as all blocks
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    out += line.empty() ? "\n" : fmt::format("  {}\n", line);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out + fmt::format("}}\n\ncheck {}\n", name);
}

bool isModuleText(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Cursor in(text, {.lineComments = true, .blockComments = true});
  return in.peekWord() == "HloModule";
}

bool isModuleFile(std::string_view path, std::string_view text) {
  return path.ends_with(".hlo") || (path.ends_with(".txt") && isModuleText(text));
}

std::string asModuleBlock(std::string_view name, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string out = fmt::format("hlo {} {{\n", name);
  for (const char c : text)
    if (c != '\r') out += c;
  while (out.ends_with('\n')) out.pop_back();
  out += '\n';
  constexpr int kMostMissing = 8;
  for (int k = 0; k < kMostMissing; ++k) {
    out += "}\n";
    const auto statements = splitStatements(out);
    if (!statements.empty() && statements.front().kind == StatementKind::Block) break;
  }
  return out + fmt::format("\nshow {}\n", name);
}

}  // namespace tessera
