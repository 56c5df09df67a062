// The first sight of every picture: whole, with texts of at least nine pixels, none of them cut or over another.
//
// The pictures are every view of every value that the lessons and the list below have, in the column of a window of
// three sizes. The law is computed from what the scene writes, without pixels.
#include <chrono>
#include <fstream>
#include <set>

#include "app/engine/kernel/kernel_value.h"
#include "app/session/gallery.h"
#include "app/show/show.h"
#include "app/views/pictures/pane_view.h"
#include "core/worksheet/value.h"
#include "render/figure/text_metrics.h"
#include "render/gl/first_fit.h"
#include "render/gl/scene.h"
#include "tests/gui/app.h"
#include "tests/gui/move_program.h"

using namespace tessera;

namespace {

struct WindowSize {
  float width, height;
};
constexpr WindowSize kWindows[] = {{1280, 800}, {1920, 1080}, {2560, 1440}};

// The column of pictures of a window with one picture, as the window lays it out.
struct Column {
  double width = 0, room = 0, visible = 0;
};
Column columnOf(WindowSize size) {
  App app;
  ImGui::GetIO().DisplaySize = {size.width, size.height};
  app.session.document().reset("(4096,4096):(4096,1)");
  app.session.touch();
  app.settle();
  app.frame(5);
  const ui::Place p = ui::places().at("figure.0.picture");
  return {p.w, p.h, p.h};
}

// What a scene writes and fills.
class Seen final : public Painter {
 public:
  struct Text {
    std::string text;
    Rect rect;
    double size;
  };
  void rect(const Rect& r, Rgba fill, Rgba stroke, double, double) override {
    if (fill.a > 0 || stroke.a > 0) boxes.push_back(r);
  }
  void line(double, double, double, double, Rgba, double, bool) override {}
  void text(double x, double y, const std::string& s, Rgba, double size, Face face, Align align) override {
    const double w = textWidth(s, face, size);
    const double left = align == Align::Left ? x : align == Align::Center ? x - w / 2 : x - w;
    texts.push_back({s, {left, y - size * 0.37, w, size * 0.74}, size});
  }
  void hatch(const Rect&, Rgba) override {}
  void cells(const CellBlock& block) override { blocks.push_back(block); }
  std::vector<Text> texts;
  std::vector<Rect> boxes;
  std::vector<CellBlock> blocks;
};

std::string printed(const Rect& r) {
  return std::to_string(r.x) + "," + std::to_string(r.y) + " " + std::to_string(r.w) + "x" + std::to_string(r.h);
}

bool lies(const Rect& a, const Rect& in, double slack) {
  return a.x >= in.x - slack && a.y >= in.y - slack && a.x + a.w <= in.x + in.w + slack &&
         a.y + a.h <= in.y + in.h + slack;
}
bool touch(const Rect& a, const Rect& b, double slack) {
  return a.x < b.x + b.w - slack && b.x < a.x + a.w - slack && a.y < b.y + b.h - slack && b.y < a.y + a.h - slack;
}

// The first violation of the law in a pane, or "".
std::string violation(const Figure& figure, const FirstFit& fit, double width, double unit, bool labels = false) {
  Seen seen;
  View view;
  view.scale = fit.scale;
  view.x = fit.x;
  view.y = fit.y;
  view.minLabel = 22 * unit;
  view.minBorder = 5 * unit;
  view.clip = {0, 0, width, fit.height};
  const Omitted omitted = paintScene(figure, view, Theme::Dark, {}, seen);
  if (labels && omitted.labels) return "labels are omitted";
  const Rect pane = view.clip;
  // The grid of a text view is not drawn: it only says where the mouse is.
  std::erase_if(seen.blocks, [](const CellBlock& b) { return b.grid->cells->paint(0, 0).role == Role::None; });
  for (const auto& t : seen.texts) {
    if (t.size < kLeastText * unit * 0.99) return "too small: " + t.text + " has " + std::to_string(t.size);
    if (!fit.cut && !lies(t.rect, pane, 1)) return "outside: " + t.text + " at " + printed(t.rect);
    for (const CellBlock& b : seen.blocks)
      if (touch(t.rect, b.where, 1) && !lies(t.rect, b.where, 1)) return "over the edge of cells: " + t.text;
  }
  if (!fit.cut) {
    std::size_t grids = 0;
    for (const Grid& g : figure.grids)
      grids += g.cells && g.rows > 0 && g.cols > 0 && g.cells->paint(0, 0).role != Role::None;
    if (seen.blocks.size() != grids) return "a grid is not in sight";
    for (const CellBlock& b : seen.blocks) {
      if (b.row0 > 0 || b.col0 > 0 || b.row1 < b.grid->rows || b.col1 < b.grid->cols) return "cut: " + b.grid->name;
      if (!lies(b.where, pane, 1)) return "outside: " + b.grid->name;
    }
    for (const Rect& r : seen.boxes)
      if (!lies(r, pane, 2)) return "a box is outside: " + printed(r);
  }
  std::vector<const Seen::Text*> byTop;
  for (const auto& t : seen.texts) byTop.push_back(&t);
  std::sort(byTop.begin(), byTop.end(), [](auto* a, auto* b) { return a->rect.y < b->rect.y; });
  for (std::size_t i = 0; i < byTop.size(); ++i)
    for (std::size_t j = i + 1; j < byTop.size(); ++j) {
      const Rect &a = byTop[i]->rect, &b = byTop[j]->rect;
      if (b.y >= a.y + a.h - 0.7) break;
      // A lit cell is painted again, with its label.
      if (byTop[i]->text == byTop[j]->text && lies(a, b, 0.5) && lies(b, a, 0.5)) continue;
      if (a.x < b.x + b.w - 1 && b.x < a.x + a.w - 1) return byTop[i]->text + " is over " + byTop[j]->text;
    }
  return "";
}

struct Picture {
  std::string of, view;
  Figure figure;
};

// Values whose pictures are known to be hard.
constexpr const char* kMore =
    R"(
show wgmma.m64n64k16.f16
show make_tiled_mma(mma.m16n8k16.f16, (2,2,1))
show make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))
show (4,8,3):(24,3,1)
show (4,8,3,2):(24,3,1,96)
show (32,32):(32,1)
show (4096,64):(64,1)
show f32[3,5]{1,0:T(2,2)}
show bf16[10,200]{1,0:T(8,128)(2,1)}
show chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A)
show f32[3,5,4]{2,1,0} as tensor
show f32[3,5,4,2]{3,2,1,0} as tensor
hlo big {
ENTRY %main (p: f32[1024,2048], q: f32[64,2048]) -> f32[1024,64] {
  %p = f32[1024,2048]{1,0} parameter(0)
  %q = f32[64,2048]{1,0} parameter(1)
  ROOT %dot = f32[1024,64]{1,0} dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
}
show big.%dot as reads
hlo odd {
ENTRY %main (p: f32[1024,2048]) -> f32[512,3] {
  %p = f32[1024,2048]{1,0} parameter(0)
  ROOT %s = f32[512,3]{1,0} slice(%p), slice={[0:1024:2],[0:6:2]}
}
}
show odd.%s as reads
graphene rows {
%a:[32,32].fp32.GL %b:[32,32].fp32.GL #g:[1].block #t:[32,32].thread
%b <- Move<<<#g,#t>>>(%a) {
(@i, @j) = #t.indices()
%x = %a[@i, @j] %y = %b[@i, @j]
%y <- Move(%x)
}
}
show rows as player
show rows as tree
show %d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]
K = kernel ")" TESSERA_SOURCE_DIR
    R"(/assets/kernels/copy.ptx" entry transpose_tile grid (2,2) block (32,32) args (f32[64,64], out=f32[64,64], 64)
show K as source
show K as player
show shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)
)";

// Every view of every value of a sheet, and the pictures of its lines.
void addPictures(const std::string& name, const std::string& text, double width, std::vector<Picture>& all,
                 std::set<std::string>& had) {
  Scope scope;
  EngineOptions options;
  options.prove.budgetSeconds = 0.5;
  options.figures = EngineOptions::Figures::Bare;
  for (const Statement& s : splitStatements(text)) {
    if (s.kind == StatementKind::Run) continue;
    const Outcome o = runStatement(s, scope, options);
    const std::string of = name + ": " + s.text.substr(0, 60);
    if (o.figure && had.insert(s.text).second) all.push_back({of, "", *o.figure});
    const Value* value = o.show ? o.show->value.get() : o.value.get();
    if (value == nullptr || o.diag) continue;
    for (const std::string_view view : viewsFor(*value)) {
      if (!had.insert(textOf(*value) + " as " + std::string(view)).second) continue;
      DrawOptions how;
      how.name = titleOf(o).substr(0, 40);
      how.width = panes::reflows(view) ? width : 0;
      if (view == "banks") how.arguments = {"f16"};
      if (auto figure = draw(*value, view, how)) all.push_back({of, std::string(view), *std::move(figure)});
    }
  }
}

// As the window draws them in a pane of that width, in points; 0: a wide one.
std::vector<Picture> pictures(double width) {
  addKernels();
  std::vector<Picture> list;
  std::set<std::string> had;
  addPictures("list", kMore, width, list, had);
  for (const auto& lesson : gallery()) {
    std::ifstream in(lesson.path);
    addPictures(lesson.path.substr(lesson.path.rfind('/') + 1), std::string(std::istreambuf_iterator<char>(in), {}),
                width, list, had);
  }
  return list;
}

}  // namespace

TEST_CASE("the list of pictures has every view") {
  std::set<std::string> seen;
  const std::vector<Picture> all = pictures(0);
  for (const Picture& p : all) seen.insert(p.view);
  for (const ViewInfo& v : views()) {
    if (v.name == "verdict" || v.name == "search") continue;  // pictures of lines
    INFO(v.name);
    CHECK(seen.count(std::string(v.name)) == 1);
  }
  CHECK(all.size() > 300);
}

TEST_CASE("the first sight of a picture is whole and readable, in windows of three sizes") {
  for (const WindowSize size : kWindows) {
    const Column column = columnOf(size);
    int cuts = 0;
    const std::vector<Picture> all = pictures(column.width < 880 ? std::floor(column.width / 40) * 40 : 0);
    for (const Picture& p : all) {
      INFO(p.of << " as " << p.view << " in " << size.width << " x " << size.height << ", column " << column.width
                << " x " << column.room);
      const FirstFit first = firstFit(p.figure, column.width, column.room, 1, true);
      CHECK(violation(p.figure, first, column.width, 1) == "");
      cuts += first.cut;
      const Rect e = wantedExtent(p.figure);
      CHECK((!first.cut || p.figure.legible || e.h / e.w > 2));  // only texts and threads
      const FirstFit whole = wholeFit(p.figure, column.width, column.visible, 1);
      CHECK_FALSE(whole.cut);
      CHECK(whole.height <= column.visible);
      CHECK(violation(p.figure, whole, column.width, 1) == "");
    }
    CHECK(cuts < static_cast<int>(all.size()) / 5);
  }
}

namespace {

std::string withProgram(const std::string& name, const std::string& file, const std::string& words) {
  std::ifstream in(TESSERA_SOURCE_DIR "/assets/graphene/" + file);
  const std::string program(std::istreambuf_iterator<char>(in), {});
  return "graphene " + name + " {\n" + program + "}\nshow " + name + " as player, " + words + "\n";
}

}  // namespace

TEST_CASE("the player has labels at first sight, whatever the tensors' sizes, in windows of three sizes") {
  std::vector<std::string> sheets = {kMore};
  for (const char* words : {"step 0", "step 20, thread 37", "step 40, thread 37", "step 60"})
    sheets.push_back(withProgram("gemm", "gemm_warps_64.graphene", words));
  for (const char* words : {"step 300, thread 40", "step 700"})
    sheets.push_back("K = kernel \"" TESSERA_SOURCE_DIR
                     "/assets/kernels/copy.ptx\" entry transpose_tile grid (2,2) block (32,32) args (f32[64,64], "
                     "out=f32[64,64], 64)\nshow K as player, " +
                     std::string(words) + "\n");
  for (const char* words : {"step 0, thread 100", "step 1", "step 1, addresses", "step 2, thread 37"})
    sheets.push_back(withProgram("swizzled", "transpose_swizzled.graphene", words));
  sheets.push_back(moveProgram() + "show move as player, thread 5\n");  // with conflicts
  sheets.push_back(withProgram("padded", "transpose_padded.graphene", "step 2, addresses"));
  sheets.push_back(withProgram("attention", "attention.graphene", "step 30, thread 5"));
  addKernels();
  for (const WindowSize size : kWindows) {
    const Column column = columnOf(size);
    int players = 0;
    for (const std::string& text : sheets) {
      Scope scope;
      for (const Statement& s : splitStatements(text)) {
        const Outcome o = runStatement(s, scope, {});
        if (!o.show || o.show->view != "player") continue;
        INFO(s.text << " in " << size.width << " x " << size.height << ", column " << column.width);
        DrawOptions how;
        how.arguments = o.show->arguments;
        how.width = std::floor(column.width / 40) * 40;
        const auto figure = draw(*o.show->value, "player", how);
        if (!figure) FAIL(figure.error().message);
        const FirstFit fit = firstFit(*figure, column.width, column.room, 1, true);
        INFO("scale " << fit.scale << ", readable " << readableScale(*figure, 1) << ", size " << figure->width << " x "
                      << figure->height);
        CHECK_FALSE(fit.cut);
        CHECK(violation(*figure, fit, column.width, 1, /*labels=*/true) == "");
        CHECK(fit.height <= 3 * column.room);
        ++players;
      }
    }
    CHECK(players == 15);
  }
}
