#include "solver/measure/device/compile_log.h"

#include <fmt/format.h>

#include <charconv>

namespace tessera::measure {
namespace {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

// The number that ends where `word` begins in `line`; -1: none.
int numberBefore(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return -1;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = -1;
  const auto [end, error] = std::from_chars(line.data() + begin, line.data() + at, value);
  return error == std::errc() && end == line.data() + at ? value : -1;
}

std::string_view between(std::string_view line, std::string_view open, char close) {
  const std::size_t at = line.find(open);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + open.size());
  const std::size_t end = line.find(close);
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

void put(int& into, int value) {
  if (value >= 0) into = value;
}

}  // namespace

std::vector<CompileError> errorsOf(std::string_view log) {
  std::vector<CompileError> out;
  for (std::string_view line : linesOf(log)) {
    constexpr std::string_view kError = "error";
    const std::size_t at = line.find("): error");
    const std::size_t open = at == std::string_view::npos ? at : line.rfind('(', at);
    CompileError error;
    std::string_view rest;
    if (open != std::string_view::npos) {  // NAME(12): error: ..., NAME(12): error #20: ...
      const auto [end, bad] = std::from_chars(line.data() + open + 1, line.data() + at, error.line);
      if (bad != std::errc() || end != line.data() + at) error.line = 0;
      rest = line.substr(at + 3 + kError.size());
    } else if (const std::size_t ptxas = line.find("error   :"); line.starts_with("ptxas") && ptxas != line.npos) {
      rest = line.substr(ptxas + kError.size());
    } else if (line.starts_with("nvrtc: error:")) {
      rest = line.substr(12);
    } else {
      continue;
    }
    if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) rest.remove_prefix(colon + 1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    error.message = rest;
    out.push_back(error);
  }
  return out;
}

std::vector<Resources> resourcesOf(std::string_view log) {
  std::vector<Resources> out;
  for (const std::string_view line : linesOf(log)) {
    if (line.find("Compiling entry function") != line.npos) out.push_back({std::string(between(line, "'", '\''))});
    if (out.empty()) continue;
    Resources& r = out.back();
    put(r.stackBytes, numberBefore(line, " bytes stack frame"));
    put(r.spillStores, numberBefore(line, " bytes spill stores"));
    put(r.spillLoads, numberBefore(line, " bytes spill loads"));
    put(r.registers, numberBefore(line, " registers"));
    put(r.barriers, numberBefore(line, " barriers"));
    put(r.sharedBytes, numberBefore(line, " bytes smem"));
  }
  return out;
}

Diag compileDiag(std::string_view log, std::string_view text, const std::vector<Span>& lines,
                 std::string_view architecture) {
  const std::vector<CompileError> errors = errorsOf(log);
  if (errors.empty())
    return {fmt::format("the CUDA compiler refuses the generated code for {}: {}", architecture,
                        log.empty() ? "it does not say why" : log.substr(0, 2000)),
            "",
            "",
            {}};
  const CompileError& first = errors.front();
  const std::string more =
      errors.size() == 1 ? "" : fmt::format(" (and {} more error{})", errors.size() - 1, errors.size() == 2 ? "" : "s");
  const std::vector<std::string_view> all = linesOf(text);
  const auto index = static_cast<std::size_t>(first.line) - 1;
  if (first.line < 1 || index >= all.size())
    return {fmt::format("the CUDA compiler refuses the generated code for {}: {}{}", architecture, first.message, more),
            "",
            "",
            {}};
  return {fmt::format("the CUDA compiler refuses line {} of the generated code for {}: {}{}\n  {} | {}", first.line,
                      architecture, first.message, more, first.line, all[index]),
          "", "tessera codegen prints the whole text", index < lines.size() ? lines[index] : Span{}};
}

}  // namespace tessera::measure
