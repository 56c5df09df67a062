#include "core/sass/report.h"

#include <algorithm>

#include "core/base/work_budget.h"

namespace tessera::sass {

namespace {

struct KindRow {
  std::string_view prefix;
  Kind kind;
};
// The first row whose prefix fits.
constexpr std::array<KindRow, 62> kKindRows = {{
    {"HMMA", Kind::Product},    {"IMMA", Kind::Product},      {"HGMMA", Kind::Product},    {"IGMMA", Kind::Product},
    {"QGMMA", Kind::Product},   {"BGMMA", Kind::Product},     {"DMMA", Kind::Product},     {"BMMA", Kind::Product},
    {"QMMA", Kind::Product},    {"OMMA", Kind::Product},      {"UTCHMMA", Kind::Product},  {"UTCQMMA", Kind::Product},
    {"LDSM", Kind::MatrixLoad}, {"LDS", Kind::SharedLoad},    {"STS", Kind::SharedStore},  {"ATOMS", Kind::SharedStore},
    {"LDGSTS", Kind::Copy},     {"LDGDEPBAR", Kind::Control}, {"LDG", Kind::GlobalLoad},   {"LDL", Kind::Local},
    {"LDC", Kind::Integer},     {"LD", Kind::GlobalLoad},     {"STG", Kind::GlobalStore},  {"STL", Kind::Local},
    {"ST", Kind::GlobalStore},  {"RED", Kind::GlobalStore},   {"ATOM", Kind::GlobalStore}, {"UTMA", Kind::Copy},
    {"UBLKCP", Kind::Copy},     {"FENCE", Kind::Control},     {"FLO", Kind::Special},      {"FRND", Kind::Special},
    {"F2F", Kind::Special},     {"F2I", Kind::Special},       {"I2F", Kind::Special},      {"MUFU", Kind::Special},
    {"S2R", Kind::Special},     {"CS2R", Kind::Integer},      {"SHFL", Kind::Special},     {"POPC", Kind::Special},
    {"BREV", Kind::Special},    {"FCHK", Kind::Special},      {"SHF", Kind::Integer},      {"SEL", Kind::Integer},
    {"R2UR", Kind::Uniform},    {"R2P", Kind::Integer},       {"P2R", Kind::Integer},      {"PLOP3", Kind::Integer},
    {"PRMT", Kind::Integer},    {"MOV", Kind::Integer},       {"LOP3", Kind::Integer},     {"LEA", Kind::Integer},
    {"VIADD", Kind::Integer},   {"I", Kind::Integer},         {"F", Kind::Float},          {"HADD", Kind::Float},
    {"HMUL", Kind::Float},      {"HFMA", Kind::Float},        {"HSET", Kind::Float},       {"HMNMX", Kind::Float},
    {"U", Kind::Uniform},       {"DFMA", Kind::Float},
}};
constexpr std::array<std::string_view, 22> kControl = {
    "BRA",   "BRX",      "BSSY",  "BSYNC",     "BAR",       "EXIT",  "CALL", "RET",   "NOP",    "DEPBAR", "MEMBAR",
    "SYNCS", "WARPSYNC", "YIELD", "WARPGROUP", "NANOSLEEP", "BREAK", "BMOV", "ELECT", "ERRBAR", "VOTE",   "CCTL"};
constexpr std::array<std::string_view, kKinds> kKindNames = {
    "product", "matrix_load", "shared_load", "shared_store", "global_load", "global_store", "copy",
    "local",   "float",       "integer",     "special",      "uniform",     "control",      "other"};

// The path of a loop; of a block without a way to a latch, nothing.
class PathSearch {
 public:
  PathSearch(const Kernel& kernel, const Flow& flow, const Loop& loop) : kernel_(kernel), flow_(flow), loop_(loop) {}

  void run(LoopReport& out) {
    std::vector<int> place(flow_.blocks.size(), -1), order;
    for (const int b : flow_.order)
      if (std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), b)) {
        place[static_cast<std::size_t>(b)] = static_cast<int>(order.size());
        order.push_back(b);
      }
    std::vector<Best> best(order.size());
    for (std::size_t k = order.size(); k-- > 0;) {
      spend();
      const int b = order[k];
      Best& here = best[k];
      here.ends = std::binary_search(loop_.latches.begin(), loop_.latches.end(), b);
      here.reaches = here.ends;
      bool falls = false;  // the chosen next block is the one after this
      for (const int to : flow_.blocks[static_cast<std::size_t>(b)].next) {
        const int next = place[static_cast<std::size_t>(to)];
        if (next <= static_cast<int>(k) || !best[static_cast<std::size_t>(next)].reaches) continue;
        const Best& there = best[static_cast<std::size_t>(next)];
        here.most = std::max(here.most, there.most);
        const bool through = to == b + 1;
        const bool better = !here.reaches || there.products > here.products ||
                            (there.products == here.products && (through || (there.cycles < here.cycles && !falls)));
        here.reaches = true;
        if (!better) continue;
        here.products = there.products;
        here.cycles = there.cycles;
        here.next = next;
        falls = through;
      }
      const Block& block = flow_.blocks[static_cast<std::size_t>(b)];
      int cycles = 0;
      for (int i = block.begin; i < block.end; ++i) {
        cycles += code(i).control().cycles();
        here.products += kindOf(code(i)) == Kind::Product ? 1 : 0;
      }
      here.cycles += cycles;
      here.most += cycles;
    }
    for (const int b : order)
      out.body += flow_.blocks[static_cast<std::size_t>(b)].end - flow_.blocks[static_cast<std::size_t>(b)].begin;
    if (order.empty() || !best[0].reaches) return;
    out.cycles = best[0].cycles;
    out.most = best[0].most;
    out.products = best[0].products;
    for (int k = 0; k >= 0; k = best[static_cast<std::size_t>(k)].next) {
      const Block& block = flow_.blocks[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
      for (int i = block.begin; i < block.end; ++i) {
        ++out.instructions;
        ++out.kinds[static_cast<std::size_t>(kindOf(code(i)))];
        ++out.units[std::string(code(i).unit())];
      }
    }
  }

 private:
  struct Best {
    bool reaches = false, ends = false;
    int products = 0, cycles = 0, most = 0;
    int next = -1;  // position in the order; -1: the path ends here
  };
  [[nodiscard]] const Instruction& code(int k) const { return kernel_.code[static_cast<std::size_t>(k)]; }

  const Kernel& kernel_;
  const Flow& flow_;
  const Loop& loop_;
};

LoopReport reportOfLoop(const Kernel& kernel, const Flow& flow, const Loop& loop) {
  LoopReport out;
  const auto block = [&](int b) -> const Block& { return flow.blocks[static_cast<std::size_t>(b)]; };
  const Instruction& head = kernel.code[static_cast<std::size_t>(block(loop.header).begin)];
  out.first = head.address;
  out.source = head.source;
  for (const int b : loop.latches)
    out.last = std::max(out.last, kernel.code[static_cast<std::size_t>(block(b).end) - 1].address);
  out.depth = loop.depth;
  out.parent = loop.parent;
  PathSearch(kernel, flow, loop).run(out);
  out.trips = tripsOf(kernel, flow, loop);
  return out;
}

}  // namespace

std::string_view nameOf(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

Kind kindOf(const Instruction& instruction) {
  const std::string_view unit = instruction.unit();
  for (const std::string_view word : kControl)
    if (unit == word) return Kind::Control;
  for (const KindRow& row : kKindRows)
    if (unit.starts_with(row.prefix)) return row.kind;
  return unit.starts_with('D') ? Kind::Float : Kind::Other;
}

KernelReport reportOf(const Kernel& kernel) {
  KernelReport out;
  out.name = kernel.name;
  out.architecture = kernel.architecture;
  out.instructions = static_cast<int>(kernel.code.size());
  out.encoded = kernel.encoded;
  out.registers = kernel.registers;
  out.declared = kernel.registers > 0;
  for (const Instruction& i : kernel.code) {
    out.localLoads += i.unit() == "LDL" ? 1 : 0;
    out.localStores += i.unit() == "STL" ? 1 : 0;
    if (out.declared) continue;
    const Uses uses = usesOf(i);
    for (const auto* list : {&uses.reads, &uses.writes})
      for (const Register r : *list)
        if (isGeneral(r)) out.registers = std::max(out.registers, r + 1);
  }
  const Flow flow = flowOf(kernel);
  out.indirect = flow.indirect;
  out.irreducible = flow.irreducible;
  for (const Loop& loop : flow.loops) out.loops.push_back(reportOfLoop(kernel, flow, loop));
  if (kernel.encoded) out.dependencies = dependenciesOf(kernel, flow);
  return out;
}

}  // namespace tessera::sass
