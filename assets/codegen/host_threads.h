// Threads of a block, run in turn on one host thread: each has a stack, switched where CUDA threads wait.
//
//     __syncthreads()              waits for every thread of the block
//     warp(name, mask, run, args)  waits for every lane of the mask; `run` then acts on the args of all at once
//
// Included by tessera_host.h. Needs POSIX (ucontext, mmap).
#pragma once
#pragma GCC system_header

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Linker symbols for both ends of the section; null if no kernel has shared memory.
extern "C" {
extern unsigned char __start_tessera_shared[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_tessera_shared[] __attribute__((weak, visibility("hidden")));
}

namespace tessera::host {

// A started copy to shared memory: it lands when its thread waits for its group.
struct Flight {
  void* to;
  const void* from;
  std::size_t bytes, given;              // the first `given` are read, the others are zero
  std::array<unsigned char, 16> issued;  // source bytes when the copy was started
};

// Accumulators of warpgroup products: their values once `pending` of them have completed.
struct Sums {
  void* at;
  int pending;
  std::vector<unsigned char> values;
};

// The arguments of the lanes of a warp instruction: pointers to registers and addresses. Null: the lane is missing.
using LaneArguments = void* const (&)[32];

enum class State : unsigned char { Ready, AtBarrier, AtWarp, AtPhase, Ended };

// An mbarrier: what its phase still waits for.
struct Phases {
  long count = 1, arrivals = 1, bytes = 0, phase = 0;
};

struct Thread {
  ucontext_t context;
  dim3 index;
  State state = State::Ready;
  const char* place = "its end";  // where it waits
  void (*run)(LaneArguments) = nullptr;
  unsigned mask = 0;
  void* arguments = nullptr;
  std::vector<std::vector<Flight>> groups;                   // of cp.async; the last one is still open
  std::vector<std::vector<std::function<void()>>> products;  // for lane 0: of its warp; the last group is still open
  std::vector<Sums> sums;
  const Phases* phases = nullptr;  // AtPhase: waits for that parity
  int parity = 0;
};

struct Block {
  std::vector<Thread> threads;
  std::function<void()> kernel;
  ucontext_t scheduler;
  Thread* running = nullptr;
  unsigned order = 0;
  std::string wrong;
  std::map<const void*, Phases> barriers;     // by address
  std::vector<std::function<void()>> copies;  // TMA copies in flight
};
inline Block machine;
inline dim3 gridSize, blockSize, blockIndex;

constexpr std::size_t kStack = std::size_t{1} << 18, kGuard = std::size_t{1} << 12, kMostThreads = 1024;

// One allocation for all stacks, with a guard page below each.
inline unsigned char* stackOf(std::size_t thread) {
  static unsigned char* const all = [] {
    void* got = mmap(nullptr, kStack * kMostThreads, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    auto* base = got == MAP_FAILED ? nullptr : static_cast<unsigned char*>(got);
    for (std::size_t t = 0; base != nullptr && t < kMostThreads; ++t) mprotect(base + t * kStack, kGuard, PROT_NONE);
    return base;
  }();
  return all == nullptr ? nullptr : all + thread * kStack;
}

inline std::size_t numberOf(const Thread& t) { return static_cast<std::size_t>(&t - machine.threads.data()); }
inline std::string nameOf(const Thread& t) {
  return "block " + std::to_string(blockIndex.x) + ", thread " + std::to_string(numberOf(t));
}

inline void wait(State state, const char* place) {
  Thread& me = *machine.running;
  me.state = state;
  me.place = place;
  swapcontext(&me.context, &machine.scheduler);
}

// Stops the kernel: this thread does not continue, and launch() returns the message.
inline void fail(const std::string& what) {
  if (machine.wrong.empty()) machine.wrong = machine.running == nullptr ? what : nameOf(*machine.running) + ": " + what;
  if (machine.running != nullptr) wait(State::Ended, "an error");
}

inline bool isShared(const void* at, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(at);
  return p >= __start_tessera_shared && p + bytes <= __stop_tessera_shared;
}

// An instruction of the lanes in `mask`: waits until all have arrived and `run` has acted for them.
inline void warp(const char* name, unsigned mask, void (*run)(LaneArguments), void* arguments) {
  Thread& me = *machine.running;
  const unsigned lane = numberOf(me) % 32;
  if ((mask >> lane & 1) == 0) fail(std::string(name) + ": the lane is not in its own mask");
  me.run = run;
  me.mask = mask;
  me.arguments = arguments;
  wait(State::AtWarp, name);
}

inline void runThread() {
  machine.kernel();
  machine.running->state = State::Ended;
  machine.running->place = "its end";
  swapcontext(&machine.running->context, &machine.scheduler);
}

inline bool prepare(Thread& thread) {
  thread.state = State::Ready;
  thread.index = {static_cast<unsigned>(numberOf(thread)), 0, 0};
  thread.groups.assign(1, {});
  thread.products.assign(1, {});
  thread.sums.clear();
  unsigned char* stack = stackOf(numberOf(thread));
  if (stack == nullptr || getcontext(&thread.context) != 0) return false;
  thread.context.uc_stack.ss_sp = stack + kGuard;
  thread.context.uc_stack.ss_size = kStack - kGuard;
  thread.context.uc_link = nullptr;
  makecontext(&thread.context, runThread, 0);
  return true;
}

inline bool startBlock() {
  if (__start_tessera_shared != nullptr)
    std::memset(__start_tessera_shared, 0xff, static_cast<std::size_t>(__stop_tessera_shared - __start_tessera_shared));
  machine.barriers.clear();
  machine.copies.clear();
  for (Thread& thread : machine.threads)
    if (!prepare(thread)) return false;
  return true;
}

// Runs the ready threads of a warp until they wait. order: 0 first to last, 1 last to first, others mixed.
inline bool runReady(std::size_t warp, unsigned order) {
  bool any = false;
  const std::size_t first = warp * 32, n = std::min<std::size_t>(32, machine.threads.size() - first);
  for (std::size_t i = 0; i < n; ++i) {
    // 37 is a prime above 32, so i * 37 visits every lane.
    const std::size_t lane = order == 0 ? i : order == 1 ? n - 1 - i : (i * 37 + order) % n;
    Thread& thread = machine.threads[first + lane];
    if (thread.state != State::Ready) continue;
    any = true;
    machine.running = &thread;
    swapcontext(&machine.scheduler, &thread.context);
    machine.running = nullptr;
    if (!machine.wrong.empty()) return false;
  }
  return any;
}

// Executes the instruction that this thread waits at, if all lanes of its mask have arrived.
inline bool runWarp(std::size_t thread) {
  const Thread& first = machine.threads[thread];
  if (first.state != State::AtWarp) return false;
  const std::size_t base = thread / 32 * 32;
  void* arguments[32] = {};
  for (std::size_t lane = 0; lane < 32 && base + lane < machine.threads.size(); ++lane) {
    const Thread& other = machine.threads[base + lane];
    if ((first.mask >> lane & 1) == 0) continue;
    if (other.state != State::AtWarp || other.mask != first.mask || std::strcmp(other.place, first.place) != 0)
      return false;
    arguments[lane] = other.arguments;
  }
  first.run(arguments);
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (arguments[lane] != nullptr) machine.threads[base + lane].state = State::Ready;
  return true;
}

inline bool runBarrier() {
  for (const Thread& t : machine.threads)
    if (t.state != State::AtBarrier) return false;
  for (Thread& t : machine.threads) t.state = State::Ready;
  return true;
}

inline bool isOver(const Thread& t) { return (t.phases->phase & 1) != t.parity; }

// Resumes threads whose phase has ended; if no thread can proceed, a copy lands. In mixed orders one may land earlier.
inline bool runPhases(bool others, unsigned order) {
  bool any = others;
  for (Thread& t : machine.threads)
    if (t.state == State::AtPhase && isOver(t)) {
      t.state = State::Ready;
      any = true;
    }
  if (machine.copies.empty() || (any && order < 2)) return any;
  const std::size_t which = order < 2 ? 0 : order % machine.copies.size();
  const std::function<void()> copy = machine.copies[which];
  machine.copies.erase(machine.copies.begin() + static_cast<std::ptrdiff_t>(which));
  copy();
  return true;
}

// No thread can proceed, but not all have ended: names the first waiting one and the first one elsewhere.
inline std::string stuck() {
  const Thread* waits = nullptr;
  for (const Thread& t : machine.threads)
    if (waits == nullptr && t.state != State::Ended) waits = &t;
  if (waits == nullptr) return "";
  for (const Thread& t : machine.threads) {
    const bool warp = waits->state == State::AtWarp;
    if (warp && numberOf(t) / 32 != numberOf(*waits) / 32) continue;
    if (t.state != waits->state || std::strcmp(t.place, waits->place) != 0 || (warp && t.mask != waits->mask))
      return nameOf(*waits) + " waits at " + waits->place + ", and thread " + std::to_string(numberOf(t)) + " is at " +
             t.place + ": they never meet";
  }
  return nameOf(*waits) + " waits at " + waits->place + " forever";
}

// Runs the threads of a warp and their joint instructions.
inline bool stepWarp(std::size_t warp, unsigned order) {
  bool more = runReady(warp, order);
  const std::size_t last = std::min(warp * 32 + 32, machine.threads.size());
  for (std::size_t t = warp * 32; t < last && machine.wrong.empty(); ++t) more = runWarp(t) || more;
  return more && machine.wrong.empty();
}

// In orders 0 and 1 a warp runs as far as possible before the next one starts: a missing barrier then reads values not
// yet written. In the other orders all warps interleave.
inline void runBlock(unsigned order) {
  machine.order = order;
  if (!startBlock()) {
    machine.wrong = "no memory for the stacks of the threads";
    return;
  }
  const std::size_t warps = (machine.threads.size() + 31) / 32;
  for (bool more = true; more && machine.wrong.empty();) {
    more = false;
    for (std::size_t i = 0; i < warps; ++i) {
      const std::size_t warp = order == 1 ? warps - 1 - i : i;
      bool moved = stepWarp(warp, order);
      more = moved || more;
      while (moved && order < 2) moved = stepWarp(warp, order);
    }
    if (machine.wrong.empty()) more = runBarrier() || more;
    if (machine.wrong.empty()) more = runPhases(more, order);
  }
  if (machine.wrong.empty()) machine.wrong = stuck();
}

// Runs the kernel for every thread of every block. Returns an error message, empty on success.
inline std::string launch(unsigned blocks, unsigned threads, std::function<void()> kernel, unsigned order = 0) {
  if (threads < 1 || threads > kMostThreads) return "a block has 1 to 1024 threads, not " + std::to_string(threads);
  machine.wrong.clear();
  machine.kernel = std::move(kernel);
  machine.threads.assign(threads, {});
  gridSize = {blocks, 1, 1};
  blockSize = {threads, 1, 1};
  for (unsigned b = 0; b < blocks && machine.wrong.empty(); ++b) {
    blockIndex = {b, 0, 0};
    runBlock(order);
  }
  return machine.wrong;
}

// ---- shuffles: each lane passes a value and receives another lane's

enum class Shuffle { Index, Up, Down, Xor };

template <class T>
struct Shuffled {
  Shuffle mode;
  T value, result;
  int operand, width;
};

// The lane that `lane` reads: in segments of `width` lanes, itself if the other one is outside the segment.
inline int shuffledFrom(Shuffle mode, int lane, int operand, int width) {
  const int first = lane / width * width;
  int from = lane;
  if (mode == Shuffle::Index) from = first + operand % width;
  if (mode == Shuffle::Up) from = lane - operand < first ? lane : lane - operand;
  if (mode == Shuffle::Down) from = lane + operand >= first + width ? lane : lane + operand;
  // Xor may read an earlier segment, never a later one.
  if (mode == Shuffle::Xor) from = (lane ^ operand) >= first + width ? lane : lane ^ operand;
  return from;
}

template <class T>
void runShuffle(LaneArguments lanes) {
  T values[32];
  for (int l = 0; l < 32; ++l) {
    std::memset(&values[l], 0xff, sizeof(T));  // a missing lane provides a value that cannot pass for a real one
    if (lanes[l] != nullptr) values[l] = static_cast<Shuffled<T>*>(lanes[l])->value;
  }
  for (int l = 0; l < 32; ++l) {
    auto* at = static_cast<Shuffled<T>*>(lanes[l]);
    if (at != nullptr) at->result = values[shuffledFrom(at->mode, l, at->operand, at->width)];
  }
}

template <class T>
T shuffle(const char* name, unsigned mask, Shuffle mode, T value, int operand, int width) {
  static_assert(std::is_trivially_copyable<T>::value, "a shuffled value is bits");
  Shuffled<T> one{mode, value, value, operand, width};
  warp(name, mask, runShuffle<T>, &one);
  return one.result;
}

inline void runNothing(LaneArguments) {}

}  // namespace tessera::host

#define threadIdx (::tessera::host::machine.running->index)
#define blockIdx (::tessera::host::blockIndex)
#define blockDim (::tessera::host::blockSize)
#define gridDim (::tessera::host::gridSize)

inline void __syncthreads() { ::tessera::host::wait(::tessera::host::State::AtBarrier, "__syncthreads()"); }
inline void __syncwarp(unsigned mask = 0xffffffff) {
  ::tessera::host::warp("__syncwarp()", mask, ::tessera::host::runNothing, &mask);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return ::tessera::host::shuffle("__shfl_sync()", mask, ::tessera::host::Shuffle::Index, value, lane, width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return ::tessera::host::shuffle("__shfl_up_sync()", mask, ::tessera::host::Shuffle::Up, value,
                                  static_cast<int>(delta), width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return ::tessera::host::shuffle("__shfl_down_sync()", mask, ::tessera::host::Shuffle::Down, value,
                                  static_cast<int>(delta), width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  return ::tessera::host::shuffle("__shfl_xor_sync()", mask, ::tessera::host::Shuffle::Xor, value, bits, width);
}
