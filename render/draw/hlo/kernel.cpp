// kernel: one kernel of a module: what it reads of each operand, how it is assumed to run, what that wastes and why,
// and what it would read if each block computed a tile of given sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/plan.h"
#include "core/hlo/cost/tile_traffic.h"
#include "core/hlo/cost/why.h"
#include "core/hlo/listing.h"
#include "core/notation/indexing/map.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hlo/hlo.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr double kPageBand = 860, kTabled = 640;  // the most width; the least for columns of numbers
constexpr double kSmallText = 10.5, kStep = 16;
constexpr double kSketch = 96;  // the longer side of an array's sketch
constexpr std::size_t kMostMapLines = 3;

using Ints = std::vector<i64>;

std::string withCommas(i64 n) {
  std::string s = fmt::format("{}", n);
  for (std::size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, ",");
  return s;
}
std::string sizesText(const Ints& sizes) { return sizes.empty() ? "1" : fmt::format("{}", fmt::join(sizes, "x")); }
std::string timesOf(i64 asked, i64 needed) {
  if (needed <= 0) return "";
  const double times = static_cast<double>(asked) / static_cast<double>(needed);
  return times < 1000 ? fmt::format("{:.3g}", times) : withCommas(static_cast<i64>(times + 0.5));
}
std::string bytesOr(const std::optional<i64>& bytes) { return bytes ? bytesText(*bytes) : "unknown"; }
std::string mapText(const Map& map) { return indexing::print(indexing::toIndexingMap(map)); }

struct SoundText {
  const char* word;
  Role role;
};
SoundText soundText(Soundness s) {
  if (s == Soundness::Exact) return {"exact", Role::Proved};
  return s == Soundness::Over ? SoundText{"at most", Role::Unknown} : SoundText{"unknown", Role::Refuted};
}

// A column of numbers: its head, and the right edge of its texts from the page's right edge.
struct NumberColumn {
  const char* head;
  double right;
};
constexpr NumberColumn kReadColumns[] = {{"requested", 288}, {"needed", 204}, {"times", 138}, {"sectors", 0}};
constexpr NumberColumn kTileColumns[] = {{"per tile", 288}, {"requested", 190}, {"needed", 84}, {"times", 0}};

// "time", "sector"
std::string singular(std::string_view head) {
  return std::string(head.ends_with('s') ? head.substr(0, head.size() - 1) : head);
}

class KernelPage {
 public:
  KernelPage(const Part& part, const KernelWaste& kernel, Plan plan, double width)
      : module_(part.module()), kernel_(kernel), plan_(std::move(plan)), wide_(width) {
    figure_ = titledFigure(fmt::format("%{} as kernel", part.name()), print(part),
                           {"operand", "name", "shape", "sound", "map", "requested", "needed", "times", "sectors",
                            "warps", "tile", "tile bytes", "tile requested", "tile times"});
    figure_.legible = true;
  }

  // rank: from 1, of `kernels`; 0: the kernel does not run in the module.
  void addHead(std::size_t rank, std::size_t kernels) {
    const Instruction& i = module_.at(kernel_.where);
    y_ = addParagraph(figure_, 0, 8, textOf(kernel_), {wide_, 19, 14, Face::SansMedium, Role::Text});
    if (rank > 0) addFact("rank", fmt::format("{} of {}, by wasted bytes times runs", rank, kernels));
    addFact("assumed", kernel_.plan.empty() ? "no plan: how it runs is not known" : kernel_.plan);
    const xla::Shape& shape = module_.shapeOf(i);
    addFact("computes", fmt::format("{}, {}", i.opcode, xla::print(shape)), Face::Mono);
    const std::string source = sourceOf(module_, i);
    if (source.empty()) {
      addFact("source", "the dump has no source line for it", Face::Sans, Role::Faint);
    } else {
      const double top = y_;
      addFact("source", source, Face::Mono, Role::Accent);
      figure_.doors.push_back({{0, top - 8, wide_, y_ - top}, "", "", "click: copy " + source, {}, source});
    }
  }

  void addReads() {
    addSection("Reads", "see each element", "reads");
    const bool tabled = wide_ >= kTabled;
    if (tabled) addHeads(kReadColumns);
    const auto reads = readsThrough(module_, kernel_.where, 0);
    for (const OperandWaste& w : kernel_.operands) {
      const auto reach =
          reads ? std::ranges::find(*reads, w.operand, &Reach::slot) : std::vector<Reach>::const_iterator{};
      addOperand(w, reads && reach != reads->end() ? &*reach : nullptr, tabled);
    }
    if (kernel_.operands.empty()) addNote("It reads only constants.");
  }

  void addWhy() {
    addSection("Why");
    const auto why = keptWhy(module_, kernel_);
    if (why == nullptr) return addNote("The causes were not found within 2 s of work.");
    std::vector<std::string> lines = sentencesOf(module_, *why);
    lines.erase(lines.begin(), lines.begin() + (why->waste.plan.empty() ? 1 : 2));  // the page's head has them
    for (const std::string& line : lines) {
      const double in = line.starts_with("  ") ? 14 : 0;
      const std::string words = in > 0 ? line.substr(2) : line;
      y_ = addParagraph(figure_, in, y_, words, {wide_ - in, kStep, 11, Face::Sans, in > 0 ? Role::Muted : Role::Text});
    }
  }

  // A Diag: the tile does not fit.
  Result<void> addTiles(const std::optional<Ints>& asked, const DrawOptions& options) {
    if (plan_.kind == Plan::Kind::Once) {
      addSection("A tile of the output");
      addNote("It is a library kernel: which tiles its blocks compute is not known.");
      if (asked) return Diag{"a library kernel has no tile", "show NAME as kernel, without a tile"};
      return {};
    }
    TESSERA_TRY(const xla::Shape tiled, tiledArray(module_, kernel_.where, plan_));
    const Ints own = tileOf(module_, plan_, tiled), sizes = tiled.sizes();
    Ints tile = asked.value_or(own);
    if (tile.size() == sizes.size()) addModes(sizes, own, options, tile);
    auto traffic = tileTraffic(module_, kernel_, plan_, tile);
    if (!traffic) {
      if (asked) return traffic.error();
      figure_.modes.clear();
      addSection("A tile of the output");
      addNote("What it reads is not known: " + traffic.error().message + ".");
      return {};
    }
    traffic_ = *std::move(traffic);
    addSection(plan_.kind != Plan::Kind::Tiles ? "A tile of the output, if a block loads what it needs once"
               : tile == own                   ? "A tile of the output, as planned"
                                               : "A tile of the output");
    y_ = addParagraph(
        figure_, 0, y_,
        fmt::format(
            "{} of {}: {}. {} requested for {}{}", sizesText(tile), xla::print(tiled),
            counted(static_cast<std::size_t>(traffic_.tiles), "tile"), bytesText(traffic_.asked()),
            bytesText(traffic_.needed()),
            traffic_.needed() > 0 ? fmt::format(" ({} times)", timesOf(traffic_.asked(), traffic_.needed())) : ""),
        {wide_, 18, 12, Face::SansMedium, Role::Text});
    addSketches(tiled);
    const bool tabled = wide_ >= kTabled;
    if (tabled) addHeads(kTileColumns);
    for (const OperandTraffic& o : traffic_.operands) addTile(o, tabled);
    return {};
  }

  Figure finish() {
    addTable();
    figure_.caption = "Requested: bytes in sectors of 32, of one run, without caches. A block loads each tile once.";
    fitSize(figure_);
    return std::move(figure_);
  }

 private:
  void addFact(const char* label, const std::string& value, Face face = Face::Sans, Role role = Role::Text) {
    constexpr double kLabel = 70;
    addText(figure_, 0, y_, label, 11, Face::Sans, Role::Faint);
    y_ = addParagraph(figure_, kLabel, y_, value, {wide_ - kLabel, kStep, 11, face, role});
  }

  // The door leads to the kernel in another view.
  void addSection(const char* title, const char* more = "", const char* view = "") {
    y_ += 14;
    addLine(figure_, 0, y_ - 8, wide_, y_ - 8, Role::Hairline, 0.75);
    const double head = addText(figure_, 0, y_ + 6, title, 12, Face::SansMedium, Role::Text);
    if (*more != '\0') {
      const double x = head + 14, wide = addText(figure_, x, y_ + 6, more, 11, Face::Sans, Role::Accent);
      figure_.doors.push_back({{x, y_ - 3, wide, 18}, doorTo(module_, kernel_.where), view, "", {}});
    }
    y_ += 26;
  }

  void addNote(const std::string& words) {
    y_ = addParagraph(figure_, 0, y_, words, {wide_, kStep, 11, Face::Sans, Role::Muted});
  }

  template <std::size_t N>
  void addHeads(const NumberColumn (&columns)[N]) {
    for (const NumberColumn& c : columns)
      addText(figure_, wide_ - c.right, y_, c.head, kSmallText, Face::Sans, Role::Faint, Align::Right);
    y_ += kStep;
  }

  // A number per column beside a name, or all of them in a line below it; y_ is then below.
  template <std::size_t N>
  void addNumbers(const NumberColumn (&columns)[N], const std::string (&texts)[N], Role role, bool tabled) {
    if (tabled) {
      for (std::size_t k = 0; k < N; ++k)
        addText(figure_, wide_ - columns[k].right, y_, texts[k], 11, Face::Mono, role, Align::Right);
      y_ += kStep + 1;
      return;
    }
    y_ += kStep;
    std::string line;
    for (std::size_t k = 0; k < N; ++k)
      if (!texts[k].empty())
        line += fmt::format("{}{} {}", line.empty() ? "" : ", ", texts[k],
                            texts[k] == "1" ? singular(columns[k].head) : columns[k].head);
    y_ = addParagraph(figure_, 0, y_, line, {wide_, kStep, 11, Face::Sans, role});
  }

  // The operand's name, which leads to the kernel that computes it.
  void addName(int operand, const std::string& name, double room) {
    const int at = module_.at(kernel_.where).operands.at(static_cast<std::size_t>(operand));
    const Where from{kernel_.where.computation, at};
    const bool kernel = at >= 0 && isKernel(module_.at(from));
    const double wide =
        addFitted(figure_, 0, y_, room, "%" + name, 11.5, Face::Mono, kernel ? Role::Accent : Role::Text);
    if (kernel)
      figure_.doors.push_back(
          {{0, y_ - 9, wide, 18}, doorTo(module_, from), "kernel", "click: the kernel that computes it", {}});
    if (at < 0 || room - wide < 40) return;
    addFitted(figure_, wide + 10, y_, room - wide - 10, xla::print(module_.shapeOf(module_.at(from))), kSmallText,
              Face::Mono, Role::Faint);
  }

  void addOperand(const OperandWaste& w, const Reach* reach, bool tabled) {
    addName(w.operand, w.name, tabled ? wide_ - kReadColumns[0].right - 80 : wide_);
    const bool known = w.needed && w.asked, warps = w.warps.verdict != WarpVerdict::Unknown;
    const std::string texts[] = {bytesOr(w.asked), bytesOr(w.needed), known ? timesOf(*w.asked, *w.needed) : "",
                                 warps ? withCommas(w.warps.sectors) : "unknown"};
    addNumbers(kReadColumns, texts, w.wasted() > 0 ? Role::Text : Role::Muted, tabled);
    const SoundText sound = soundText(w.soundness);
    const double chip = addText(figure_, 0, y_, sound.word, kSmallText, Face::SansMedium, sound.role) + 10;
    const std::vector<std::string> maps = mapsOf(reach);
    if (maps.empty())
      y_ = addParagraph(figure_, chip, y_, w.why.empty() ? "nothing" : w.why, lineOf(wide_ - chip, Face::Sans));
    for (std::size_t m = 0; m < std::min(maps.size(), kMostMapLines); ++m)
      y_ = addParagraph(figure_, chip, y_, maps[m], lineOf(wide_ - chip, Face::Mono));
    if (maps.size() > kMostMapLines)
      y_ = addParagraph(figure_, chip, y_, fmt::format("and {} more maps", maps.size() - kMostMapLines),
                        lineOf(wide_ - chip, Face::Sans));
    if (!maps.empty() && !w.why.empty()) y_ = addParagraph(figure_, chip, y_, w.why, lineOf(wide_ - chip, Face::Sans));
    std::string words = w.usage.distinct ? textOf(w.usage) : "how much is read is not known: " + w.usage.why;
    words += "; warps " + textOf(w.warps);
    y_ = addParagraph(figure_, 0, y_, words, {wide_, kStep, kSmallText, Face::Sans, Role::Faint}) + 7;
  }

  static Paragraph lineOf(double width, Face face) { return {width, kStep - 1, kSmallText, face, Role::Muted}; }
  static std::vector<std::string> mapsOf(const Reach* reach) {
    std::vector<std::string> maps;
    if (reach != nullptr)
      for (const Map& map : reach->maps) maps.push_back(mapText(map));
    return maps;
  }

  // The sliders: the index of each size among those to choose from. Fixed values of the options come first.
  void addModes(const Ints& sizes, const Ints& own, const DrawOptions& options, Ints& tile) {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const Ints choices = tileSizes(sizes[k], {own[k], tile[k]});
      for (const auto& [mode, value] : options.fixed)
        if (mode == static_cast<int>(k))
          tile[k] = choices[static_cast<std::size_t>(std::clamp<i64>(value, 0, static_cast<i64>(choices.size()) - 1))];
      FigureMode mode{fmt::format("d{}", k), static_cast<i64>(choices.size()), FigureMode::Part::Fixed, 0, {}};
      for (const i64 size : choices) {
        if (size < tile[k]) ++mode.value;
        mode.values.push_back(fmt::format("{}", size));
      }
      figure_.modes.push_back(std::move(mode));
    }
  }

  void addTile(const OperandTraffic& o, bool tabled) {
    addName(o.operand, o.name, tabled ? wide_ - kTileColumns[0].right - 80 : wide_);
    const bool known = o.asked && o.needed;
    const std::string texts[] = {o.tiles.empty() ? "" : bytesOr(o.tileBytes), bytesOr(o.asked), bytesOr(o.needed),
                                 known ? timesOf(*o.asked, *o.needed) : ""};
    addNumbers(kTileColumns, texts, known && *o.asked > *o.needed ? Role::Text : Role::Muted, tabled);
    for (const OperandTile& t : o.tiles)
      y_ = addParagraph(figure_, 0, y_, t.is ? textOf(t) : "no tile: " + t.why,
                        lineOf(wide_, t.is ? Face::Mono : Face::Sans));
    const std::string note = o.tiles.empty()
                                 ? o.why.empty() ? "read by a loop over the output: the tile has no influence" : o.why
                             : o.inSectors ? ""
                             : o.asked     ? "in whole elements: " + o.why
                                           : o.why;
    if (!note.empty()) y_ = addParagraph(figure_, 0, y_, note, lineOf(wide_, Face::Sans));
    y_ += 7;
  }

  // A tile in the middle, in the last two dimensions of each array.
  void addSketches(const xla::Shape& tiled) {
    Ints number, origin;
    for (std::size_t k = 0; k < traffic_.tile.size(); ++k) {
      number.push_back((traffic_.sizes[k] - 1) / std::max<i64>(1, traffic_.tile[k]) * 2 / 5);
      origin.push_back(number.back() * traffic_.tile[k]);
    }
    double x = 0, below = y_;
    const auto add = [&](const std::string& name, const Ints& sizes, const Ints& from, const Ints& size) {
      const double wide = std::max(kSketch, 60.0);
      if (x > 0 && x + wide > wide_) {
        x = 0;
        y_ = below + 8;
      }
      below = std::max(below, addSketch(x, name, sizes, from, size));
      x += wide + 26;
    };
    add("output", tiled.sizes(), origin, traffic_.tile);
    for (const OperandTraffic& o : traffic_.operands) {
      if (o.tiles.size() != 1 || !o.tiles[0].is || !o.tiles[0].offsets.params().empty()) continue;
      const OperandTile& t = o.tiles[0];
      if (t.offsets.indexDigits().size() != number.size() || !t.offsets.isReal(number)) continue;
      const int at = module_.at(kernel_.where).operands.at(static_cast<std::size_t>(o.operand));
      Ints size;
      for (std::size_t k = 0; k < t.sizes.size(); ++k) size.push_back((t.sizes[k] - 1) * t.strides[k] + 1);
      add("%" + o.name, module_.shapeOf(module_.computation(kernel_.where.computation).at(at)).sizes(),
          t.offsets.at(number), size);
    }
    y_ = below + 16;
  }

  // Returns the lower edge.
  double addSketch(double x, const std::string& name, const Ints& sizes, const Ints& from, const Ints& size) {
    const auto side = [](const Ints& of, std::size_t back, i64 otherwise) {
      return of.size() > back ? static_cast<double>(of[of.size() - 1 - back]) : static_cast<double>(otherwise);
    };
    const double rows = std::max(1.0, side(sizes, 1, 1)), cols = std::max(1.0, side(sizes, 0, 1));
    const double most = std::max(rows, cols);
    const double high = std::max(10.0, kSketch * rows / most), wide = std::max(10.0, kSketch * cols / most);
    addFitted(figure_, x, y_ + 6, kSketch, name, kSmallText, Face::Mono, Role::Muted);
    const double top = y_ + 18;
    const Rect all{x, top, wide, high};
    addBox(figure_, all, {Role::Panel}, {Role::Hairline}, 2);
    const double h = std::clamp(high * side(size, 1, 1) / rows, 2.0, high),
                 w = std::clamp(wide * side(size, 0, 1) / cols, 2.0, wide);
    addBox(figure_,
           {std::min(x + wide * side(from, 0, 0) / cols, x + wide - w),
            std::min(top + high * side(from, 1, 0) / rows, top + high - h), w, h},
           {Role::Accent}, {}, 1);
    return top + high;
  }

  void addTable() {
    const auto reads = readsThrough(module_, kernel_.where, 0);
    for (const OperandWaste& w : kernel_.operands) {
      const auto tile = std::ranges::find(traffic_.operands, w.operand, &OperandTraffic::operand);
      const bool known = w.asked && w.needed;
      std::vector<std::string> maps;
      if (reads)
        if (const auto reach = std::ranges::find(*reads, w.operand, &Reach::slot); reach != reads->end())
          maps = mapsOf(&*reach);
      const auto number = [](const std::optional<i64>& n) { return n ? fmt::format("{}", *n) : std::string(); };
      const int at = module_.at(kernel_.where).operands.at(static_cast<std::size_t>(w.operand));
      const bool isTiled = tile != traffic_.operands.end();
      figure_.table.push_back(
          {fmt::format("{}", w.operand), w.name,
           at < 0 ? "" : xla::print(module_.shapeOf(module_.computation(kernel_.where.computation).at(at))),
           soundText(w.soundness).word, fmt::format("{}", fmt::join(maps, "; ")), number(w.asked), number(w.needed),
           known ? timesOf(*w.asked, *w.needed) : "",
           w.warps.verdict == WarpVerdict::Unknown ? "" : fmt::format("{}", w.warps.sectors),
           std::string(nameOf(w.warps.verdict)),
           traffic_.tile.empty() && traffic_.tiles == 0 ? "" : sizesText(traffic_.tile),
           isTiled ? number(tile->tileBytes) : "", isTiled ? number(tile->asked) : "",
           isTiled && tile->asked && tile->needed ? timesOf(*tile->asked, *tile->needed) : ""});
    }
  }

  const Module& module_;
  const KernelWaste& kernel_;
  Plan plan_;
  double wide_;
  TileTraffic traffic_;
  Figure figure_;
  double y_ = 0;
};

// "[NAME] [tile 32x64]", the tile also as [32,64]; the last tile counts.
struct KernelWords {
  std::string name;
  std::optional<Ints> tile;
};
Result<KernelWords> kernelWords(const std::vector<std::string>& words, bool named) {
  const auto refuse = [&](const std::string& word) {
    return Diag{fmt::format("the kernel view does not understand \"{}\"", word),
                named ? "a kernel of the module, tile 32x64, or no further word" : "tile 32x64, or no further word",
                named ? "show NAME as kernel fusion.1 tile 32x64" : "show NAME.%fusion.1 as kernel tile 32x64"};
  };
  KernelWords read;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] != "tile") {
      if (!named || k > 0) return refuse(words[k]);
      read.name = words[k];
      continue;
    }
    if (k + 1 >= words.size()) return refuse("tile");
    Ints sizes;
    for (; k + 1 < words.size() && words[k + 1].find_first_not_of("0123456789x[],") == std::string::npos; ++k) {
      i64 size = 0;
      bool digits = false;
      for (const char c : words[k + 1] + "x") {
        if (c >= '0' && c <= '9') {
          size = std::min<i64>(size * 10 + (c - '0'), i64{1} << 40);
          digits = true;
        } else if (digits) {
          sizes.push_back(size);
          size = 0;
          digits = false;
        }
      }
    }
    if (sizes.empty()) return refuse(words[k + 1]);
    read.tile = std::move(sizes);
  }
  return read;
}

Result<Figure> drawKernelAt(const Part& part, const std::optional<Ints>& tile, const DrawOptions& options) {
  const Where where{part.computation, part.instruction};
  const auto ranking = keptRanking(part.module());
  const auto ranked = std::ranges::find(ranking->kernels, where, &KernelWaste::where);
  std::optional<KernelWaste> alone;
  if (ranked == ranking->kernels.end()) {
    alone = wasteOf(part.module(), where);
    if (!alone)
      return Diag{fmt::format("%{} reads no memory as a kernel of its own", part.name()),
                  "a fusion or another kernel (show NAME as waste lists them)"};
  }
  const auto plan = planOf(part.module(), where, 0);
  KernelPage page(part, alone ? *alone : *ranked, plan ? *plan : Plan{.kind = Plan::Kind::Once},
                  widthFor(options, kPageBand));
  page.addHead(alone ? 0 : static_cast<std::size_t>(ranked - ranking->kernels.begin()) + 1, ranking->kernels.size());
  page.addReads();
  page.addWhy();
  TESSERA_CHECKED(page.addTiles(tile, options));
  return page.finish();
}

}  // namespace

Result<Figure> drawKernel(const Part& part, const DrawOptions& options) {
  TESSERA_TRY(const KernelWords words, kernelWords(options.arguments, /*named=*/false));
  if (part.isComputation())
    return Diag{fmt::format("%{} is a computation", part.name()), "a kernel: show NAME.%fusion.1 as kernel"};
  return drawKernelAt(part, words.tile, options);
}

Result<Figure> drawKernel(const Listing& listing, const DrawOptions& options) {
  TESSERA_TRY(const KernelWords words, kernelWords(options.arguments, /*named=*/true));
  if (!words.name.empty()) {
    const auto part = findPart(listing, words.name);
    if (!part) return noSuchPart(listing, words.name);
    return drawKernelAt(*part, words.tile, options);
  }
  const auto ranking = keptRanking(*listing.module);
  if (ranking->kernels.empty())
    return Diag{fmt::format("no instruction of {} reads memory", listing.name), "a module with a kernel"};
  const Where first = ranking->kernels.front().where;
  return drawKernelAt(Part{listing, first.computation, first.instruction}, words.tile, options);
}

}  // namespace tessera::hlo
