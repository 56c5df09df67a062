// What the texts have in common: the sentences of a comment.
#include "core/codegen/index/index_text.h"

#include <fmt/format.h>

namespace tessera::codegen {
namespace {

std::string rangeText(const IndexParameter& p) {
  if (p.range.lo == p.range.hi) return fmt::format("{} = {}", p.name, p.range.lo);
  // Where hi + 1 is no number of 64 bits, or where one writes it like that.
  if (p.range.lo == 1 || p.range.hi == INT64_MAX) return fmt::format("{} <= {} <= {}", p.range.lo, p.name, p.range.hi);
  return fmt::format("{} <= {} < {}", p.range.lo, p.name, p.range.hi + 1);
}

// The sentences in lines, broken at blanks.
std::vector<std::string> filled(const std::vector<std::string>& sentences) {
  constexpr std::size_t kWidth = 100;
  std::vector<std::string> lines(1);
  std::string all = fmt::format("{} ", fmt::join(sentences, " "));
  for (std::size_t at = 0, end = 0; (end = all.find(' ', at)) != std::string::npos; at = end + 1) {
    const std::string word = all.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > kWidth) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace

std::string commentLine(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string out;
  for (const char c : text.substr(0, kLongest)) out += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  if (text.size() > kLongest) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();  // half a letter
    if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
    out += " ...";
  }
  while (!out.empty() && (out.back() == '\\' || out.back() == ' ')) out.pop_back();
  return out;
}

std::vector<std::string> commentOf(const IndexFunction& f) {
  std::vector<std::string> parts;
  for (const IndexParameter& p : f.parameters)
    parts.push_back(rangeText(p) + (p.remark.empty() ? "" : " (" + p.remark + ")"));
  std::vector<std::string> sentences;
  if (!parts.empty()) sentences.push_back(fmt::format("{}.", fmt::join(parts, ", ")));
  if (!f.back) {
    FactBase facts(f.box());
    parts.clear();
    for (const IndexValue& v : f.values) {
      const Range r = facts.of(v.value).interval;
      parts.push_back(fmt::format("{} in [{}, {}]", f.values.size() == 1 ? "The result lies" : v.name, r.lo, r.hi));
    }
    sentences.push_back(fmt::format("{}.", fmt::join(parts, ", ")));
  }
  for (const std::string& remark : f.remarks) sentences.push_back(commentLine(remark));
  if (!f.guards.empty()) sentences.push_back(fmt::format("Means something only where {} says so.", f.predicate));
  return filled(sentences);
}

}  // namespace tessera::codegen
