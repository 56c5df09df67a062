#include "core/graphene/reader/sized.h"

#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera::graphene {
Result<std::pair<std::string, i64>> sizeOption(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = stripped(text.substr(0, equals));
  if (equals != std::string_view::npos && !name.empty())
    if (const auto value = wholeNumber(stripped(text.substr(equals + 1))); value && *value >= 1)
      return std::pair(std::string(name), *value);
  return Diag{fmt::format("'{}' is not a size", text), "NAME=N with N at least 1: M=128"};
}

std::optional<std::string_view> commentLine(std::string_view text, std::string_view head) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = stripped(text.substr(0, end));
    if (line.starts_with(head)) return stripped(line.substr(head.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::string architectureOf(std::string_view text, std::string_view asked) {
  if (!asked.empty()) return std::string(asked);
  const std::string_view said = commentLine(text, "// arch:").value_or("");
  const bool known = said.size() > 3 && said.starts_with("sm_") && isDigit(said[3]);
  return known ? std::string(said) : "sm_80";
}

Sizes smallSizes(std::string_view text) {
  constexpr std::string_view kHead = "// small:";
  std::size_t at = text.find(kHead);
  while (at != std::string_view::npos && at != 0 && text[at - 1] != '\n') at = text.find(kHead, at + 1);
  if (at == std::string_view::npos) return {};
  const std::string_view line = text.substr(at + kHead.size());
  Sizes out;
  for (const std::string_view word : wordsIn(line.substr(0, line.find('\n')), ","))
    if (auto one = sizeOption(stripped(word))) out.insert(*std::move(one));
  return out;
}

Result<Listing> readSizedListing(std::string name, std::string_view text, const Sizes& sizes) {
  TESSERA_TRY(Program program, readSized(text, sizes));
  return Listing{std::move(name), std::string(text), std::make_shared<const Program>(std::move(program))};
}

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
  out.file = stripped(line);
  return out.file.empty() ? std::nullopt : std::optional(out);
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
