#include "core/graphene/baseline.h"

#include <fmt/format.h>

namespace tessera::graphene {
namespace {

// Only blanks are before it in its line.
bool beginsLine(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

std::string withoutBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

std::optional<Baseline> baselineOf(std::string_view program) {
  constexpr std::string_view kHead = "// baseline:";
  std::size_t at = program.find(kHead);
  while (at != std::string_view::npos && !beginsLine(program, at)) at = program.find(kHead, at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view line = program.substr(at + kHead.size());
  line = line.substr(0, line.find('\n'));
  Baseline out;
  if (const std::size_t open = line.find('('), close = line.rfind(')');
      open != std::string_view::npos && close != std::string_view::npos && close > open) {
    out.sizes = smallSizes(fmt::format("// small:{}\n", line.substr(open + 1, close - open - 1)));
    line = line.substr(0, open);
  }
  out.file = withoutBlanks(line);
  if (out.file.empty()) return std::nullopt;
  return out;
}

std::string nameOf(const Baseline& baseline) {
  const std::size_t dot = baseline.file.rfind(".graphene");
  return dot == std::string::npos ? baseline.file : baseline.file.substr(0, dot);
}

std::optional<std::string_view> shippedBaseline(std::string_view name) {
  for (const LibraryFile& file : baselineFiles())
    if (file.name == name) return file.text;
  return std::nullopt;
}

}  // namespace tessera::graphene
