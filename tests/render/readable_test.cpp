// Pictures are readable: labels shorten before they disappear, distant pictures keep their pattern, heat marks
// conflicts.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "app/show/show.h"
#include "core/analysis/access/access.h"
#include "core/atlas/atlas.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/worksheet.h"
#include "render/figure/text_metrics.h"
#include "render/figure/thinned.h"
#include "render/ink/page.h"
#include "tests/support/value_of.h"

using namespace tessera;

namespace {

using Kind = LabelForm::Kind;

Figure figureOf(const std::string& text, std::string_view view, std::vector<std::string> words = {}) {
  DrawOptions options;
  options.arguments = std::move(words);
  auto f = draw(valueOf(text), view, options);
  INFO(text << " as " << view);
  REQUIRE(f.ok());
  return *std::move(f);
}

// Group (c xor r) mod 8: the pattern of a swizzle. Padding and heat where a test wants them.
class XorCells : public CellSource {
 public:
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell c;
    c.paint = paint(row, col);
    return c;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    return {Role::Group, static_cast<int>((row ^ col) & 7), 0, 0};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point, int) const override { return {}; }
};

}  // namespace

TEST_CASE("labels shorten before they vanish") {
  Grid g;
  g.labelChars = 3;
  g.secondChars = 2;
  g.lettered = true;
  const Cell cell{"T31", "V7", {}, {}, false};
  const auto shown = [&](double width, double height) {
    const LabelForm form = labelForm(g, width, height, 8);
    return std::pair(form.kind, labelText(cell, form.kind));
  };
  CHECK(shown(30, 30) == std::pair(Kind::TwoLines, std::string("T31")));
  CHECK(shown(40, 18) == std::pair(Kind::OneLine, std::string("T31 V7")));
  CHECK(shown(25, 18) == std::pair(Kind::Numbers, std::string("31.7")));
  CHECK(shown(18, 18) == std::pair(Kind::First, std::string("T31")));
  CHECK(shown(13, 16) == std::pair(Kind::FirstNumber, std::string("31")));
  CHECK(shown(8, 16).first == Kind::None);
}

TEST_CASE("what is written fits its cell, and is as much as can be read") {
  std::mt19937 random(7);
  const auto upTo = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  const Kind order[] = {Kind::TwoLines, Kind::OneLine, Kind::Numbers, Kind::First, Kind::FirstNumber};
  for (int k = 0; k < 5000; ++k) {
    Grid g;
    g.labelChars = 2 + upTo(6);
    g.secondChars = upTo(1) * (2 + upTo(4));
    g.lettered = upTo(1) == 1;
    const double width = 4 + upTo(80), height = 4 + upTo(50), least = 5 + upTo(3);
    const LabelForm form = labelForm(g, width, height, least);
    if (form.kind == Kind::None) continue;
    const Cell cell{"T" + std::string(static_cast<std::size_t>(g.labelChars - 1), '1'),
                    g.secondChars > 0 ? "V" + std::string(static_cast<std::size_t>(g.secondChars - 1), '2') : "",
                    {},
                    {},
                    false};
    INFO("seed 7, case " << k << ": " << width << " x " << height << ", kind " << static_cast<int>(form.kind));
    CHECK(form.size * (form.kind == Kind::TwoLines ? kSecondLine : 1) >= least * 0.998);
    CHECK(textWidth(labelText(cell, form.kind), Face::Mono, form.size) <= width);
    CHECK(form.size * (form.kind == Kind::TwoLines ? 2 : 1) * kCapHeight <= height);
    // No fuller form was passed over: where both lines are large enough it is one of the first two.
    if (fullLabelSize(g, width, height) >= least / kSecondLine && g.secondChars > 0)
      CHECK((form.kind == order[0] || form.kind == order[1]));
  }
}

TEST_CASE("a block of cells is shown in the colour of one of them, and an xor pattern stays one") {
  const XorCells cells;
  std::set<int> hues;
  for (i64 k = 0; k < 64; ++k) {
    const Paint p = thinned(cells, 8 * k, 5, 8, 1, 512, 64);
    CHECK(p.group == ((k % 8) ^ 5));  // as the rows 0, 1, 2 ... are from near
    hues.insert(p.group);
  }
  CHECK(hues.size() == 8);
  CHECK(blockSide(0.3) == 1);
  CHECK(blockSide(4) == 4);
  CHECK(blockSide(4.1) == 8);
  CHECK(thinned(cells, 8, 8, 8, 8, 9, 9).group == 0);  // cut off at the end: the one cell that is left
}

TEST_CASE("a large swizzle on paper has the palette's colours, not mixtures of them") {
  for (const char* text : {"Sw<3,3,3> o (4096,64):(64,1)", "Sw<3,4,3> o (2048,2048):(2048,1)"}) {
    const Page page = makePage(figureOf(text, "grid"), {});
    REQUIRE(page.grids.at(0).thinned());
    std::set<std::tuple<int, int, int>> palette, used;
    for (int g = 0; g < 8; ++g)
      for (int m = 0; m < 4; ++m) {
        const Rgba c = resolve({Role::Group, g, m, 0}, page.theme);
        palette.insert({c.r, c.g, c.b});
      }
    for (const Rgba& c : page.grids[0].fill) used.insert({c.r, c.g, c.b});
    INFO(text);
    CHECK(used.size() >= 8);
    for (const auto& c : used) CHECK(palette.count(c) == 1);
  }
}

TEST_CASE("heat is for conflicts: what is delivered at once is calm") {
  const auto heated = [](const Figure& f) {
    int hot = 0;
    for (const Grid& g : f.grids)
      for (i64 r = 0; r < g.rows; ++r)
        for (i64 c = 0; c < g.cols; ++c) hot += g.cells->paint(r, c).role == Role::Heat;
    return hot;
  };
  CHECK(heated(figureOf("Sw<3,3,3> o (64,64):(64,1)", "banks", {"fp16"})) == 0);
  CHECK(heated(figureOf("(64,64):(64,1)", "banks", {"fp16"})) == 16);  // four banks in each of four phases
}

TEST_CASE("a word of the bank picture names every lane that asks for it") {
  for (const char* access : {"ldmatrix.x4", "ld.shared", "st.shared.v4"}) {
    const Figure figure = figureOf("(64,64):(64,1)", "banks", {"fp16", access});
    const auto tile = tileOf(valueOf("(64,64):(64,1)"), 16);
    REQUIRE(tile.ok());
    const auto list = accesses(*tile, *parseAccess(access));
    REQUIRE(list.ok());
    const TileBankReport total = bankReport(*list);
    const WarpAccess& warp = total.worst ? total.worst->warp : list->front().warp;
    std::map<std::pair<i64, i64>, std::set<int>> lanes;  // (byte, bank) of the word -> lanes, of its first phase
    for (int p = 0; p < warp.phases.count; ++p)
      for (const BankLoad& load : bankLoads(warp, p))
        for (const auto& word : load.words)
          lanes.try_emplace({word.word * kBankBytes, load.bank}, word.lanes.begin(), word.lanes.end());
    const Grid& memory = figure.grids.at(1);
    std::size_t found = 0;
    for (i64 r = 0; r < memory.rows; ++r)
      for (i64 c = 0; c < memory.cols; ++c) {
        const auto fields = memory.cells->fields(r, c);  // byte, bank, phase, lanes
        if (fields.at(3).empty()) continue;
        std::set<int> said;
        for (std::size_t at = 0; at < fields[3].size();) {
          std::size_t used = 0;
          const int first = std::stoi(fields[3].substr(at), &used);
          at += used;
          int last = first;
          if (at < fields[3].size() && fields[3][at] == '-') {
            last = std::stoi(fields[3].substr(at + 1), &used);
            at += used + 1;
          }
          for (int lane = first; lane <= last; ++lane) said.insert(lane);
          ++at;  // the comma
        }
        CHECK(said == lanes.at({std::stoll(fields[0]), std::stoll(fields[1])}));
        CHECK(memory.cells->cell(r, c).label == "T" + fields[3]);
        ++found;
      }
    CHECK(found == lanes.size());
  }
}

TEST_CASE("captions are whole sentences") {
  for (const auto& [text, view] : {std::pair{"(64,64):(64,1)", "banks fp16"},
                                   {"(128,64):(64,1)", "banks fp16"},
                                   {"Sw<3,3,3> o (64,64):(64,1)", "grid"},
                                   {"atlas(mma.m16n8k16.f32.f16.f16.f32)", "instruction"},
                                   {"bf16[10,200]{1,0:T(8,128)(2,1)}", "tiles"},
                                   {"(4096,4096):(4096,1)", "memory"}}) {
    const std::string words = view;
    const std::size_t blank = words.find(' ');
    const Figure f = blank == std::string::npos ? figureOf(text, words)
                                                : figureOf(text, words.substr(0, blank), {words.substr(blank + 1)});
    INFO(f.caption);
    REQUIRE(!f.caption.empty());
    CHECK(f.caption.back() == '.');
    CHECK(f.caption.find("..") == std::string::npos);
    CHECK(f.caption.find("\u2026") == std::string::npos);
  }
}
