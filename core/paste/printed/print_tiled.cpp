#include "core/paste/printed/print_tiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"
#include "core/atlas/tiled.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work.h"
#include "core/notation/cute/text/text.h"
#include "core/paste/meaning.h"

namespace tessera::paste {
namespace {

// One name for the words of C++ and of the Python DSL.
struct ReportWord {
  std::string_view written, name;
};
constexpr std::array<ReportWord, 14> kReportWords = {{{"Thr Layout VMNK", "ThrLayoutVMNK"},
                                                      {"Permutation MNK", "PermutationMNK"},
                                                      {"Shape MNK", "Shape_MNK"},
                                                      {"TV Layout A", "LayoutA_TV"},
                                                      {"TV Layout B", "LayoutB_TV"},
                                                      {"TV Layout C", "LayoutC_TV"},
                                                      {"Tiler MN", "Tiler_MN"},
                                                      {"TV Layout tiled", "TiledLayout_TV"},
                                                      {"TV Layout Src", "ValLayoutSrc"},
                                                      {"TV Layout Dst", "ValLayoutDst"},
                                                      {"TV Layout Ref", "ValLayoutRef"},
                                                      {"Thr VMNK", "ThrVMNK"},
                                                      {"Thr Idx", "ThrIdx"},
                                                      {"Thr ID", "ThrID"}}};

std::string reportName(std::string_view written) {
  for (const ReportWord& word : kReportWords)
    if (written == word.written) return std::string(word.name);
  return std::string(written);
}

// Without the marks of a comment around the report.
std::string_view reportLabel(std::string_view label) {
  const std::size_t begin = label.find_first_not_of(" \t/*#>|");
  return begin == std::string_view::npos ? std::string_view() : stripped(label.substr(begin));
}

struct ReportLine {
  std::string name, text;
  Span span;
};

std::vector<ReportLine> reportLines(std::string_view text) {
  std::vector<ReportLine> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && lines.size() < 256) {
      const std::string_view rest = line.substr(colon + 1);
      const std::string_view value = stripped(rest.substr(0, std::min(rest.find("//"), rest.size())));
      const auto read = cute::parse(value);
      if (read && !std::holds_alternative<cute::Engine>(*read))
        lines.push_back({reportName(reportLabel(line.substr(0, colon))), cute::print(*read), {at, end}});
    }
    at = end + 1;
  }
  return lines;
}

const ReportLine* lineOf(const std::vector<ReportLine>& lines, std::string_view name) {
  const auto found = std::ranges::find_if(lines, [&](const ReportLine& l) { return l.name == name; });
  return found == lines.end() ? nullptr : &*found;
}

// Whether two (thread, value) layouts are the same function.
bool sameThreadValue(const cute::Layout& a, const cute::Layout& b) {
  constexpr i64 kMostPoints = i64{1} << 18;
  if (a.shape().rank() != 2 || b.shape().rank() != 2 || !a.isPlain() || !b.isPlain()) return false;
  for (int mode = 0; mode < 2; ++mode) {
    const auto x = product(a.shape().mode(mode)), y = product(b.shape().mode(mode));
    if (!x || !y || *x != *y) return false;
  }
  if (a.size() > kMostPoints) return false;
  spend(a.size() / 8);
  for (i64 k = 0; k < a.size(); ++k)
    if (a(k) != b(k)) return false;
  return true;
}

struct AtomParts {
  cute::Layout a, b, c;
};

std::optional<cute::Layout> reportLayout(const std::vector<ReportLine>& lines, std::string_view name) {
  const ReportLine* line = lineOf(lines, name);
  if (line == nullptr) return std::nullopt;
  auto layout = cute::parseLayout(line->text);
  return layout ? std::optional(*std::move(layout)) : std::nullopt;
}

bool isAtom(const AtlasRow& row, const AtomParts& parts) {
  const std::array<std::pair<const char*, const cute::Layout*>, 3> kOperands = {
      {{"C", &parts.c}, {"A", &parts.a}, {"B", &parts.b}}};
  for (const auto& [name, want] : kOperands) {
    const auto operand = findOperand(row, name);
    if (!operand) return false;
    const auto has = threadValue(*operand);
    if (!has || !sameThreadValue(*has, *want)) return false;
  }
  return true;
}

// The words of the types: "f32.f16.f16.f32" is the most common, then bf16.
int rarity(const AtlasRow& row) {
  const auto has = [&](std::string_view word) { return row.name.find(word) != std::string::npos; };
  if (has(".sp.") || has("sparse")) return 9;
  if (has("f32.f16.f16")) return 0;
  if (has("f32.bf16.bf16")) return 1;
  if (has("f16.f16.f16")) return 2;
  return 3;
}

// The rows of the atlas with these layouts, the most common first.
std::vector<AtlasRow> atomsOf(const AtomParts& parts) {
  std::vector<AtlasRow> rows;
  for (const AtlasRow& row : atlas()) {
    const bool mma = row.family == AtlasFamily::MmaSync || row.family == AtlasFamily::Wgmma ||
                     row.family == AtlasFamily::Mfma || row.family == AtlasFamily::Wmma ||
                     row.family == AtlasFamily::Tcgen05Mma || row.family == AtlasFamily::Scalar;
    if (!mma) continue;
    if (row.parameter.empty() && isAtom(row, parts)) rows.push_back(row);
    for (const i64 n : row.parameter) {
      AtlasRow bound = bind(row, n);
      if (isAtom(bound, parts)) rows.push_back(std::move(bound));
    }
  }
  std::ranges::stable_sort(rows, {}, rarity);
  return rows;
}

// Whether both layouts of threads are the same function.
bool sameThreads(const cute::Layout& a, const cute::Layout& b) {
  if (!a.isPlain() || !b.isPlain() || a.size() != b.size() || a.size() > 4096) return false;
  for (i64 k = 0; k < a.size(); ++k)
    if (a(k) != b(k)) return false;
  return true;
}

std::string stridedText(const std::array<i64, 3>& extents, const std::array<i64, 3>& strides) {
  return fmt::format("({}):({})", fmt::join(extents, ","), fmt::join(strides, ","));
}

// The arrangement of atoms over M, N, K that gives these threads.
std::optional<std::string> atomLayoutOf(const AtlasRow& atom, const cute::Layout& threads) {
  if (threads.shape().rank() != 4 || !threads.isPlain()) return std::nullopt;
  std::array<i64, 3> extents{};
  for (int k = 0; k < 3; ++k) {
    const auto extent = product(threads.shape().mode(k + 1));
    if (!extent) return std::nullopt;
    extents[static_cast<std::size_t>(k)] = *extent;
  }
  std::array<int, 3> order = {0, 1, 2};
  do {
    std::array<i64, 3> strides{};
    i64 step = 1;
    for (const int k : order) {
      const auto mode = static_cast<std::size_t>(k);
      strides[mode] = extents[mode] == 1 ? 0 : step;
      step *= extents[mode];
    }
    const std::string text = stridedText(extents, strides);
    const auto layout = cute::parseLayout(text);
    if (!layout) continue;
    const auto tiled = makeTiledMma(atom, *layout);
    if (tiled && sameThreads(tiled->threads, threads)) return text;
  } while (std::ranges::next_permutation(order).found);
  return std::nullopt;
}

bool evaluates(const std::string& expression) {
  Reading trial;
  trial.statements.push_back({"X", "X = " + expression, {}});
  return lastValue(trial).ok();
}

// X = make_tiled_mma(..), if the atlas has the atom.
bool bindMma(const std::vector<ReportLine>& lines, Bindings& bindings) {
  const auto a = reportLayout(lines, "LayoutA_TV"), b = reportLayout(lines, "LayoutB_TV"),
             c = reportLayout(lines, "LayoutC_TV");
  if (!a || !b || !c) return false;
  const std::vector<AtlasRow> atoms = atomsOf({*a, *b, *c});
  if (atoms.empty()) {
    bindings.note("no instruction of the atlas has these layouts, so X is the layout of C");
    return false;
  }
  std::string arrangement = "(1,1,1)";
  if (const auto threads = reportLayout(lines, "ThrLayoutVMNK")) {
    const auto found = atomLayoutOf(atoms[0], *threads);
    if (!found) {
      bindings.note("no arrangement of the atom gives ThrLayoutVMNK, so X is the layout of C");
      return false;
    }
    arrangement = *found;
  }
  const ReportLine* tile = lineOf(lines, "PermutationMNK");
  const std::string text = tiledMmaText(atoms[0].name, arrangement, tile == nullptr ? "" : tile->text);
  if (!evaluates(text)) {
    bindings.note(fmt::format("{} is refused, so X is the layout of C", text));
    return false;
  }
  bindings.note(
      atoms.size() == 1
          ? fmt::format("the atom is {}", atoms[0].name)
          : fmt::format("the report names no types: the atom is assumed to be {}; {} other{} the same layouts",
                        atoms[0].name, atoms.size() - 1, atoms.size() == 2 ? " has" : "s have"));
  bindings.bind("X", text, {});
  return true;
}

}  // namespace

std::string tiledMmaText(std::string_view atom, std::string_view atomLayout, std::string_view tile) {
  if (tile.empty() || tile == "(_,_,_)") return fmt::format("make_tiled_mma({}, {})", atom, atomLayout);
  return fmt::format("make_tiled_mma({}, {}, {})", atom, atomLayout, tile);
}

bool isTiledReport(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMarks = {
      "ThrLayoutVMNK:",  "Thr Layout VMNK:", "LayoutA_TV:",   "LayoutC_TV:",   "TV Layout A:",   "TV Layout C:",
      "TiledLayout_TV:", "TV Layout tiled:", "ValLayoutSrc:", "ValLayoutRef:", "TV Layout Src:", "Tiler_MN:"};
  return std::ranges::any_of(kMarks, [&](std::string_view m) { return text.find(m) != std::string_view::npos; });
}

void bindTiledReport(std::string_view text, Bindings& bindings) {
  const std::vector<ReportLine> lines = reportLines(text);
  for (const ReportLine& line : lines) bindings.bind(line.name, line.text, line.span);
  if (bindMma(lines, bindings)) return;
  for (const char* best : {"TiledLayout_TV", "LayoutC_TV", "ValLayoutRef", "ThrLayoutVMNK"})
    if (const ReportLine* line = lineOf(lines, best)) {
      bindings.bind("X", line->text, {});
      return;
    }
}

}  // namespace tessera::paste
