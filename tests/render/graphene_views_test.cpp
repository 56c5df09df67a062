// Pictures of Graphene programs: every cell agrees with addressOf and shows the thread that touches it, find is the
// inverse of cell, links lead from threads to the elements they touch and from reads to writes, and unsuitable values
// are refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "core/graphene/steps.h"
#include "core/notation/graphene/operations.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/graphene/thread_grid.h"
#include "render/draw/links.h"
#include "render/figure/linked.h"
#include "render/ink/ink.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Words = std::vector<std::string>;

Listing listingOf(const std::string& text) {
  auto listing = readListing("p", text);
  INFO(text << (listing ? "" : "\n" + listing.error().message));
  REQUIRE(listing.ok());
  return *std::move(listing);
}
std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
Listing fileOf(const std::string& name) {
  for (const char* folder : {"/assets/graphene/", "/tests/cases/graphene/"}) {
    const std::string path = TESSERA_SOURCE_DIR + std::string(folder) + name + ".graphene";
    if (std::filesystem::exists(path)) return listingOf(textOf(path));
  }
  FAIL(name);
  return {};
}

DrawOptions withWords(const Words& words) {
  DrawOptions options;
  options.arguments = words;
  return options;
}
Figure drawn(Result<Figure> (*view)(const Listing&, const DrawOptions&), const Listing& listing, const Words& words) {
  auto figure = view(listing, withWords(words));
  INFO((figure ? "" : figure.error().message));
  REQUIRE(figure.ok());
  return *std::move(figure);
}
Diag refusal(Result<Figure> (*view)(const Listing&, const DrawOptions&), const Listing& listing, const Words& words) {
  const auto figure = view(listing, withWords(words));
  REQUIRE_FALSE(figure.ok());
  return figure.error();
}

const Grid& gridOf(const Figure& figure, const std::string& name) {
  for (const Grid& g : figure.grids)
    if (g.name == name) return g;
  FAIL("no grid " << name);
  return figure.grids.front();
}

std::vector<i64> numbersOf(const std::string& text) {
  std::vector<i64> out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (std::isdigit(static_cast<unsigned char>(text[k])) == 0) continue;
    std::size_t used = 0;
    out.push_back(std::stoll(text.substr(k), &used));
    k += used;
  }
  return out;
}

// Every cell's point is found where the cell is, and nowhere else.
void checkFind(const Grid& grid) {
  if (grid.rows * grid.cols > 20'000) return;
  for (i64 r = 0; r < grid.rows; ++r) {
    for (i64 c = 0; c < grid.cols; ++c) {
      const Cell cell = grid.cells->cell(r, c);
      CHECK(cell.paint == grid.cells->paint(r, c));
      if (!cell.point.real()) continue;
      const auto found = grid.cells->find(cell.point, 1 << 20);
      CHECK(std::find(found.begin(), found.end(), std::pair{r, c}) != found.end());
      for (const auto& [fr, fc] : found) CHECK(grid.cells->cell(fr, fc).point == cell.point);
    }
  }
}

// The cells that light in `grid` when `origin` is pointed at.
std::set<std::pair<i64, i64>> litIn(const Figure& figure, const Grid& grid, const std::vector<Point>& origin,
                                    const std::string& from) {
  const Linked linked({origin, &figure, from}, {&figure});
  std::set<std::pair<i64, i64>> out;
  for (const Point& p : linked.in(figure, grid))
    for (const auto& cell : grid.cells->find(p, 1 << 20)) out.insert(cell);
  return out;
}

std::vector<std::filesystem::path> allFiles() {
  std::vector<std::filesystem::path> out;
  for (const char* folder : {"/assets/graphene", "/tests/cases/graphene"})
    for (const auto& e : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR + std::string(folder)))
      if (e.path().extension() == ".graphene") out.push_back(e.path());
  return out;
}

}  // namespace

TEST_CASE("every cell of memory is the element at its coordinate, at the address that addressOf gives") {
  for (const char* name : {"ldmatrix_move", "transpose_padded", "transpose_swizzled", "vector_load"}) {
    const Listing listing = fileOf(name);
    const auto steps = Steps::of(listing.program);
    REQUIRE(steps.ok());
    const Figure figure = drawn(drawPlayer, listing, {"step", "0"});
    for (const Grid& grid : figure.grids) {
      const auto named = steps->tree().named.find(grid.name);
      if (named == steps->tree().named.end()) continue;
      const Tensor& root = *steps->tree().roots[static_cast<std::size_t>(named->second)].tensor;
      for (i64 r = 0; r < grid.rows && root.memory != Memory::Register; ++r) {
        for (i64 c = 0; c < grid.cols; ++c) {
          const auto fields = grid.cells->fields(r, c);
          std::vector<Coordinate> at;
          for (const i64 k : numbersOf(fields[0])) at.push_back({Expr::constant(k)});
          if (at.size() != root.extents.size()) continue;
          const auto address = addressOf(root, {at});
          REQUIRE(address.ok());
          CHECK(fields[1] == fmt::format("{}", address->value()));
        }
      }
    }
  }
}

TEST_CASE("a picture outlives the program that it was drawn of") {
  for (const auto view : {drawPlayer, drawSpec}) {
    std::optional<Listing> listing = fileOf("transpose_padded");
    const Figure figure = drawn(view, *listing, {});
    std::vector<std::vector<std::string>> before, after;
    const auto read = [&](std::vector<std::vector<std::string>>& into) {
      for (const Grid& g : figure.grids)
        for (i64 r = 0; r < g.rows; ++r)
          for (i64 c = 0; c < g.cols; ++c) {
            into.push_back(g.cells->fields(r, c));
            into.back().push_back(g.cells->cell(r, c).label);
          }
    };
    read(before);
    listing.reset();
    (void)fileOf("gemm_simple");  // what was the program's is somebody else's now
    read(after);
    CHECK(before == after);
  }
}

TEST_CASE("find is the inverse of cell in every grid of every view of every program") {
  for (const auto& path : allFiles()) {
    INFO(path.filename());
    const Listing listing = listingOf(textOf(path));
    for (auto* view : {drawSpec, drawPlayer}) {
      const auto figure = view(listing, {});
      if (!figure) continue;  // symbolic sizes
      for (const Grid& grid : figure->grids) checkFind(grid);
    }
  }
}

TEST_CASE("figure 1: who hands over which row, and which register receives which element") {
  const Listing listing = fileOf("ldmatrix_move");
  const Figure figure = drawn(drawPlayer, listing, {"step", "0", "thread", "5"});
  const Grid &threads = gridOf(figure, "threads"), &src = gridOf(figure, "%src"), &dst = gridOf(figure, "%dst");
  // PTX: row r, elements 2c and 2c + 1 of matrix m go to thread 4r + c, register m; the rows of matrix m come from
  // threads 8m .. 8m + 7. The matrices are row-major: m = 2 * (row / 8) + column / 8.
  for (i64 r = 0; r < 16; ++r) {
    for (i64 c = 0; c < 16; ++c) {
      const i64 m = r / 8 * 2 + c / 8, supplier = 8 * m + r % 8, receiver = 4 * (r % 8) + c % 8 / 2;
      const i64 reg = 2 * m + c % 2;
      CHECK(src.cells->cell(r, c).label == fmt::format("T{}", supplier));
      CHECK(dst.cells->cell(receiver, reg).label == fmt::format("({},{})", r, c));
      CHECK(src.cells->cell(r, c).lit == (supplier == 5));
      // Pointed at, the element lights the register that it goes to, and nothing else there; and its supplier.
      const std::vector<Point> at = {src.cells->cell(r, c).point};
      CHECK(litIn(figure, dst, at, "%src") == std::set<std::pair<i64, i64>>{{receiver, reg}});
      CHECK(litIn(figure, threads, at, "%src") == std::set<std::pair<i64, i64>>{{supplier / 8, supplier % 8}});
    }
  }
  // A thread lights the eight elements of its row and its eight registers.
  std::set<std::pair<i64, i64>> row, registers;
  for (i64 k = 0; k < 8; ++k) {
    row.emplace(5, k);
    registers.emplace(5, k);
  }
  CHECK(litIn(figure, src, {threadPoint(5)}, "threads") == row);
  CHECK(litIn(figure, dst, {threadPoint(5)}, "threads") == registers);
}

TEST_CASE("touches are the slots of every enabled thread, and moves the atom's terms") {
  for (const char* name : {"quad_pairs", "warp_sum", "transpose_padded"}) {
    const Listing listing = fileOf(name);
    const auto steps = Steps::of(listing.program);
    REQUIRE(steps.ok());
    for (i64 n = 0; n < std::min<i64>(steps->count(), 12); ++n) {
      const Moment m = momentOf(*steps, n, 0, 0);
      if (m.row == nullptr) continue;
      std::set<std::tuple<std::size_t, i64, std::size_t, i64>> slow, fast;
      for (i64 t = 0; t < m.threads; ++t) {
        const std::vector<i64> values = steps->values(m.step, 0, t);
        if (!steps->enabled(m.step, values)) continue;
        for (std::size_t o = 0; o < m.row->roots.size(); ++o) {
          const auto slots = steps->slots(m.step, o);
          REQUIRE(slots.ok());
          const auto addresses = slots->addresses(values);
          for (std::size_t k = 0; k < addresses.size(); ++k) slow.emplace(o, t, k, addresses[k]);
        }
      }
      for (const Touch& t : m.touches) fast.emplace(t.operand, t.thread, t.slot, t.at.address);
      INFO(name << " step " << n);
      CHECK(slow == fast);
      REQUIRE(m.row->atom.has_value());
      std::size_t terms = 0;
      for (const auto& of : m.row->atom->terms) terms += of.size() * m.row->spec->inputs.size();
      CHECK(m.moves.size() == terms * m.groups.size());
      for (const auto& [from, to] : m.moves) {
        CHECK_FALSE(m.touches[from].write);
        CHECK(m.touches[to].write);
      }
    }
  }
}

TEST_CASE("a thread tensor stands as its levels say") {
  const auto tensor = parseTensor("#g:[2,2:16,8].[8:1].thread");
  REQUIRE(tensor.ok());
  const auto grid = threadGrid(*tensor, {}, 32, {}, -1);
  REQUIRE(grid.ok());
  REQUIRE(grid->rows == 2);
  REQUIRE(grid->cols == 16);
  for (i64 m = 0; m < 2; ++m)
    for (i64 n = 0; n < 2; ++n)
      for (i64 i = 0; i < 8; ++i)
        CHECK(grid->cells->cell(m, 8 * n + i).label == fmt::format("T{}", 16 * m + 8 * n + i));
  const auto warp = parseTensor("#w:[2,4:128,32].[32:1].thread");  // a warp is four rows of eight
  REQUIRE(warp.ok());
  const auto warps = threadGrid(*warp, {}, 256, {}, -1);
  REQUIRE(warps.ok());
  CHECK(warps->rows == 8);
  CHECK(warps->cols == 32);
  for (i64 t = 0; t < 256; ++t)
    CHECK(warps->cells->cell(t / 128 * 4 + t % 32 / 8, t / 32 % 4 * 8 + t % 8).label == fmt::format("T{}", t));
  const auto quads = parseTensor("#q:[4:4].[(4,2):(1,16)].thread");
  REQUIRE(quads.ok());
  const auto pairs = threadGrid(*quads, {}, 32, {}, -1);
  REQUIRE(pairs.ok());
  CHECK(pairs->cells->cell(0, 4).label == "T16");
  CHECK(pairs->cells->cell(0, 8).label == "T4");
  checkFind(*pairs);
}

TEST_CASE("what the accesses cost: a column at pitch 32 is 32 wavefronts a warp, at pitch 33 one") {
  const auto has = [](const Figure& f, const std::string& text) {
    return std::any_of(f.badges.begin(), f.badges.end(), [&](const FigureBadge& b) { return b.text == text; });
  };
  CHECK(has(drawn(drawPlayer, fileOf("transpose_padded"), {"step", "2"}), "32 wavefronts, no bank conflict"));
  CHECK(has(drawn(drawPlayer, fileOf("w5"), {"step", "2"}), "1024 wavefronts, 32 would do"));
  CHECK(has(drawn(drawPlayer, fileOf("ldmatrix_move"), {}), "8 wavefronts, 4 would do"));
}

TEST_CASE("memory over time: nothing is there before, the barrier shows what was written") {
  const Listing listing = fileOf("transpose_padded");
  const Grid before = gridOf(drawn(drawPlayer, listing, {"step", "0"}), "%s");
  const Grid after = gridOf(drawn(drawPlayer, listing, {"step", "1"}), "%s");
  CHECK(before.cells->cell(3, 4).paint.role == Role::Group);  // being written
  CHECK(after.cells->cell(3, 4).paint.role == Role::Shade);   // was
  CHECK(gridOf(drawn(drawPlayer, listing, {"step", "2"}), "%out").cells->cell(0, 0).paint.role == Role::Group);
}

TEST_CASE("where barriers count arrivals the order of the steps is the text's, and that is said") {
  const Figure figure = drawn(drawPlayer, fileOf("hopper/gemm_wgmma_tma"), {"step", "96"});
  CHECK(figure.caption.find("Steps follow the text; with barriers, threads may run in another order.") !=
        std::string::npos);
  const Figure ordinary = drawn(drawPlayer, fileOf("transpose_padded"), {"step", "2"});
  CHECK(ordinary.caption.find("order of the text") == std::string::npos);
}

TEST_CASE("words that do not fit are refused with what would") {
  const Listing listing = fileOf("ldmatrix_move");
  CHECK(refusal(drawPlayer, listing, {"step", "1"}).message == "there is no step 1");
  CHECK(refusal(drawPlayer, listing, {"thread", "32"}).expected == "0 to 31");
  CHECK(refusal(drawPlayer, listing, {"stop", "1"}).message == "the player view knows no \"stop\"");
  CHECK(refusal(drawPlayer, listing, {"step"}).message == "step needs a number");
  CHECK(refusal(drawSpec, listing, {"2"}).message == "there is no spec 2");
  CHECK(refusal(drawPlayer,
                listingOf("%a:[N].fp32.GL %b:[N].fp32.GL #g:[1].block #t:[32].thread\n"
                          "%b <- Move<<<#g,#t>>>(%a) { sync }"),
                {})
            .message == "the size N is not known");
  CHECK(drawn(drawPlayer,
              listingOf("%a:[N].fp32.GL %b:[N].fp32.GL #g:[1].block #t:[32].thread\n"
                        "%b <- Move<<<#g,#t>>>(%a) { @x = #t.indices() %c = %a[@x] %d = %b[@x] %d <- Move(%c) }"),
              {"N", "32"})
            .grids.size() == 3);
  CHECK(refusal(drawPlayer, listingOf("%a:[4].fp32.GL"), {}).message ==
        "p has no steps: it has no leaf and no barrier");
}

TEST_CASE("the tree names every specification, its line and its instruction; signs where something is known") {
  const Listing listing = fileOf("ldmatrix_move");
  const auto plain = drawTree(listing, {}, {});
  REQUIRE(plain.ok());
  REQUIRE(plain->table.size() == 3);
  CHECK(plain->table[2][2] == "ldmatrix.x4");
  Marks marks;
  const SpecTree tree = specTree(*listing.program);
  for (const SpecRow& row : tree.rows) {
    SpecMarks one;
    one.span = row.span;
    for (Checked& c : one.obligations) c = {Checked::State::Proved, "running", "", {}};
    marks.specs.push_back(one);
  }
  const auto marked = drawTree(listing, marks, {});
  REQUIRE(marked.ok());
  CHECK(marked->marks.size() > plain->marks.size() + 2 * 8 * 2);
  // Readable in the column of a small window.
  CHECK(marked->width <= 502);
  for (const Mark& m : marked->marks)
    if (m.kind == Mark::Kind::Text) CHECK(m.size >= 10);
}

TEST_CASE("an entry of the tree folds: its parts are hidden, and its door opens it again") {
  for (const auto& path : allFiles()) {
    INFO(path.filename());
    const Listing listing = listingOf(textOf(path));
    const SpecTree tree = specTree(*listing.program);
    const auto texts = [](const Figure& f) {
      return std::ranges::count_if(f.marks, [](const Mark& m) { return m.kind == Mark::Kind::Text; });
    };
    const auto all = drawTree(listing, {}, {});
    REQUIRE(all.ok());
    for (std::size_t k = 0; k < tree.rows.size(); ++k) {
      const auto below = std::ranges::count(tree.rows, static_cast<int>(k), &SpecRow::parent);
      const auto folded = drawTree(listing, {}, withWords({"fold", fmt::format("{}", k)}));
      CHECK(folded.ok() == (below > 0));
      if (!folded.ok() || tree.rows.size() > 40) continue;
      CHECK(texts(*folded) < texts(*all));
      CHECK(folded->table == all->table);  // what is written to a file is complete
      const auto door = std::ranges::find_if(folded->doors, [&](const FigureDoor& d) {
        return d.words.size() >= 2 && d.words[d.words.size() - 2] == "open";
      });
      REQUIRE(door != folded->doors.end());
      const auto open = drawTree(listing, {}, withWords(door->words));
      REQUIRE(open.ok());
      CHECK(texts(*open) == texts(*all));
    }
  }
  const Listing listing = fileOf("ldmatrix_move");
  const auto tree = [](const Listing& l, const DrawOptions& o) { return drawTree(l, {}, o); };
  CHECK(refusal(tree, listing, {"hide", "0"}).message == "the tree view knows no \"hide\"");
  CHECK(refusal(tree, listing, {"fold", "1"}).message == "fold needs the number of an entry that has parts");
  CHECK(refusal(tree, listing, {"fold"}).expected == "one of 0");
}

TEST_CASE("the checklist is filtered by state") {
  const Listing listing = fileOf("ldmatrix_move");
  const SpecTree tree = specTree(*listing.program);
  Marks marks;
  for (std::size_t k = 0; k < tree.rows.size(); ++k) {
    SpecMarks one;
    one.span = tree.rows[k].span;
    for (Checked& c : one.obligations) c = {Checked::State::Proved, "running", "", {}};
    if (k == 0) one.obligations[5] = {Checked::State::Unknown, "z3", "too large", {}};
    marks.specs.push_back(one);
  }
  for (const double width : {0.0, 520.0}) {
    const auto drawnAs = [&](std::vector<std::string> words) {
      DrawOptions options = withWords(std::move(words));
      options.width = width;
      auto figure = drawChecklist(listing, marks, options);
      REQUIRE(figure.ok());
      return *std::move(figure);
    };
    CHECK(gridOf(drawnAs({}), "obligations").rows == 2);
    CHECK(gridOf(drawnAs({"proved"}), "obligations").rows == 2);
    const Figure unknown = drawnAs({"unknown"});
    CHECK(gridOf(unknown, "obligations").rows == 1);
    CHECK(unknown.table.size() == 2);  // head, and the one obligation
    CHECK(drawnAs({"refuted"}).grids.empty());
    CHECK(drawnAs({"refuted", "all"}).grids.size() == 1);
    if (width > 0) CHECK(drawnAs({}).width <= width);
  }
  const auto list = [&](const Listing& l, const DrawOptions& o) { return drawChecklist(l, marks, o); };
  const auto wrong = list(listing, withWords({"red"}));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message == "the checklist view knows no \"red\"");
}

TEST_CASE("a finding stands for its element: picked in the checklist it lights in the tile pictures") {
  const Listing listing = fileOf("w4");
  const SpecTree tree = specTree(*listing.program);
  Marks marks;
  SpecMarks kernel;
  kernel.span = tree.rows[0].span;
  Finding race;
  race.obligation = Obligation::Races;
  race.tensor = "%s";
  race.coordinate = {1, 0};
  race.address = 33;
  race.instances = {{{}, 0, 1, {}}, {{}, 0, 32, {}}};
  race.message = "thread 1 reads what thread 32 writes";
  kernel.obligations[5] = {Checked::State::Refuted, "running", "", race};
  kernel.obligations[0] = {Checked::State::Proved, "static", "", {}};
  marks.specs.push_back(kernel);
  const auto list = drawChecklist(listing, marks, {});
  REQUIRE(list.ok());
  const Grid& grid = gridOf(*list, "obligations");
  CHECK(grid.rows == static_cast<i64>(tree.rows.size()));
  const Cell cell = grid.cells->cell(0, 5);
  REQUIRE(cell.point.real());
  CHECK_FALSE(grid.cells->cell(0, 0).point.real());
  checkFind(grid);
  const Figure spec = drawn(drawPlayer, listing, {"step", "0"});
  const Grid& s = gridOf(spec, "%s");
  CHECK(s.cells->find(cell.point, 8) == std::vector<std::pair<i64, i64>>{{1, 0}});
  CHECK(list->lit == std::vector<Point>{cell.point});
  const auto text = ink(*list, "csv", {});
  REQUIRE(text.ok());
  CHECK(text->find("refuted") != std::string::npos);
}

TEST_CASE("every program is drawn in every view at every kind of step, in every ink") {
  for (const auto& path : allFiles()) {
    INFO(path.filename());
    const Listing listing = listingOf(textOf(path));
    const auto tree = drawTree(listing, {}, {});
    REQUIRE(tree.ok());
    REQUIRE(drawChecklist(listing, {}, {}).ok());
    const auto steps = Steps::of(listing.program);
    if (!steps) continue;
    const auto rows = static_cast<i64>(steps->tree().rows.size());
    for (i64 k = 0; k < rows; ++k) {
      const auto figure = drawSpec(listing, withWords({fmt::format("{}", k)}));
      if (steps->firstOf(static_cast<int>(k)) >= 0) REQUIRE(figure.ok());
    }
    for (const i64 n : {i64{0}, std::min<i64>(1, steps->count() - 1), steps->count() / 2, steps->count() - 1}) {
      const auto figure = drawPlayer(listing, withWords({fmt::format("{}", n)}));
      INFO("step " << n << (figure ? "" : figure.error().message));
      REQUIRE(figure.ok());
      CHECK(figure->width < 4000);
      for (const char* format : {"svg", "txt"}) CHECK(ink(*figure, format, {}).ok());
    }
  }
}

TEST_CASE("in a pane, the part of a large tensor has the thread's cell and the cells of the map") {
  struct Case {
    const char *file, *step;
    i64 thread;
  };
  const Case cases[] = {{"transpose_padded", "0", 0}, {"transpose_padded", "0", 137}, {"transpose_padded", "2", 201},
                        {"gemm_warps_64", "0", 37},   {"gemm_warps_64", "20", 37},    {"gemm_warps_64", "20", 127},
                        {"gemm_warps_64", "40", 5},   {"gemm_pipelined", "30", 70}};
  int parts = 0;
  for (const Case& c : cases) {
    for (const double width : {520.0, 1160.0}) {
      for (const bool addresses : {false, true}) {
        DrawOptions options = withWords({"step", c.step, "thread", std::to_string(c.thread)});
        if (addresses) options.arguments.emplace_back("addresses");
        options.width = width;
        const auto drawnPicture = drawPlayer(fileOf(c.file), options);
        INFO(c.file << " step " << c.step << " thread " << c.thread << " width " << width);
        REQUIRE(drawnPicture);
        const Figure& figure = *drawnPicture;
        for (const Grid& part : figure.grids) {
          // A tensor that is read and written has two maps and two parts.
          const std::size_t word = part.name.find(" part");
          if (word == std::string::npos) continue;
          const std::string name = part.name.substr(0, word) + part.name.substr(word + 5);
          if (std::ranges::find(figure.grids, name, &Grid::name) == figure.grids.end()) continue;  // it is small
          const Grid& map = gridOf(figure, name);
          ++parts;
          int lit = 0, litInMap = 0;
          eachCell(part.rows, part.cols, [&](i64 row, i64 col) {
            const Cell cell = part.cells->cell(row, col);
            lit += cell.lit ? 1 : 0;
            if (!cell.point.real()) return;
            const auto at = map.cells->find(cell.point, 2);
            REQUIRE(at.size() == 1);
            const Cell same = map.cells->cell(at[0].first, at[0].second);
            CHECK((same.label == cell.label && same.lit == cell.lit));
            CHECK((same.paint.role == cell.paint.role && same.paint.group == cell.paint.group));
            CHECK(map.cells->rowHeader(at[0].first) == part.cells->rowHeader(row));
            CHECK(part.cells->find(cell.point, 2) == std::vector{std::pair{row, col}});
          });
          eachCell(map.rows, map.cols, [&](i64 row, i64 col) { litInMap += map.cells->cell(row, col).lit ? 1 : 0; });
          CHECK((lit > 0 || litInMap == 0));
          // Its frame is on the map.
          const Rect bounds = map.bounds();
          CHECK(std::ranges::any_of(figure.marks, [&](const Mark& m) {
            return m.kind == Mark::Kind::Rectangle && m.rect.x >= bounds.x - 2 && m.rect.y >= bounds.y - 2 &&
                   m.rect.x + m.rect.w <= bounds.x + bounds.w + 2 && m.rect.y + m.rect.h <= bounds.y + bounds.h + 2;
          }));
        }
      }
    }
  }
  CHECK(parts > 60);
}
