#include "solver/kernel/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "solver/kernel/machine/memories.h"
#include "solver/kernel/machine/observer.h"

namespace tessera::kernel {

i64 linearIn(const std::array<std::uint32_t, 3>& at, const std::array<std::uint32_t, 3>& extents) {
  return i64{at[0]} + i64{extents[0]} * (at[1] + i64{extents[1]} * at[2]);
}

namespace {

using code::RunTrace;

// A thread of a finding on its way to the access.
struct Follower {
  i64 block = 0, thread = 0;
  int line = 0;                                         // of the access
  std::unordered_map<std::uint32_t, i64> counts;        // executions, by step of the program
  bool reached = false;                                 // the access: what follows is of its last execution
  std::vector<std::pair<std::uint32_t, i64>> executed;  // up to it
  i64 step = -1;
};

struct Watched {
  std::size_t number = 0;  // of the finding
  Finding finding;
  Follower at;
  std::optional<Follower> other;
  int memory = -1;
  bool touched = false;  // by the first thread in this step
  bool found = false;
};

class Recorder : public Observer {
 public:
  Recorder(const Launch& launch, const TraceRequest& request) : launch_(launch), request_(request) {
    trace_.block = request.block;
    trace_.blocks = i64{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    trace_.threads = i64{launch.block[0]} * launch.block[1] * launch.block[2];
    for (std::size_t k = 0; k < request.findings.size(); ++k) {
      const Finding& f = request.findings[k];
      Watched one{k, f, followed(f.at), std::nullopt};
      if (f.other) one.other = followed(*f.other);
      watched_.push_back(std::move(one));
    }
  }

  void begin(const Program& program, const Memories& memories) override {
    program_ = &program;
    memories_ = &memories;
    ofStep_.assign(program.steps.size(), -1);
  }

  bool step(const Block& block, const Warp& w, const Step& s, Mask mask) override {
    if (ended_ && left() == 0) return false;
    const auto number = static_cast<std::uint32_t>(&s - program_->steps.data());
    now_ = {block.index, w.firstThread, mask, s.source != nullptr ? s.source->line : 0};
    record(block, w, s, mask, number);
    for (Watched& one : watched_) {
      if (one.found) continue;
      one.touched = false;
      count(one.at, number);
      if (one.other) count(*one.other, number);
      if (one.finding.bytes == 0 && one.at.line == now_.line && executes(one.at)) reach(one.at);
    }
    return true;
  }

  void access(const Warp& w, int lane, const Target& target, int width, bool write) override {
    for (Watched& one : watched_) {
      if (one.found) continue;
      meet(one, one.at, w, lane, target, width);
      if (one.other) meet(one, *one.other, w, lane, target, width);
    }
    if (!recording_) return;
    trace_.accesses.push_back({memoryOf(target), lane, width, write, target.offset, 0});
    bytes_.push_back(target.bytes);
  }

  void executed(const Block& block, std::size_t findings) override {
    if (recording_) {
      const std::size_t first = trace_.steps.back().firstAccess;
      for (std::size_t k = 0; k < bytes_.size(); ++k) {
        RunTrace::Access& a = trace_.accesses[first + k];
        a.bytes = trace_.contents.size();
        trace_.contents.insert(trace_.contents.end(), bytes_[k], bytes_[k] + a.width);
      }
      bytes_.clear();
    }
    if (findings > findings_) find();
    findings_ = findings;
    if (block.index == request_.block && block.done()) ended_ = true;
  }

  RunTrace take() {
    for (Watched& one : watched_) {
      if (!one.found && (one.finding.bytes > 0 || one.at.counts.empty())) continue;
      // A thread that never came to the place of the finding: a barrier, for one that returned before it.
      if (!one.found && !one.at.reached) one.at.executed.assign(one.at.counts.begin(), one.at.counts.end());
      RunTrace::Meeting m;
      m.finding = one.number;
      m.at = pathOf(one.at);
      if (one.other) m.other = pathOf(*one.other);
      m.offset = static_cast<i64>(one.finding.address);
      m.bytes = one.finding.bytes;
      m.memory = one.memory;
      trace_.meetings.push_back(std::move(m));
    }
    return std::move(trace_);
  }

 private:
  struct Now {
    i64 block = 0;
    std::uint32_t firstThread = 0;
    Mask mask = 0;
    int line = 0;
  };

  void record(const Block& block, const Warp& w, const Step& s, Mask mask, std::uint32_t number) {
    recording_ = false;
    if (block.index != request_.block) return;
    trace_.laneSteps += __builtin_popcount(w.group);
    recording_ = trace_.steps.size() < request_.mostSteps && trace_.accesses.size() < request_.mostAccesses &&
                 trace_.total == static_cast<i64>(trace_.steps.size());
    if (recording_)
      trace_.steps.push_back({w.index, w.group, mask, instruction(number, s), statesOf(block), trace_.accesses.size()});
    ++trace_.total;
  }

  [[nodiscard]] Follower followed(const Point& p) const {
    Follower out;
    out.block = linearIn(p.block, launch_.grid);
    out.thread = linearIn(p.thread, launch_.block);
    out.line = p.line;
    return out;
  }

  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        watched_, [](const Watched& one) { return !one.found && (one.finding.bytes > 0 || !one.at.reached); }));
  }

  // Whether the thread executes what is executed now.
  [[nodiscard]] bool executes(const Follower& f) const {
    const i64 lane = f.block * trace_.threads + f.thread - i64{now_.firstThread};
    return f.block == now_.block && lane >= 0 && lane < kLanes && (now_.mask >> lane & 1) != 0;
  }

  void count(Follower& f, std::uint32_t step) const {
    if (executes(f)) ++f.counts[step];
  }

  void reach(Follower& f) const {
    f.reached = true;
    f.executed.assign(f.counts.begin(), f.counts.end());
    f.step = f.block == request_.block && recording_ ? static_cast<i64>(trace_.steps.size()) - 1 : -1;
  }

  // The last access of the thread to the bytes of the finding.
  void meet(Watched& one, Follower& f, const Warp& w, int lane, const Target& target, int width) {
    const auto first = static_cast<i64>(one.finding.address);
    if (now_.line != f.line || i64{w.firstThread} + lane != f.block * trace_.threads + f.thread) return;
    if (target.space != one.finding.space || target.offset >= first + one.finding.bytes ||
        target.offset + width <= first)
      return;
    one.memory = memoryOf(target);
    if (&f == &one.at)
      one.touched = true;
    else
      reach(f);
  }

  // A finding was made by what was just executed.
  void find() {
    for (Watched& one : watched_) {
      if (one.found || one.at.line != now_.line || !executes(one.at)) continue;
      if (one.finding.bytes > 0 && !one.touched && one.finding.kind != Verdict::Bounds &&
          one.finding.kind != Verdict::Misaligned)
        continue;
      reach(one.at);
      one.found = true;
    }
  }

  std::uint32_t instruction(std::uint32_t number, const Step& s) {
    int& at = ofStep_[number];
    if (at < 0) {
      at = static_cast<int>(trace_.instructions.size());
      RunTrace::Instruction made;
      if (s.source != nullptr) {
        made.text = s.source->opcode.text;
        made.ptxLine = s.source->line;
        made.location = s.source->location;
      }
      using Kind = Step::Kind;
      made.waits = s.kind == Kind::Barrier || s.kind == Kind::WarpBarrier || s.kind == Kind::CopyWait ||
                   s.kind == Kind::BulkWait;
      trace_.instructions.push_back(std::move(made));
    }
    return static_cast<std::uint32_t>(at);
  }

  std::uint32_t statesOf(const Block& block) {
    std::vector<RunTrace::WarpState> now;
    for (const Warp& w : block.warps) now.push_back({w.waiting & w.live, w.live});
    if (trace_.states.empty() || trace_.states.back() != now) trace_.states.push_back(std::move(now));
    return static_cast<std::uint32_t>(trace_.states.size() - 1);
  }

  int memoryOf(const Target& target) {
    const auto [at, made] = memoryNumbers_.try_emplace(
        std::pair(static_cast<const void*>(target.region), target.owner != nullptr ? i64{target.owner->index} : -1),
        static_cast<int>(trace_.memories.size()));
    if (!made) return at->second;
    RunTrace::Memory m;
    m.name = target.region->name();
    m.shared = target.space == ptx::Space::Shared;
    m.bytes = target.region->bytes();
    m.argument = memories_->argumentOf(target.region);
    if (m.shared) {
      if (target.owner->index != request_.block) m.name = fmt::format("shared of block {}", target.owner->index);
      for (const auto& [name, offset] : program_->sharedVariables) m.variables.push_back({readableName(name), offset});
      std::ranges::sort(m.variables, {}, &RunTrace::Memory::Variable::offset);
    }
    if (m.argument >= 0 && static_cast<std::size_t>(m.argument) < launch_.arguments.size()) {
      const Argument& a = launch_.arguments[static_cast<std::size_t>(m.argument)];
      i64 elements = 1;
      for (const i64 extent : a.shape) elements *= extent;
      const auto bytes = static_cast<i64>(a.bytes.size());
      if (!a.shape.empty() && elements > 0 && bytes % elements == 0) {
        m.shape = a.shape;
        m.elementBytes = bytes / elements;
      }
    }
    trace_.memories.push_back(std::move(m));
    return at->second;
  }

  RunTrace::Path pathOf(const Follower& f) {
    RunTrace::Path out;
    out.block = f.block;
    out.thread = f.thread;
    out.step = f.step;
    for (const auto& [step, times] : f.executed)
      out.executed.emplace_back(instruction(step, program_->steps[step]), times);
    std::ranges::sort(out.executed, {}, [&](const auto& e) { return trace_.instructions[e.first].ptxLine; });
    for (const auto& [instruction, times] : out.executed)
      if (trace_.instructions[instruction].ptxLine == f.line) out.access = instruction;
    return out;
  }

  const Launch& launch_;
  const TraceRequest& request_;
  const Program* program_ = nullptr;
  const Memories* memories_ = nullptr;
  RunTrace trace_;
  std::vector<Watched> watched_;
  std::vector<int> ofStep_;                                   // instruction of a step of the program; -1: none yet
  std::map<std::pair<const void*, i64>, int> memoryNumbers_;  // by region and the block that owns it
  std::vector<const std::uint8_t*> bytes_;                    // of the accesses of this step
  Now now_;
  std::size_t findings_ = 0;
  bool recording_ = false, ended_ = false;
};

}  // namespace

Result<code::RunTrace> traced(const ptx::Module& module, const Launch& launch, const TraceRequest& request) {
  const i64 blocks = i64{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (request.block < 0 || request.block >= blocks)
    return Diag{fmt::format("there is no block {}", request.block), fmt::format("0 to {}", blocks - 1)};
  Recorder recorder(launch, request);
  TESSERA_TRY(const Report report, runObserved(module, launch, recorder));
  (void)report;
  return recorder.take();
}

}  // namespace tessera::kernel
