#include "core/graphene/baseline.h"

#include <fmt/format.h>

#include "core/base/chars.h"

namespace tessera::graphene {

std::optional<Baseline> baselineOf(std::string_view program) {
  const auto said = commentLine(program, "// baseline:");
  if (!said) return std::nullopt;
  std::string_view line = *said;
  Baseline out;
  if (const std::size_t open = line.find('('), close = line.rfind(')');
      open != std::string_view::npos && close != std::string_view::npos && close > open) {
    out.sizes = smallSizes(fmt::format("// small:{}\n", line.substr(open + 1, close - open - 1)));
    line = line.substr(0, open);
  }
  while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
  out.file = line;
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
