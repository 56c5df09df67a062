// Machine: runs a plan on the CPU, over numbers or over terms, with warps in lockstep and real barriers.
//
//     Numbers numbers;                       Terms terms;
//     Machine machine(plan, numbers);        Machine machine(plan, terms);
//     machine.fill(0, ...);                  // unfilled: each input stands for itself, %A[3,5] is the term %A[3,5]
//     machine.run();                         // every kernel, block after block
//     machine.value(root, block, thread, address)
//
// The warps of a block run one after another, each to its next barrier. Conflicting accesses between two barriers are a
// race in any order (shadow.h), so the order (`seed`) affects which witnesses a finding shows, but not whether there is
// one.
//
// runSpec(s, block, loops) runs a single decomposition, from its Enter to its Exit, at the given loop values. set()
// must provide everything that it reads. This is how each decomposition is compared with its own function.
//
// Findings: O1 divergent barriers and collectives, threads outside their group, misaligned vectors; O2 coordinates
// beyond the extents; O3 tensors that an enclosing specification does not name, outputs read before they are written;
// O4 and O5 of kernels; O6 races, including those with copies in flight; O7 reads of unwritten values. One finding is
// kept per pair of statements; repetitions are counted. The machine then continues: invalid writes are dropped, and
// missing values are undefined.
//
// Products of a warpgroup (wgmma) are executed warp by warp, 16 rows each; when the four warps meet, it checks that
// they issued the same products. The product owns its registers and matrices until the wait for its group
// (machine_product.h).
//
// With barriers that count (mbarrier), warps resume at different times. Order is then given by clocks.h, and a block
// runs until no warp can proceed. TMA copies land when no other progress is possible, or earlier, in an order given by
// `seed` (machine_barrier.h, machine_bulk.h).
//
// Law: without findings the results do not depend on `seed`. Not checked here: O8, which compares values
// (solver/graphene); O3 within a tensor.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "solver/emulate/machine/findings.h"
#include "solver/emulate/numbers.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

template <class Domain>
class Machine {
 public:
  using Value = typename Domain::Value;

  // Both must outlive the machine.
  Machine(const Plan& plan, Domain& domain, MachineOptions options = {});

  // The initial value of an operand's place. Global: block and thread are 0; shared: thread is 0.
  using Fill = std::function<Value(i64 block, i64 thread, i64 address)>;
  void fill(int root, const Fill& value);
  void set(int root, i64 block, i64 thread, i64 address, Value value);
  // nullopt if it was never written.
  [[nodiscard]] std::optional<Value> value(int root, i64 block, i64 thread, i64 address) const;

  void run();
  // Runs one kernel, an index into plan.specs, or one of its blocks. Coverage is checked after all blocks.
  void runKernel(int kernel);
  void runBlock(int kernel, i64 block);
  // Runs one decomposition. `enabled`: the threads that execute it; empty: the whole block. `loops`: by plan.loops.
  void runSpec(int spec, i64 block, std::span<const i64> loops, std::span<const char> enabled = {});
  // Restores the initial state of temporaries and operands.
  void reset();

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_.kept(); }
  [[nodiscard]] i64 findingCount() const { return findings_.count(); }  // including those not kept
  [[nodiscard]] const std::vector<LeafCounts>& counts() const { return counts_; }
  [[nodiscard]] i64 steps() const { return steps_; }
  [[nodiscard]] const std::string& stopped() const {
    return findings_.stopped();
  }  // why it stopped early; empty: it did not

  // Evaluates a column for one thread.
  [[nodiscard]] i64 evaluate(int column, i64 block, i64 thread, std::span<const i64> loops) const {
    return valueOf(plan_, column, block, thread, loops);
  }

 private:
  static constexpr std::size_t kMaxTracked = std::size_t{1} << 30;

  struct Flight {  // cp.async
    int leaf = 0, lane = 0;
    i64 group = -1;                             // -1: not committed
    std::vector<std::pair<i64, Value>> places;  // index into the storage
  };
  struct Source {  // a place that a cp.async reads until its wait
    int leaf = 0, lane = 0, root = 0;
    i64 group = -1;  // -1: not committed
    i64 place = 0;
  };
  struct Reading {  // a matrix that a product of group `group` reads
    int leaf = 0, lane = 0, root = 0;
    i64 group = 0;
    std::vector<i64> places;
  };
  struct Plain {  // a place with an ordinary write that products do not see yet
    int root = 0, lane = 0;
    i64 place = 0;
  };
  using Status = Warp::Status;
  struct Visit {  // a wait for the phase that ended last
    std::size_t thread = 0;
    std::uint32_t clock = 0;
    Span span;
  };
  struct Barrier {                // an mbarrier of the block
    i64 count = 0;                // 0: not initialised
    i64 arrivals = 0, bytes = 0;  // still missing in the current phase
    i64 phase = 0;
    i64 landed = 0, seen = 0;  // phases that copies have arrived in, and that a thread has waited for
    std::size_t maker = 0;     // the initialising thread, and its clock
    std::uint32_t made = 0;
    Clocks::Knowledge open, over;  // of arrivals so far; at the end of the last phase
    std::vector<Visit> visits;
  };
  struct Copy {  // of TMA, in flight
    int leaf = 0;
    std::size_t barrier = 0, thread = 0;
    i64 phases = 0, bytes = 0;  // phases of the barrier that its thread knew to have ended
    std::uint32_t instance = 1;
    std::vector<std::pair<i64, Value>> places;
  };
  struct InFlight {                    // of one warp
    std::array<i64, kLanes> groups{};  // committed so far, by lane
    std::vector<Flight> flights;
    std::vector<Source> sources;
    std::vector<Reading> readings;
    std::vector<Plain> plains;
    i64 products = 0;                            // committed product groups
    u64 issued = 0;                              // hash of the products issued
    std::array<std::uint32_t, kLanes> fenced{};  // by lane: phase of the last fence.async, + 1
  };
  [[nodiscard]] InFlight& of(const Warp& w) { return inFlight_[w.index]; }
  struct Store {
    std::vector<Value> values;
    std::vector<std::uint32_t> defined;  // the instance that wrote it; empty: always defined
    ShadowMap shadow;
    std::unordered_map<i64, std::vector<Tag>> readers;  // with clocks: the unordered readers since the last write
    bool tracked = false;                               // races are possible
    std::vector<std::uint8_t> writes;                   // for outputs of this kernel: 1 if written
    // For registers of warpgroup products: kTouched, kFenced, the group of the pending product that writes it, or
    // kReading plus the group of the pending product that reads it.
    std::vector<i64> sums;
  };

  // machine_control.h
  void begin(int kernel, i64 block, std::span<const char> enabled);
  void finish(std::size_t end);
  void proceed(Warp& w, std::size_t end);
  bool control(Warp& w, const PlanStep& step);
  void loop(Warp& w, const PlanStep& step);
  [[nodiscard]] std::size_t trackedBytes() const;
  void meet();
  void fresh(Warp& w, int root);
  void land(Warp& w, int pending);
  void release(Warp& w, int pending);
  [[nodiscard]] bool arrived(const Warp& w, int lane, i64 group, int pending) {
    return holds(w.mask, lane) && group >= 0 && group < of(w).groups[lane] - pending;
  }
  void coverage(int kernel);
  [[nodiscard]] bool dependsOnBlock(int column, i64 blocks) const;
  [[nodiscard]] Lanes condition(Warp& w, const std::vector<PlanComparison>& all);

  // machine_leaf.h: instructions
  struct Lookup {  // an operand during one instruction
    int leaf = 0, operand = 0;
    const PlanOperand* op = nullptr;
    const Root* root = nullptr;
    Store* store = nullptr;
    const LaneValues* offset = nullptr;
    Lanes suspect = 0;           // lanes with slots that may be beyond the extents
    std::uint32_t instance = 1;  // of the declaration
  };
  struct Spot {  // one slot of one lane
    int lane = 0;
    std::size_t slot = 0;
    i64 address = 0, place = 0;  // in the tensor, in its storage
    Tag me;
  };
  [[nodiscard]] static i64 addressOf(const Lookup& at, int lane, std::size_t slot) {
    const i64 address = (*at.offset)[static_cast<std::size_t>(lane)] + at.op->slots.addresses[slot];
    return at.op->swizzle.isIdentity() ? address : at.op->swizzle(address);
  }
  void execute(Warp& w, int leaf);
  bool arrange(Warp& w, int leaf);
  bool join(Warp& w, int leaf, int lane, const LaneValues& offsets, Lanes& open);
  Lookup look(Warp& w, int leaf, int operand);
  bool inside(Warp& w, const Lookup& at, int lane, std::size_t slot);
  [[nodiscard]] i64 placeOf(const Warp& w, const Lookup& at, int lane, i64 address) const;
  void gather(Warp& w, const Lookup& at, std::vector<Value>& out);
  void load(Warp& w, const Lookup& at, const Spot& spot, Value& out);
  bool loadOrdered(Warp& w, const Lookup& at, const Spot& spot);
  void scatter(Warp& w, const Lookup& at, std::vector<Value>& in);
  void store(Warp& w, const Lookup& at, const Spot& spot, Value value, Flight* flight);
  void storeOrdered(Warp& w, const Lookup& at, const Spot& spot, bool flies);
  void align(Warp& w, const Lookup& at);
  void compute(const PlanLeaf& leaf, int index);
  void tally(Warp& w, const Lookup& at, const AtlasAccess& how);
  void noteUnwritten(Warp& w, const Lookup& at, const Spot& spot);
  void noteOutput(Warp& w, const Lookup& at, const Spot& spot);
  void observe(Warp& w, const Lookup& at, const Spot& spot);
  [[nodiscard]] std::vector<i64> coordinate(Warp& w, const Lookup& at, int lane, std::size_t slot);

  // machine_product.h: products of a warpgroup
  static constexpr i64 kTouched = -2, kFenced = -1, kReading = i64{1} << 40;
  bool gatherWarpgroup(Warp& w, int leaf);
  bool sameMatrix(Warp& w, const Lookup& at);
  void readMatrix(Warp& w, const Lookup& at, const Tag& me, std::vector<Value>& out);
  bool matrixOrdered(Warp& w, const Lookup& at, const Spot& spot);
  bool sumOrdered(Warp& w, const Lookup& at, const Spot& spot, bool write);
  void notePlain(Warp& w, int root, i64 place, int lane);
  void productFence(Warp& w, const PlanStep& step);
  void productCommit(Warp& w, const PlanStep& step);
  void productWait(Warp& w, const PlanStep& step);
  void asyncFence(Warp& w);
  void sameProducts();

  // machine_barrier.h: mbarriers; machine_bulk.h: TMA
  [[nodiscard]] bool apart(const Tag& other, const Tag& me, std::size_t thread) const;
  [[nodiscard]] std::size_t threadOf(const Warp& w, int lane) const { return static_cast<std::size_t>(w.thread(lane)); }
  void beginBarriers(std::size_t threads);
  void meetLanes(const Warp& w);
  const Tag* clash(Store& store, const Spot& spot, std::size_t thread);
  void noteReader(Store& store, i64 place, const Tag& me, std::size_t thread);
  std::optional<std::size_t> barrierAt(Warp& w, const PlanBarrier& b, int lane, Span span);
  bool ready(const Barrier& b, std::size_t number, std::size_t thread, Span span, const char* does);
  bool barrier(Warp& w, const PlanStep& step);
  void initialise(std::size_t number, std::size_t thread, i64 count, Span span);
  void arrive(std::size_t number, std::size_t thread, i64 bytes, Span span);
  void complete(std::size_t number);
  [[nodiscard]] bool mustWait(Warp& w, const PlanStep& step);
  bool waitFor(Warp& w, const PlanStep& step);
  void checkWait(std::size_t number, std::size_t thread, i64 phase, Span span);
  [[nodiscard]] bool writtenHere(int root) const;
  void scatterBulk(Warp& w, const Lookup& at, std::vector<Value>& values);
  bool copies(Warp& w, const Lookup& at, int lane, Copy& copy);
  void bulkOrdered(Warp& w, const Lookup& at, const Spot& spot);
  void landBulk(std::size_t which);
  bool goOn(std::mt19937_64& random);
  [[nodiscard]] bool othersMayHelp(const Warp& w) const;
  void stuck();
  [[nodiscard]] std::string waitText(std::size_t number) const;
  void leftOver();
  [[nodiscard]] std::string nameOfBarrier(std::size_t number) const;
  void reportBarrier(Span span, std::size_t thread, int kind, std::string message);

  // machine_report.h: findings
  void reportPlace(Warp& w, const Lookup& at, Obligation obligation, int lane, std::size_t slot, i64 address,
                   const Tag* other, std::string_view what);
  void reportCoverage(Finding finding, const PlanSpec& spec, const PlanOperand& op, i64 missing, i64 all);

  const Plan& plan_;
  Domain& domain_;
  MachineOptions options_;
  Timeline now_;
  Findings findings_{plan_, now_, options_};
  std::vector<Store> stores_;
  std::vector<int> operations_;  // by leaf
  struct Conversion {
    NumberFormat from;      // of the value copied or computed: fp64 if a floating operand takes part
    bool integers = false;  // all operands are integers, so integer arithmetic applies
    bool needed = false;    // the output has another type than the input, or is computed
    int operation = -1;     // number in the domain
  };
  [[nodiscard]] Conversion conversionOf(const PlanLeaf& leaf);
  std::vector<Conversion> conversions_;  // by leaf
  std::vector<Warp> warps_;
  std::vector<InFlight> inFlight_;
  std::vector<Barrier> barriers_;
  std::vector<Copy> copies_;
  i64 steps_ = 0;
  // one instruction
  std::array<std::uint8_t, kLanes> order_{};  // position -> lane; groups are contiguous
  std::size_t positions_ = 0;
  std::size_t quarter_ = 0;  // index of this warp within its warpgroup
  bool writing_ = false;
  std::vector<Value> out_, in0_, in1_;
  std::vector<LeafCounts> counts_;
};

extern template class Machine<Numbers>;
extern template class Machine<Terms>;

}  // namespace tessera::graphene
