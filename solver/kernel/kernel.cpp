#include "solver/kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solver/kernel/access_layout.h"
#include "solver/kernel/addresses/whole_table.h"
#include "solver/kernel/machine/interpreter.h"
#include "solver/kernel/machine/start.h"

namespace tessera::kernel {

std::string_view nameOf(Verdict verdict) {
  constexpr std::string_view kNames[] = {"deadlock", "divergence", "bounds",  "misaligned", "uninitialised",
                                         "race",     "wrong",      "unknown", "benign",     "clean"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Result<const ptx::Function*> entryOf(const ptx::Module& module, std::string_view name) {
  std::vector<const ptx::Function*> entries;
  for (const ptx::Function& f : module.functions)
    if (f.entry && f.defined) entries.push_back(&f);
  std::string names;
  for (const ptx::Function* f : entries) {
    if (f->name == name) return f;
    names += (names.empty() ? "" : ", ") + f->name;
  }
  if (entries.empty()) return Diag{"this module has no entry (.entry)"};
  if (name.empty() && entries.size() == 1) return entries.front();
  if (name.empty())
    return Diag{fmt::format("this module has {} entries", entries.size()), "one of: " + names, "add --entry NAME"};
  // A name without its mangling.
  const ptx::Function* found = nullptr;
  for (const ptx::Function* f : entries) {
    if (f->name.find(name) == std::string::npos) continue;
    if (found != nullptr) return Diag{fmt::format("several entries contain \"{}\"", name), "one of: " + names};
    found = f;
  }
  if (found == nullptr) return Diag{fmt::format("this module has no entry {}", name), "one of: " + names};
  return found;
}

namespace {

Result<void> checkMap(const Launch& launch, std::size_t k, const Program::Parameter& p) {
  const Argument& a = launch.arguments[k];
  if (p.bytes < 128 || !a.map)
    return Diag{fmt::format("argument {} is a tensor map, but parameter {} has {} bytes", k, p.name, p.bytes),
                "const __grid_constant__ CUtensorMap, which has 128 bytes"};
  const TensorMap& map = *a.map;
  if (const auto fault = tmaFault(map.tile)) return fault->diag;
  const std::size_t buffer = map.buffer < 0 ? k : static_cast<std::size_t>(map.buffer);
  if (buffer >= launch.arguments.size() ||
      (buffer != k && launch.arguments[buffer].kind != Argument::Kind::Buffer &&
       (launch.arguments[buffer].kind != Argument::Kind::TensorMap || launch.arguments[buffer].map->buffer >= 0)))
    return Diag{fmt::format("argument {} is a tensor map of the buffer of argument {}, which has none", k, buffer)};
  const i64 bytes = static_cast<i64>(launch.arguments[buffer].bytes.size());
  if (map.offset < 0 || map.offset % 16 != 0 || map.offset > bytes || map.spanBytes() > bytes - map.offset)
    return Diag{fmt::format("the tensor of argument {} takes {} bytes from byte {} on, and its buffer has {}", k,
                            map.spanBytes(), map.offset, bytes),
                "a tensor inside the buffer, from a multiple of 16 bytes on"};
  return {};
}

Result<void> checkLaunch(const Program& program, const Launch& launch) {
  const auto product = [](const std::array<std::uint32_t, 3>& x) { return u64{x[0]} * x[1] * x[2]; };
  const u64 threads = product(launch.block), blocks = product(launch.grid);
  if (threads == 0 || blocks == 0) return Diag{"a launch needs at least one block and one thread"};
  if (threads > 1024) return Diag{fmt::format("a block of {} threads is too large", threads), "at most 1024 threads"};
  for (std::size_t d = 0; d < 3; ++d)
    if (launch.cluster[d] == 0 || launch.grid[d] % launch.cluster[d] != 0)
      return Diag{fmt::format("{} blocks are not divided by clusters of {}", launch.grid[d], launch.cluster[d]),
                  "a grid that is a multiple of the cluster"};
  if (product(launch.cluster) > 16)
    return Diag{fmt::format("a cluster of {} blocks is too large", product(launch.cluster)), "at most 16 blocks"};
  constexpr u64 kMost = u64{1} << 24;
  if (blocks * threads > kMost)
    return Diag{fmt::format("{} blocks of {} threads are too many to run", blocks, threads),
                fmt::format("at most {} threads", kMost), "run a smaller grid"};
  if (launch.dynamicShared < 0 || program.dynamicShared + launch.dynamicShared > 232448)
    return Diag{fmt::format("{} bytes of shared memory are too many", program.dynamicShared + launch.dynamicShared),
                "at most 232448 bytes for a block"};
  if (launch.arguments.size() > program.parameters.size())
    return Diag{fmt::format("{} arguments for {} parameters", launch.arguments.size(), program.parameters.size())};
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const Argument& a = launch.arguments[k];
    const Program::Parameter& p = program.parameters[k];
    if (a.kind == Argument::Kind::TensorMap) {
      TESSERA_CHECKED(checkMap(launch, k, p));
      continue;
    }
    if (a.kind == Argument::Kind::Buffer && p.bytes != 8)
      return Diag{fmt::format("argument {} is a buffer, but parameter {} has {} bytes", k, p.name, p.bytes),
                  "a pointer has 8 bytes"};
    if ((a.kind == Argument::Kind::Scalar || a.kind == Argument::Kind::Bytes) &&
        static_cast<i64>(a.bytes.size()) > p.bytes && p.bytes > 0)
      return Diag{fmt::format("argument {} has {} bytes, but parameter {} has {}", k, a.bytes.size(), p.name, p.bytes)};
  }
  return {};
}

// The clusters of a launch, one after the other, and the blocks of each in turn; a cluster that waits for another one
// is kept.
class Grid {
 public:
  Grid(const Program& program, const Launch& launch, Findings& findings, Interpreter& interpreter, MemoryUnit& memory,
       Barriers& barriers, Clusters& clusters, Async& async)
      : program_(program),
        launch_(launch),
        findings_(findings),
        interpreter_(interpreter),
        memory_(memory),
        barriers_(barriers),
        clusters_(clusters),
        async_(async) {}

  void run() {
    const auto& c = launch_.cluster;
    const std::uint32_t x = launch_.grid[0] / c[0], y = launch_.grid[1] / c[1], count = x * y * launch_.grid[2] / c[2];
    for (std::uint32_t k = 0; k < count && !findings_.stopped(); ++k) {
      running_.push_back(made({k % x * c[0], k / x % y * c[1], k / x / y * c[2]}));
      advance(*running_.back());
      if (running_.back()->done()) running_.pop_back();
    }
    while (!running_.empty() && !findings_.stopped()) {
      const u64 before = progress();
      for (const auto& cluster : running_) advance(*cluster);
      std::erase_if(running_, [](const auto& cluster) { return cluster->done(); });
      if (progress() == before && !running_.empty()) {
        deadlock(*running_.front());
        return;
      }
    }
  }

 private:
  [[nodiscard]] u64 progress() const {
    return memory_.changes() + barriers_.progress() + clusters_.progress() + async_.progress();
  }

  // The cluster whose first block is at `first`.
  [[nodiscard]] std::unique_ptr<Cluster> made(std::array<std::uint32_t, 3> first) const {
    auto cluster = std::make_unique<Cluster>();
    const auto& c = launch_.cluster;
    for (std::uint32_t rank = 0; rank < c[0] * c[1] * c[2]; ++rank) {
      auto block = std::make_unique<Block>();
      block->cluster = cluster.get();
      block->rank = rank;
      start(*block, {first[0] + rank % c[0], first[1] + rank / c[0] % c[1], first[2] + rank / c[0] / c[1]}, program_,
            launch_, memory_.dependence().tracks(), memory_.memories().arbitrary());
      if (memory_.symbolic() != nullptr)
        for (Warp& w : block->warps) memory_.symbolic()->start(w);
      memory_.memories().startBlock(*block);
      cluster->threads += i64{launch_.block[0]} * launch_.block[1] * launch_.block[2];
      cluster->blocks.push_back(std::move(block));
    }
    return cluster;
  }

  void advance(Cluster& cluster) {
    for (;;) {
      const u64 before = progress();
      for (const auto& block : cluster.blocks)
        if (!block->done() && !findings_.stopped()) advance(*block);
      if (cluster.blocks.size() == 1 || progress() == before || findings_.stopped()) return;
    }
  }

  // Until no warp of the block can continue by itself.
  void advance(Block& block) {
    constexpr i64 kSlice = 1 << 16;
    for (;;) {
      const u64 before = progress();
      bool slices = false;
      for (Warp& w : block.warps) {
        if (w.done()) continue;
        slices = interpreter_.run(block, w, kSlice) == Pause::Slice || slices;
        if (interpreter_.threadInstructions() > launch_.maxSteps)
          findings_.stop(fmt::format("the run exceeds its budget of {} thread instructions", launch_.maxSteps));
        if (findings_.stopped()) return;
        if (!memory_.forgetEvents(running_))
          findings_.stop(
              fmt::format("more than {} accesses would have to be compared with later ones; a launch of "
                          "fewer blocks touches less memory",
                          Events::kMost));
      }
      if (block.done() || (!slices && progress() == before)) return;
    }
  }

  // Of a barrier whose bytes do not come out even, after all its arrivals.
  static std::string missingBytes(const Block& block) {
    for (const auto& [at, b] : block.mbarriers)
      if (b.pending <= 0 && b.bytes != 0)
        return fmt::format("; the mbarrier at byte {} of shared memory {}", at,
                           b.bytes > 0 ? fmt::format("expects {} bytes that no copy brings", b.bytes)
                                       : fmt::format("got {} bytes more than it expects", -b.bytes));
    return {};
  }

  // Of an allocation that finds no room.
  std::string missingColumns(const Block& block, int step) const {
    const Step& s = program_.steps[static_cast<std::size_t>(step)];
    if (s.kind != Step::Kind::Tensor || block.tensor == nullptr || !s.source->opcode.has("alloc")) return {};
    return fmt::format("; {} of {} columns of tensor memory are free", block.tensor->freeColumns(), kTmemColumns);
  }

  void deadlock(Cluster& cluster) {
    for (const auto& block : cluster.blocks)
      if (!block->done()) return deadlock(*block);
  }

  void deadlock(Block& block) {
    for (Warp& w : block.warps) {
      if (w.done()) continue;
      const int lane = __builtin_ctz(w.live);
      const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(lane);
      findings_.report(
          Verdict::Deadlock, w.pc[lane], thread,
          fmt::format("{} waits here forever: no thread of the launch can continue{}{}", findings_.threadText(thread),
                      missingBytes(block), missingColumns(block, w.pc[lane])));
      return;
    }
  }

  const Program& program_;
  const Launch& launch_;
  Findings& findings_;
  Interpreter& interpreter_;
  MemoryUnit& memory_;
  Barriers& barriers_;
  Clusters& clusters_;
  Async& async_;
  std::vector<std::unique_ptr<Cluster>> running_;
};

// Whether threads may pass order other than at barriers of a whole block or a whole warp.
bool passesOrder(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& s) {
    switch (s.kind) {
      case Step::Kind::Mbarrier:
      case Step::Kind::CopyArrive:
      case Step::Kind::Bulk:
      case Step::Kind::Fence:
      case Step::Kind::Cluster:
      case Step::Kind::Tensor:
        return true;
      case Step::Kind::Barrier:
        return s.ins.size() > 1 || s.source->opcode.has("arrive");
      case Step::Kind::WarpBarrier:
        return s.ins.empty() || s.ins[0] >= 0 ||
               (program.constants[static_cast<std::size_t>(~s.ins[0])][0] & 0xffffffffu) != 0xffffffffu;
      default:
        return s.acquires || s.releases;
    }
  });
}

bool synchronizes(const Step& s) {
  switch (s.kind) {
    case Step::Kind::Barrier:
      return s.outs.empty() && !s.source->opcode.has("arrive");  // bar.red also computes
    case Step::Kind::WarpBarrier:
    case Step::Kind::Fence:
    case Step::Kind::CopyWait:
    case Step::Kind::BulkWait:
    case Step::Kind::ProductsControl:
      return true;
    case Step::Kind::Cluster:
      return s.source->opcode.base() == "fence";
    case Step::Kind::Tensor:
      return std::any_of(s.source->opcode.parts.begin(), s.source->opcode.parts.end(), [](std::string_view part) {
        return part.starts_with("wait::") || part.starts_with("fence::");
      });
    default:
      return false;
  }
}

}  // namespace

Result<std::vector<Synchronization>> withoutEach(const ptx::Module& module, const Launch& launch) {
  TESSERA_TRY(const ptx::Function* entry, entryOf(module, launch.entry));
  TESSERA_TRY(const Program program, decode(module, *entry));
  std::vector<Synchronization> out;
  for (const Step& s : program.steps) {
    if (s.source == nullptr || !synchronizes(s)) continue;
    Launch changed = launch;
    changed.without.push_back(s.source->line);
    changed.layouts = false;
    TESSERA_TRY(const Report report, run(module, changed));
    out.push_back({s.source->line, s.source->location, s.source->opcode.text, report.verdict});
  }
  return out;
}

namespace {

// The layouts of all executions, or else of the recorded ones.
void findLayouts(Report& report, AddressTerms* addresses, const Launch& launch) {
  AccessLayouts layouts;
  for (AccessLine& line : report.accesses) {
    if (addresses != nullptr) {
      WholeTable whole = wholeTable(*addresses, launch, line);
      line.whole = std::move(whole.table);
      if (whole.contradicts)
        report.notes.push_back(
            fmt::format("line {}: an address is not that of its term (a fault of Tessera)", line.line));
    }
    if (line.whole) line.layout = layouts.of(*line.whole);
    line.proved = !line.layout.empty();
    if (line.proved) continue;
    if (const auto recorded = accessTable(line)) line.layout = layouts.of(*recorded);
  }
}

Result<Report> runWith(const ptx::Module& module, const Launch& launch, Observer* observer, Symbolic* symbolic,
                       const std::function<void()>& ended) {
  TESSERA_TRY(const ptx::Function* entry, entryOf(module, launch.entry));
  TESSERA_TRY(Program program, decode(module, *entry));
  for (Step& s : program.steps)
    if (s.source != nullptr && synchronizes(s) &&
        std::find(launch.without.begin(), launch.without.end(), s.source->line) != launch.without.end())
      s.kind = Step::Kind::Nothing;
  TESSERA_CHECKED(checkLaunch(program, launch));
  const std::uint32_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  Findings findings(program, launch);
  Order order(blocks, threads, passesOrder(program));
  MemoryUnit memory(program, launch, findings, order, symbolic);
  if (symbolic != nullptr) symbolic->start(program, memory.memories());
  if (observer != nullptr) {
    observer->begin(program, memory.memories());
    memory.observe(*observer);
  }
  Barriers barriers(program, findings, order);
  Clusters clusters(program, findings, order);
  Async async(program, findings, order, memory);
  Interpreter interpreter(program, findings, order, memory, barriers, clusters, async);
  std::optional<AddressTerms> addresses;
  if (launch.layouts && symbolic == nullptr) memory.follow(addresses.emplace(program, memory.memories()));
  Grid(program, launch, findings, interpreter, memory, barriers, clusters, async).run();
  ended();

  memory.memories().forgetAccesses();

  Report report;
  report.findings = findings.all();
  std::erase_if(report.findings, [&](const Finding& f) {
    return (f.kind == Verdict::Bounds || f.kind == Verdict::Misaligned) &&
           interpreter.dependentLines().contains(f.at.line);
  });
  // A read that races with the first write is a race, whether or not this schedule reads before it.
  std::set<int> racing;
  for (const Finding& f : report.findings)
    if (f.kind == Verdict::Race && f.other) racing.insert({f.at.line, f.other->line});
  std::erase_if(report.findings,
                [&](const Finding& f) { return f.kind == Verdict::Uninitialised && racing.contains(f.at.line); });
  // A read that races with writes of one value, by several threads, may read that value in every schedule.
  const auto ofOneValue = [&](int line) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& f) {
      return f.kind == Verdict::Benign && f.at.line == line && f.other && f.other->line == line;
    });
  };
  for (Finding& f : report.findings)
    if (memory.memories().arbitrary() && f.kind == Verdict::Race && f.other &&
        (ofOneValue(f.other->line) || ofOneValue(f.at.line)))
      f.kind = Verdict::Unknown;
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  report.reason = findings.reason();
  report.stopped = findings.stopped();
  report.verdict = Verdict::Clean;
  for (const Finding& f : report.findings) report.verdict = std::min(report.verdict, f.kind);
  if (findings.stopped()) report.verdict = std::min(report.verdict, Verdict::Unknown);
  report.accesses = memory.record().takeLines();
  findLayouts(report, addresses && !findings.stopped() ? &*addresses : nullptr, launch);
  report.buffers = memory.memories().takeContents();
  for (const auto& [step, note] : memory.found().notes()) report.notes.push_back(note);
  for (const auto& [opcode, bound] : interpreter.bounds()) report.bounds.push_back(opcode + ": " + bound);
  report.threadInstructions = interpreter.threadInstructions();
  report.arbitrary = memory.memories().arbitrary();
  const std::string& dependence = interpreter.dependence();
  if (!report.arbitrary) {
    report.covers = dependence.empty() ? "the given arguments, in every schedule"
                                       : "the given arguments, in schedules that take the same branches; " + dependence;
  } else if (dependence.empty()) {
    report.covers = "every value of the arguments that were not given, in every schedule";
  } else {
    report.covers = "one value of each argument that was not given, in every schedule";
    if (report.verdict >= Verdict::Benign) {
      report.verdict = Verdict::Unknown;
      report.reason = dependence;
    }
  }
  return report;
}

}  // namespace

Result<Report> run(const ptx::Module& module, const Launch& launch) {
  return runWith(module, launch, nullptr, nullptr, [] {});
}

Result<Report> runObserved(const ptx::Module& module, const Launch& launch, Observer& observer) {
  return runWith(module, launch, &observer, nullptr, [] {});
}

Result<Report> runSymbolic(const ptx::Module& module, const Launch& launch, Symbolic& symbolic,
                           const std::function<void()>& ended) {
  return runWith(module, launch, nullptr, &symbolic, ended);
}

}  // namespace tessera::kernel
