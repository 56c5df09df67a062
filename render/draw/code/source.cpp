// source: the text of a block of code or of a compiled kernel, with the cost of each line that accesses memory.
//
//     17 |####| out[..] = tile[threadIdx.x][threadIdx.y];    load of shared: 4096 wavefronts, 128 would do; store ...
//
// The bar's length is the line's share of all wavefronts and sectors, its heat the part of them that a better layout
// saves. A finding of a run is below its line, and a bracket joins it with the other access. A click opens an access.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/access/thread_access.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/code/index_code.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

using code::IndexCode;
using code::IndexValue;

constexpr double kRow = 17, kSize = 11, kGutter = 16, kNumber = 46, kBar = 56, kBarWide = 64, kCode = 130,
                 kMostCode = 620, kNotes = 620;
constexpr std::size_t kMostWhole = 40, kNear = 5, kMostFindings = 3, kMostRows = 600, kMostCharacters = 100;

struct LineCost {
  MemoryCost cost;
  std::vector<std::string> notes;  // one per access
  bool shared = false;
};

// nullopt: there is none, or it has no closed form.
std::optional<MemoryCost> costOf(const IndexCode& code, std::size_t k) {
  if (code.run != nullptr) return code.run->costs[k];
  const IndexValue& v = (*code.values)[k];
  if (v.fault || v.elementBits == 0) return std::nullopt;
  IndexCode one = code;
  one.selected = k;
  const Layout layout(std::move(one));
  if (!layout.arrow()) return std::nullopt;
  const auto access = threadAccess(*layout.arrow(), v.name, v.elementBits, v.vector);
  const auto report = access ? threadReport(*access, v.isShared ? MemorySpace::Shared : MemorySpace::Global)
                             : Result<ThreadReport>(Diag{});
  if (!report) return std::nullopt;
  MemoryCost out = *report;
  if (v.isShared)
    out.sectors = out.idealSectors = 0;
  else
    out.wavefronts = out.ideal = 0;
  return out;
}

// The accesses of a line to one array in one direction.
struct Group {
  std::string what;  // "load of shared"
  i64 accesses = 0;
  bool unknown = false;  // the cost of some of them is not known
  MemoryCost cost;
};

std::string noteOf(const Group& g) {
  const auto against = [](i64 count, i64 least, const char* unit) {
    return count == least ? fmt::format("{} {}", count, unit) : fmt::format("{} {}, {} would do", count, unit, least);
  };
  std::string out = g.what;
  if (g.accesses > 1) out += fmt::format(", {} instructions", g.accesses);
  if (g.cost.wavefronts > 0) out += ": " + against(g.cost.wavefronts, g.cost.ideal, "wavefronts");
  if (g.cost.sectors > 0) out += ": " + against(g.cost.sectors, g.cost.idealSectors, "sectors");
  if (g.unknown) out += g.cost.wavefronts + g.cost.sectors > 0 ? ", others not known" : ": cost not known";
  return out;
}

std::map<std::size_t, LineCost> costsOf(const IndexCode& code, Figure& figure) {
  std::map<std::size_t, LineCost> out;
  std::map<std::size_t, std::vector<Group>> groups;
  for (std::size_t k = 0; k < code.values->size(); ++k) {
    const IndexValue& v = (*code.values)[k];
    if (v.kind != IndexValue::Kind::Access || v.isRegister) continue;
    const std::string what =
        fmt::format("{} {}", v.direction == code::Direction::Store ? "store to" : "load of", v.name);
    std::vector<Group>& of = groups[v.line];
    auto at = std::ranges::find(of, what, &Group::what);
    if (at == of.end()) at = of.insert(of.end(), Group{what, 0, false, {}});
    const std::optional<MemoryCost> cost = costOf(code, k);
    ++at->accesses;
    at->unknown = at->unknown || !cost;
    at->cost += cost.value_or(MemoryCost{});
    out[v.line].shared = out[v.line].shared || v.isShared;
  }
  figure.table = {{"line", "access", "instructions", "wavefronts", "ideal wavefronts", "sectors", "ideal sectors"}};
  for (const auto& [line, of] : groups)
    for (const Group& g : of) {
      out[line].cost += g.cost;
      out[line].notes.push_back(noteOf(g));
      figure.table.push_back({std::to_string(line), g.what, std::to_string(g.accesses),
                              std::to_string(g.cost.wavefronts), std::to_string(g.cost.ideal),
                              std::to_string(g.cost.sectors), std::to_string(g.cost.idealSectors)});
      figure.text += fmt::format("{:>5}  {}\n", line, out[line].notes.back());
    }
  return out;
}

// The lines as drawn: tabs are two blanks, long lines are cut.
std::vector<std::string> drawnLines(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : textLines(text)) {
    std::string drawn;
    for (const char c : line) drawn += c == '\t' ? std::string("  ") : std::string(1, c);
    out.push_back(drawn.substr(0, codePointStart(drawn, kMostCharacters)));
  }
  return out;
}

// The numbers of the lines to show; 0: some are left out here.
std::vector<std::size_t> shownLines(std::size_t count, const std::vector<std::size_t>& marked) {
  std::vector<std::size_t> out;
  for (std::size_t n = 1; n <= count && out.size() < kMostRows; ++n) {
    const bool near = std::ranges::any_of(marked, [&](std::size_t m) { return n + kNear >= m && n <= m + kNear; });
    if (count <= kMostWhole || near) {
      out.push_back(n);
    } else if (!out.empty() && out.back() != 0) {
      out.push_back(0);
    }
  }
  for (const std::size_t m : marked)  // lines of a source that was not found
    if (m > count && std::ranges::find(out, m) == out.end()) out.push_back(m);
  return out;
}

class SourceDrawing {
 public:
  SourceDrawing(const IndexCode& code, Figure& figure)
      : code_(code), figure_(figure), costs_(costsOf(code, figure)), lines_(drawnLines(code.text)) {
    for (const auto& [line, cost] : costs_) {
      total_ += cost.cost;
    }
  }

  void draw() {
    std::vector<std::size_t> marked;
    for (const auto& [line, cost] : costs_) marked.push_back(line);
    for (const auto& f : findings()) {
      marked.push_back(f.line);
      if (f.other > 0) marked.push_back(f.other);
    }
    const std::vector<std::size_t> shown = shownLines(lines_.size(), marked);
    for (const std::size_t n : shown)
      if (n > 0) width_ = std::max(width_, 0.62 * kSize * static_cast<double>(textAt(n).size()));
    width_ = std::min(width_, kMostCode);
    for (const std::size_t n : shown) row(n);
    brackets();
    figure_.width = kCode + width_ + 24 + notes_;
    figure_.height = y_ + 4;
    figure_.legible = true;
  }

 private:
  [[nodiscard]] std::vector<code::RunFacts::Finding> findings() const {
    return code_.run == nullptr ? std::vector<code::RunFacts::Finding>() : code_.run->findings;
  }
  [[nodiscard]] std::string textAt(std::size_t n) const { return n <= lines_.size() ? lines_[n - 1] : ""; }

  void row(std::size_t n) {
    const double middle = y_ + kRow / 2;
    if (n == 0) {
      addText(figure_, kNumber, middle, "...", kSize, Face::Mono, Role::Faint, Align::Right);
      y_ += kRow;
      return;
    }
    const auto cost = costs_.find(n);
    at_[n] = middle;
    addText(figure_, kNumber, middle, std::to_string(n), 9, Face::Mono, Role::Faint, Align::Right);
    if (cost != costs_.end()) bar(n, cost->second);
    addFitted(figure_, kCode, middle, width_ + 4, textAt(n), kSize, cost != costs_.end() ? Face::MonoBold : Face::Mono,
              cost != costs_.end() ? Role::Text : Role::Muted);
    if (cost != costs_.end())
      for (const std::string& note : cost->second.notes) {
        const double wide =
            addFitted(figure_, kCode + width_ + 24, y_ + kRow / 2, kNotes, note, 10, Face::Sans, Role::Text);
        notes_ = std::max(notes_, wide + 8);
        y_ += kRow;
      }
    else
      y_ += kRow;
    std::vector<std::string> messages;
    for (const auto& f : findings())
      if (f.line == n) messages.push_back(f.message);
    if (messages.size() > kMostFindings) {
      messages[kMostFindings - 1] = fmt::format("and {} more like these", messages.size() - kMostFindings + 1);
      messages.resize(kMostFindings);
    }
    for (const std::string& message : messages) {
      const double wide =
          addFitted(figure_, kCode + 8, y_ + kRow / 2, width_ + kNotes, message, 10, Face::Sans, Role::Refuted);
      notes_ = std::max(notes_, wide - width_);
      y_ += kRow;
    }
  }

  // Its length: the larger share of the two kinds of units.
  void bar(std::size_t n, const LineCost& line) {
    const auto share = [](i64 part, i64 all) {
      return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
    };
    const MemoryCost& c = line.cost;
    const double length = std::max(share(c.wavefronts, total_.wavefronts), share(c.sectors, total_.sectors));
    const double excess =
        std::max(share(c.wavefronts - c.ideal, c.wavefronts), share(c.sectors - c.idealSectors, c.sectors));
    const double high = kRow * static_cast<double>(line.notes.size());
    if (length > 0)
      addBox(figure_, {kBar, y_ + 3, std::max(2.0, length * kBarWide), kRow - 6},
             {Role::Heat, 0, 0, static_cast<float>(excess)}, {Role::Hairline}, 2);
    figure_.doors.push_back({{kBar, y_, kCode + width_ + kNotes, high},
                             fmt::format("line {}", n),
                             line.shared ? "banks" : "grid",
                             line.shared ? "Opens the banks of this access" : "Opens this access"});
  }

  // Joins the two lines of a finding, left of the numbers.
  void brackets() {
    double x = kGutter - 4;
    for (const auto& f : findings()) {
      const auto a = at_.find(f.line), b = at_.find(f.other);
      if (a == at_.end() || b == at_.end() || x < 1) continue;
      if (f.other == f.line) {
        addBox(figure_, {x - 2, a->second - 4, 8, 8}, {Role::Refuted}, {Role::Refuted}, 4);
        continue;
      }
      addLine(figure_, x, a->second, x, b->second, Role::Refuted, 1.4);
      for (const double y : {a->second, b->second}) addLine(figure_, x, y, kGutter + 2, y, Role::Refuted, 1.4);
      x -= 4;
    }
  }

  const IndexCode& code_;
  Figure& figure_;
  std::map<std::size_t, LineCost> costs_;
  std::vector<std::string> lines_;
  std::map<std::size_t, double> at_;  // of a line's middle
  MemoryCost total_;
  double y_ = 4, width_ = 0, notes_ = 0;
};

}  // namespace

bool hasSource(const Layout& layout) {
  const auto* code = layout.as<IndexCode>();
  return code != nullptr && std::ranges::any_of(*code->values, [](const IndexValue& v) {
           return v.kind == IndexValue::Kind::Access && !v.isRegister;
         });
}

bool isRun(const Layout& layout) {
  const auto* code = layout.as<IndexCode>();
  return code != nullptr && code->run != nullptr;
}

Result<Figure> drawSource(const Layout& layout, const DrawOptions& options) {
  TESSERA_CHECKED(expectNoWords(options.arguments, "source"));
  const IndexCode& code = *layout.as<IndexCode>();
  Figure figure = titledFigure(options.name.empty() ? code.word : options.name,
                               code.run != nullptr ? code.run->verdict.substr(0, code.run->verdict.find(';')) : "");
  SourceDrawing(code, figure).draw();
  figure.caption =
      "Bars: the share of each line in all wavefronts and sectors; the hotter, the more of them another layout saves.";
  return figure;
}

}  // namespace tessera
