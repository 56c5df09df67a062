#include "core/graphene/reader/sized.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/graphene/reader/program_reader.h"

namespace tessera::graphene {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<std::pair<std::string, i64>> sizeOption(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  if (equals != std::string_view::npos && !name.empty()) {
    const std::string_view digits = trimmed(text.substr(equals + 1));
    i64 value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && stop == digits.data() + digits.size() && value >= 1)
      return std::pair(std::string(name), value);
  }
  return Diag{fmt::format("'{}' is no size", text), "NAME=N with N at least 1: M=128"};
}

std::optional<std::string_view> commentLine(std::string_view text, std::string_view head) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (line.starts_with(head)) return trimmed(line.substr(head.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::string architectureOf(std::string_view text, std::string_view asked) {
  if (!asked.empty()) return std::string(asked);
  const std::string_view said = commentLine(text, "// arch:").value_or("");
  const bool known = said.size() > 3 && said.starts_with("sm_") && said[3] >= '0' && said[3] <= '9';
  return known ? std::string(said) : "sm_80";
}

Sizes smallSizes(std::string_view text) {
  constexpr std::string_view kHead = "// small:";
  std::size_t at = text.find(kHead);
  while (at != std::string_view::npos && at != 0 && text[at - 1] != '\n') at = text.find(kHead, at + 1);
  if (at == std::string_view::npos) return {};
  std::string_view line = text.substr(at + kHead.size());
  line = line.substr(0, line.find('\n'));
  Sizes out;
  while (!line.empty()) {
    const std::size_t comma = line.find(',');
    if (auto one = sizeOption(trimmed(line.substr(0, comma)))) out.insert(*std::move(one));
    line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
  }
  return out;
}

Result<Program> readSized(std::string_view text, const Sizes& sizes) {
  ProgramReader reader(text, Order::Row);
  reader.give(sizes);
  TESSERA_TRY(Program program, reader.run());
  if (const auto unused = reader.notAsked()) {
    std::vector<std::string> names;
    for (const Variable& v : program.variables)
      if (v.kind == Variable::Kind::Size) names.push_back(v.name);
    for (const auto& [name, value] : sizes)
      if (name != *unused) names.push_back(name);
    return Diag{fmt::format("the program has no size {}", *unused),
                names.empty() ? "none: all of its sizes are numbers" : fmt::format("{}", fmt::join(names, ", "))};
  }
  return program;
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
