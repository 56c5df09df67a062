#include "app/engine/module/pasted_module.h"

#include <fmt/format.h>

#include "core/base/cursor.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

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
