#include "core/hlo/cost/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/compose/same_maps.h"
#include "core/hlo/cost/thread_map.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/ops/product.h"
#include "core/hlo/text/backend_config.h"
#include "core/hlo/tiles/tile.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"

namespace tessera::hlo {
namespace {

constexpr i64 kProductTile = 128, kThreadsOfBlock = 128;
constexpr std::size_t kMostVisited = 4096;  // instructions that an output depends on
constexpr Where kOutput{-1, -1};

// Rows or columns of a product: its 128 are divided over these dimensions of the output, minor first.
void divideTile(i64 most, const Ints& sizes, Ints dimensions, Ints& tile) {
  std::ranges::sort(dimensions, std::greater());
  for (const i64 d : dimensions) {
    tile[n(d)] = std::min(most, std::max<i64>(1, sizes[n(d)]));
    most = std::max<i64>(1, most / tile[n(d)]);
  }
}

std::string timesText(const Ints& sizes) { return fmt::format("{}", fmt::join(sizes, "x")); }

bool isProduct(std::string_view opcode) { return opcode == "dot" || opcode == "convolution"; }
bool isUpdate(std::string_view opcode) { return opcode == "dynamic-update-slice"; }
// A copy into another layout moves as a transposition does.
bool isRelayout(const Module& module, Where where) {
  const Instruction& i = module.at(where);
  if (i.opcode != "copy" || i.operands.empty() || i.operands[0] < 0) return false;
  const xla::Shape &to = module.shapeOf(i),
                   &from = module.shapeOf(module.computation(where.computation).at(i.operands[0]));
  return to.isArray() && from.isArray() && to.layout().minorToMajor != from.layout().minorToMajor;
}
bool isHero(std::string_view opcode) {
  return isUpdate(opcode) || opcode == "reduce" || opcode == "transpose" || opcode == "concatenate" ||
         isProduct(opcode);
}
bool isBetween(const Instruction& i) {
  const bool moves = i.opcode == "bitcast" || i.opcode == "convert" || i.opcode == "copy";
  return (moves || isElementwise(i.opcode)) && i.operands.size() <= 3;
}

// The only hero under elementwise operations. `alone`: the kernel is one instruction, so only itself.
Where heroUnder(const Module& module, Where root, bool alone) {
  if (alone) return isHero(module.at(root).opcode) || isRelayout(module, root) ? root : kOutput;
  std::vector<int> open{root.instruction};
  std::set<int> seen{root.instruction};
  int hero = -1;
  while (!open.empty() && seen.size() < kMostVisited) {
    const int at = open.back();
    open.pop_back();
    const Instruction& i = module.at({root.computation, at});
    if (isHero(i.opcode) || isRelayout(module, {root.computation, at})) {
      if (hero >= 0 && hero != at) return kOutput;
      hero = at;
    } else if (isBetween(i)) {
      for (const int operand : i.operands)
        if (operand >= 0 && seen.insert(operand).second) open.push_back(operand);
    }
  }
  return hero < 0 ? kOutput : Where{root.computation, hero};
}

// Where the plan looks for a hero: the instruction itself, or the root of what it calls, or its tuple element.
Result<Where> rootOf(const Module& module, Where where, int output) {
  if (module.at(where).opcode != "fusion") return where;
  TESSERA_TRY(const int body, bodyOf(module, where));
  const Computation& c = module.computation(body);
  if (c.root < 0) return kOutput;
  Where at{body, c.root};
  if (const Instruction& root = module.at(at); root.opcode == "tuple")
    if (n(output) < root.operands.size() && root.operands[n(output)] >= 0) at.instruction = root.operands[n(output)];
  return at;
}

// The dimensions of the result that count the rows and the columns of a product.
struct ProductSides {
  Ints rows, columns;
};
Result<ProductSides> sidesOf(const Op& product) {
  ProductSides sides;
  if (product.opcode() == "convolution") {
    TESSERA_TRY(const DimLabels at, product.parsed("dim_labels", dimLabelsOf, "dim_labels=b01f_01io->b01f"));
    sides.columns = {at.outputFeature};
    sides.rows = at.outputSpatial;
    sides.rows.push_back(at.outputBatch);
    return sides;
  }
  TESSERA_TRY(const Product p, productOf(product));
  for (std::size_t k = p.sides[0].batch.size(); k < p.out.size(); ++k)
    (has(p.outputOf(0), k) ? sides.rows : sides.columns).push_back(static_cast<i64>(k));
  return sides;
}

Result<Plan> productPlan(const Module& module, Where hero, i64 rows, i64 columns, std::string by) {
  const Op op(module, hero);
  TESSERA_TRY(const Ints sizes, op.outputSizes(0));
  TESSERA_TRY(const ProductSides sides, sidesOf(op));
  Ints tile(sizes.size(), 1);
  divideTile(rows, sizes, sides.rows, tile);
  divideTile(columns, sizes, sides.columns, tile);
  return Plan{.kind = Plan::Kind::Tiles,
              .name = fmt::format("{}, tiles of {}", by, timesText(tile)),
              .tile = std::move(tile),
              .hero = hero};
}

// Of a Triton fusion; nullopt: its settings have no tile that fits the output.
Result<std::optional<Plan>> tritonPlan(const Module& module, Where where, int output, Where root) {
  const BackendConfig config(module.at(where));
  const auto nothing = [] { return std::optional<Plan>(); };
  TESSERA_TRY(const Ints sizes, Op(module, where).outputSizes(n(output)));
  std::optional<Ints> tile;
  constexpr std::string_view kFusion = "fusion_backend_config", kBlocks = "block_level_fusion_config";
  if (const auto tiles = config.at({kFusion, kBlocks, "output_tiles"})) {
    const std::vector<std::string> each = itemsOf(*tiles);
    if (n(output) < each.size()) {
      Instruction one;
      const std::string text = each[n(output)];
      one.attributes.push_back({"backend_config", text});
      tile = BackendConfig(one).numbers({"sizes"});
    }
  } else {
    tile = config.numbers({kFusion, kBlocks, "output_tile_sizes"});
  }
  if (tile && tile->size() == sizes.size() && std::ranges::all_of(*tile, [](i64 s) { return s > 0; })) {
    const auto warps = config.number({kFusion, kBlocks, "num_warps"});
    return std::optional(Plan{.kind = Plan::Kind::Tiles,
                              .name = fmt::format("Triton, output tiles of {}{}", timesText(*tile),
                                                  warps ? fmt::format(", {} warps", *warps) : ""),
                              .tile = *tile});
  }
  const auto m = config.number({kFusion, "triton_gemm_config", "block_m"}),
             k = config.number({kFusion, "triton_gemm_config", "block_n"});
  if (!m || !k || *m < 1 || *k < 1 || root.computation < 0) return nothing();
  const Where hero = heroUnder(module, root, root == where);
  if (hero.computation < 0 || module.at(hero).opcode != "dot") return nothing();
  TESSERA_TRY(Plan plan, productPlan(module, hero, *m, *k, "Triton"));
  return std::optional(std::move(plan));
}

bool isOnce(std::string_view opcode) {
  constexpr std::array<std::string_view, 27> kOnce = {"sort",
                                                      "topk",
                                                      "fft",
                                                      "cholesky",
                                                      "triangular-solve",
                                                      "custom-call",
                                                      "scatter",
                                                      "select-and-scatter",
                                                      "all-reduce",
                                                      "all-gather",
                                                      "all-to-all",
                                                      "reduce-scatter",
                                                      "collective-permute",
                                                      "collective-broadcast",
                                                      "ragged-all-to-all",
                                                      "all-reduce-start",
                                                      "all-gather-start",
                                                      "collective-permute-start",
                                                      "async-start",
                                                      "copy-start",
                                                      "send",
                                                      "recv",
                                                      "infeed",
                                                      "outfeed",
                                                      "rng-bit-generator",
                                                      "batch-norm-training",
                                                      "batch-norm-grad"};
  return std::ranges::find(kOnce, opcode) != kOnce.end();
}

Plan oncePlan(std::string name) { return {.kind = Plan::Kind::Once, .name = std::move(name)}; }

// A cumulative sum: along one dimension, the window has the size of the array, and the padding leaves each position one
// element more. XLA's ReduceWindowRewriter makes a scan of it.
bool isCumulative(const Op& op) {
  if (op.opcode() != "reduce-window") return false;
  const auto in = op.operand(0);
  const auto window = in ? op.window((*in)->rank()) : Result<std::vector<WindowDim>>(in.error());
  if (!window) return false;
  std::size_t along = 0;
  for (std::size_t k = 0; k < window->size(); ++k) {
    const WindowDim& w = (*window)[k];
    const bool padded = (w.low == w.size - 1 && w.high == 0) || (w.low == 0 && w.high == w.size - 1);
    if (w.stride != 1 || w.dilation != 1 || w.baseDilation != 1 || !padded) return false;
    if (w.size == 1) continue;
    if (w.size != (*in)->sizes()[k]) return false;
    ++along;
  }
  return along == 1;
}

// The settings of the dump decide; nullopt: they do not.
Result<std::optional<Plan>> planBySettings(const Module& module, Where where, int output, Where root) {
  const Instruction& i = module.at(where);
  if (i.opcode == "fusion") {
    const std::string kind = BackendConfig(i).at({"fusion_backend_config", "kind"}).value_or("");
    if (kind.starts_with("__triton")) {
      TESSERA_TRY(auto plan, tritonPlan(module, where, output, root));
      if (plan) return plan;
    } else if (kind.starts_with("__cudnn") || kind.starts_with("__custom")) {
      return std::optional(oncePlan("a library kernel, operands read once"));
    }
  } else if (i.opcode == "custom-call") {
    const std::string_view target = i.value("custom_call_target");
    if (target.find("__cublas$") != std::string_view::npos && module.outputsOf(i) > 0) {
      TESSERA_TRY(const Ints sizes, Op(module, where).outputSizes(0));
      if (sizes.size() < 2) return std::optional<Plan>();
      Ints tile(sizes.size(), 1);
      for (std::size_t k = sizes.size() - 2; k < sizes.size(); ++k)
        tile[k] = std::min(kProductTile, std::max<i64>(1, sizes[k]));
      return std::optional(Plan{.kind = Plan::Kind::Tiles,
                                .name = fmt::format("cuBLAS, tiles of {}", timesText(tile)),
                                .tile = std::move(tile)});
    }
  }
  if (isOnce(i.opcode)) return std::optional(oncePlan("a library kernel, operands read once"));
  if (isCumulative(Op(module, where))) return std::optional(oncePlan("a scan, its operand read once"));
  return std::optional<Plan>();
}

// By XLA's emitter for the hero; nullopt: it has none for these shapes.
Result<std::optional<Plan>> planByHero(const Module& module, Where hero) {
  const Op op(module, hero);
  if (isProduct(op.opcode())) {
    TESSERA_TRY(Plan plan, productPlan(module, hero, kProductTile, kProductTile, "a product"));
    return std::optional(std::move(plan));
  }
  TESSERA_TRY(const xla::Shape* const in, op.operand(0));
  std::optional<ThreadMap> map;
  if (isUpdate(op.opcode())) {
    TESSERA_TRY(const xla::Shape* const update, op.operand(1));
    TESSERA_TRY(Map threads, threadsInOrder(*update));
    return std::optional(Plan{.name = "in place, a loop over the update", .threads = std::move(threads), .hero = hero});
  }
  if (op.opcode() == "reduce") {
    TESSERA_TRY(const Ints reduced, op.dimensions("dimensions", in->rank()));
    TESSERA_TRY(map, reductionThreads(*in, reduced));
  } else if (op.opcode() == "transpose" || op.opcode() == "copy") {
    TESSERA_TRY(const xla::Shape* const out, op.output(0));
    Ints order(in->rank());
    std::iota(order.begin(), order.end(), 0);
    if (op.opcode() == "transpose") {
      TESSERA_TRY(order, op.dimensions("dimensions", in->rank()));
    }
    TESSERA_TRY(map, transposeThreads(*in, *out, order));
  } else {
    const xla::Shape* widest = in;
    for (std::size_t k = 1; k < op.operands(); ++k) {
      TESSERA_TRY(const xla::Shape* const other, op.operand(k));
      if (product(other->sizes()) > product(widest->sizes())) widest = other;
    }
    TESSERA_TRY(Map threads, threadsInOrder(*widest));
    map = ThreadMap{"a loop over the widest operand of the concatenation", std::move(threads)};
  }
  if (!map) return std::optional<Plan>();
  return std::optional(Plan{.name = std::move(map->name), .threads = std::move(map->threads), .hero = hero});
}

// (thread, blocks ..)[step] over the elements of a box: as many of `extents`, first fastest, as `made` places.
struct BoxThreads {
  std::vector<Digit> digits;
  std::vector<Guard> guards;
  std::vector<Expr> coordinates;  // in the order of `extents`
};
BoxThreads threadsOfBox(const Ints& extents, const std::vector<Digit>& blocks, const std::vector<Digit>& steps) {
  const i64 elements = product(extents), threads = std::min(kThreadsOfBlock, roundUp(elements, kWarp));
  BoxThreads t;
  t.digits = {{"th", threads, DigitKind::Index, 0}};
  t.digits.insert(t.digits.end(), blocks.begin(), blocks.end());
  t.digits.insert(t.digits.end(), steps.begin(), steps.end());
  t.digits.push_back({"v", ceilDiv(elements, threads), DigitKind::Fan, 0});
  const Expr element = Expr::digit(static_cast<int>(t.digits.size()) - 1) * threads + Expr::digit(0);
  t.guards.push_back({element, 0, elements - 1});
  t.coordinates = splitDigits(element, extents);
  return t;
}

// The loads of a block: each element of the operand's tile once, minor dimension fastest. A tile that is no box: each
// element of the output's tile loads its own.
Result<Map> loadsOf(const OperandTile& tile, const xla::Shape& operand, std::size_t rank) {
  std::vector<Digit> blocks, steps;
  std::vector<Expr> by;
  const Map& map = tile.is ? tile.offsets : tile.reads;
  const auto digit = [](std::size_t k) { return Expr::digit(static_cast<int>(k)); };
  const std::vector<int> index = map.indexDigits(), fans = map.fanDigits();
  by.resize(map.digits().size());
  for (const int k : index) {
    by[n(k)] = digit(1 + blocks.size());
    blocks.push_back(map.digit(k));
  }
  Ints extents, order;
  if (tile.is) {
    for (const i64 d : operand.layout().minorToMajor) {
      order.push_back(d);
      extents.push_back(tile.sizes[n(d)]);
    }
  } else {
    for (std::size_t k = 0; k < fans.size(); ++k) {
      if (k >= rank) {
        by[n(fans[k])] = digit(1 + blocks.size() + steps.size());
        steps.push_back(map.digit(fans[k]));
      } else {
        order.insert(order.begin(), fans[k]);  // the last dimension of the output's tile fastest
        extents.insert(extents.begin(), map.digit(fans[k]).extent);
      }
    }
  }
  BoxThreads t = threadsOfBox(extents, blocks, steps);
  if (!tile.is)
    for (std::size_t k = 0; k < order.size(); ++k) by[n(order[k])] = t.coordinates[k];
  std::vector<Axis> axes = substituted(map.axes(), by);
  for (Guard& g : substituted(map.guards(), by)) t.guards.push_back(std::move(g));
  if (tile.is)
    for (std::size_t k = 0; k < order.size(); ++k) {
      Expr& at = axes[n(order[k])].value;
      at = at + t.coordinates[k] * tile.strides[n(order[k])];
      t.guards.push_back({at, 0, operand.dims()[n(order[k])].size - 1});
    }
  TESSERA_TRY(const Map made, Map::create(std::move(t.digits), std::move(axes), std::move(t.guards), map.params()));
  return withSimplerValues(made);
}

Result<PlannedReads> readsByTiles(const Reach& reach, const xla::Shape& operand, const Ints& tile) {
  PlannedReads reads{reach.soundness, reach.why, {}, false};
  if (!operand.isArray()) return reads;
  std::vector<OperandTile> known;
  for (const Map& map : reach.maps) {
    TESSERA_TRY(OperandTile one, operandTile(map, tile));
    if (one.reads.isEmpty()) continue;
    const bool again = std::ranges::any_of(known, [&](const OperandTile& k) {
      return k.is && one.is && k.sizes == one.sizes && k.strides == one.strides && k.offsets == one.offsets;
    });
    if (again) continue;  // loaded once
    TESSERA_TRY(Map loads, loadsOf(one, operand, tile.size()));
    reads.elements.push_back(std::move(loads));
    known.push_back(std::move(one));
  }
  return reads;
}

Result<PlannedReads> readsByThreads(const Reach& reach, const Map& threads) {
  PlannedReads reads{reach.soundness, reach.why, {}, false};
  for (const Map& map : reach.maps) {
    TESSERA_TRY(Map elements, thenInside(threads, map));
    if (!elements.isEmpty()) reads.elements.push_back(std::move(elements));
  }
  return reads;
}

// What the hero needs of the kernel's operands, in coordinates of its inputs (by: Threads) or of its output (Tiles).
Result<std::vector<Reach>> readsOfHero(const Module& module, Where where, const Plan& plan, std::size_t operands) {
  const Op hero(module, plan.hero);
  const bool itself = plan.hero == where;
  if (plan.kind == Plan::Kind::Tiles)
    return itself ? readsThrough(module, where) : readsFromInside(module, where, plan.hero);
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < operands; ++k) reads.push_back(none(k));
  const std::size_t inputs = hero.opcode() == "reduce" ? hero.operands() / 2 : hero.operands();
  const bool update = isUpdate(hero.opcode());  // the update is its second operand
  for (std::size_t k = update; k < (update ? 2 : inputs); ++k) {
    if (itself) {
      TESSERA_TRY(const Ints over, hero.operandSizes(k));
      TESSERA_TRY(Map map, identityOf(over));
      reads[k].maps.push_back(std::move(map));
      continue;
    }
    const int operand = hero.instruction().operands[k];
    if (operand < 0) continue;
    TESSERA_TRY(const std::vector<Reach> part, readsFromInside(module, where, {plan.hero.computation, operand}));
    for (std::size_t p = 0; p < part.size() && p < reads.size(); ++p) {
      reads[p].maps.insert(reads[p].maps.end(), part[p].maps.begin(), part[p].maps.end());
      if (part[p].soundness > reads[p].soundness) {
        reads[p].soundness = part[p].soundness;
        reads[p].why = part[p].why;
      }
    }
  }
  return reads;
}

// The maps of the kernel's reads that do not pass through the hero, per operand: the operations after it read them.
Result<std::vector<std::vector<Map>>> readsBesideHero(const Module& module, Where where, Where root, Where hero,
                                                      const std::vector<Reach>& whole) {
  std::vector<std::vector<Map>> beside(whole.size());
  if (hero == where || hero == root) return beside;
  TESSERA_TRY(const std::vector<Reached> reached, reachedFrom(module, root));
  TESSERA_TRY(const std::vector<Reach> ofHero, readsFromInside(module, where, hero));
  for (std::size_t k = 0; k < whole.size() && k < ofHero.size(); ++k) {
    std::vector<Map> through;
    for (const Reached& r : reached) {
      if (r.instruction != hero.instruction) continue;
      for (const ReachedMap& to : r.maps)
        for (const Map& from : ofHero[k].maps)
          if (auto both = thenInside(to.map, from)) through.push_back(*std::move(both));
    }
    for (const Map& map : whole[k].maps)
      if (std::ranges::none_of(through, [&](const Map& t) { return sameMaps(t, map) == Same::Yes; }))
        beside[k].push_back(map);
  }
  return beside;
}

// Whether the hero, a dynamic-update-slice, updates this operand of the kernel.
bool updates(const Module& module, Where where, Where hero, std::size_t operand) {
  if (hero == where) return operand == 0;
  const int array = module.at(hero).operands.at(0);
  const std::vector<int>& parameters = module.computation(hero.computation).parameters;
  return array >= 0 && operand < parameters.size() && parameters[operand] == array;
}

}  // namespace

Result<Plan> planOf(const Module& module, Where where, int output) {
  TESSERA_TRY(const Where root, rootOf(module, where, output));
  TESSERA_TRY(auto set, planBySettings(module, where, output, root));
  if (set) return *std::move(set);
  if (root.computation >= 0)
    if (const Where hero = heroUnder(module, root, root == where); hero.computation >= 0) {
      TESSERA_TRY(auto plan, planByHero(module, hero));
      if (plan) return *std::move(plan);
    }
  TESSERA_TRY(const xla::Shape* const array, Op(module, where).output(n(output)));
  TESSERA_TRY(Map threads, threadsInOrder(*array));
  return Plan{.name = "a loop over the output", .threads = std::move(threads)};
}

Result<Plan> planWith(const Module& module, Where where, int output, Map threads) {
  const Op op(module, where);
  TESSERA_TRY(const Ints sizes, op.outputSizes(n(output)));
  if (threads.axes().size() != sizes.size())
    return op.wrong(
        fmt::format("the thread map has {} results, the output is {}", threads.axes().size(), sizesText(sizes)),
        "a result for each dimension of the output");
  if (threads.indexDigits().empty())
    return op.wrong("the thread map has no threads", "the thread within its block as its first variable");
  if (!threads.params().empty()) return op.wrong("the thread map has run-time values", "threads, blocks and ranges");
  return Plan{.name = "the given threads", .threads = std::move(threads)};
}

std::string textOf(const Plan& plan) {
  switch (plan.kind) {
    case Plan::Kind::Threads:
      return fmt::format("threads: {}: {}", plan.name, indexing::print(indexing::toIndexingMap(plan.threads)));
    case Plan::Kind::Tiles:
      return fmt::format("blocks: {}", plan.name);
    case Plan::Kind::Once:
      break;
  }
  return plan.name;
}

Result<std::vector<PlannedReads>> readsOfPlan(const Module& module, Where where, int output, const Plan& plan) {
  TESSERA_TRY(const std::vector<Reach> whole, readsThrough(module, where, output));
  const Op op(module, where);
  std::vector<PlannedReads> reads;
  if (plan.kind == Plan::Kind::Once) {
    for (const Reach& r : whole) reads.push_back({r.soundness, r.why, {}, true});
    return reads;
  }
  const bool byHero = plan.hero.computation >= 0;
  std::vector<Reach> part;
  std::vector<std::vector<Map>> beside(whole.size());
  std::optional<Map> loop;  // over the output, for what the hero does not need
  if (byHero) {
    TESSERA_TRY(part, readsOfHero(module, where, plan, whole.size()));
    TESSERA_TRY(const Where root, rootOf(module, where, output));
    TESSERA_TRY(beside, readsBesideHero(module, where, root, plan.hero, whole));
    TESSERA_TRY(const xla::Shape* const array, op.output(n(output)));
    TESSERA_TRY(loop, threadsInOrder(*array));
  }
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const bool ofHero = byHero && k < part.size() && (!part[k].maps.empty() || part[k].soundness == Soundness::Unknown);
    const Reach& reach = ofHero ? part[k] : whole[k];
    if (byHero && !ofHero && isUpdate(module.at(plan.hero).opcode) && updates(module, where, plan.hero, k)) {
      reads.emplace_back().inPlace = true;
      continue;
    }
    if (reach.soundness == Soundness::Unknown || reach.maps.empty()) {
      reads.push_back({reach.soundness, reach.why, {}, false});
      continue;
    }
    PlannedReads one;
    if (plan.kind == Plan::Kind::Tiles && (ofHero || !byHero)) {
      const int at = op.instruction().operands[k];
      TESSERA_TRY(one, readsByTiles(reach, module.shapeOf(op.computation().at(std::max(0, at))), plan.tile));
    } else {
      TESSERA_TRY(one, readsByThreads(reach, byHero && !ofHero ? *loop : plan.threads));
    }
    if (ofHero && !beside[k].empty()) {
      Reach rest;
      rest.maps = beside[k];
      TESSERA_TRY(PlannedReads further, readsByThreads(rest, *loop));
      std::ranges::move(further.elements, std::back_inserter(one.elements));
    }
    reads.push_back(std::move(one));
  }
  return reads;
}

Result<WarpReads> warpReads(const PlannedReads& reads, const xla::Shape& operand) {
  if (reads.once)
    return WarpReads{WarpVerdict::Unknown,
                     reads.why.empty() ? "the threads of a library kernel are not known" : reads.why};
  return warpReads(reads.elements, reads.soundness, reads.why, operand);
}

}  // namespace tessera::hlo
