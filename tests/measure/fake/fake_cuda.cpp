// A fake CUDA driver that runs kernels on the host: see fake.h. It refuses calls in the wrong order, or after its end,
// like the real one. A kernel that never ends blocks every call that would wait for it.
//
// Time is simulated: the host's clock advances by `latency` at each call that queues something, and by a sleep when it
// asks for the same event twice in a row. The device has one stream:
//
//     start = max(end of the previous kernel + gap, the host's clock)      end = start + duration
//
// A node of a graph starts at the end of the previous one, without a gap and without the host. The duration of a launch
// is `hot` if the L2 cache (the last `cache` bytes of buffers that launches used) has all its buffers, and else `cold`.
// At most `depth` launches are queued: the next one waits until the first of them has ended. An event's time is rounded
// to `tick`. The first launch takes `first` longer, and the first `slow` ones four times as long. Each `stall`-th call
// takes `stalled` longer on the host. The busy kernel takes as long as the clock of the device needs for its cycles,
// times `busy`.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "measure/fake/fake.h"

namespace {

struct Module {
  std::string text;
};
struct Function {
  std::string name;
  std::vector<std::size_t> bytes;  // of its parameters
};
struct Event {
  bool recorded = false;
  double microseconds = 0;
};
struct Node {  // of a graph
  const Function* function = nullptr;
  unsigned blocks = 0, threads = 0;
  std::vector<std::vector<unsigned char>> arguments;
  double duration = 0;  // of a library's kernel, which has no function
};
struct Graph {
  std::vector<Node> nodes;
};

// The L2: the buffers that were used last.
struct Cache {
  std::map<unsigned long long, long> uses;                           // the last use of each
  std::map<long, std::pair<unsigned long long, std::size_t>> order;  // buffers and their bytes by last use
  std::size_t bytes = 0;
  long now = 0;
};

struct State {
  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, Function> functions;  // handles
  std::map<std::string, int> allowed;         // dynamic shared memory beyond 48 KiB, by function
  unsigned lastDynamic = 0;                   // of the last launch
  std::set<Module*> modules;
  std::set<Event*> events;
  std::set<Graph*> graphs;
  std::set<int*> streams;
  Graph* captured = nullptr;  // the graph into which launches go
  std::map<unsigned long long, std::size_t> memory;
  std::size_t used = 0;
  int contexts = 0;
  bool hung = false;
  int sticky = 0;               // an error of a kernel, which every later call says
  double host = 0, device = 0;  // clocks, in microseconds; the device's: the end of the last kernel
  std::deque<double> queued;    // ends of the launches that the host has not seen ended
  Event* asked = nullptr;       // the last query
  Cache cache;
  double durations = 0;                         // of all kernels but the busy one
  int launches = 0;                             // without the busy kernel
  int calls = 0;                                // that queued something
  std::set<unsigned long long> firstArguments;  // of launches: how many copies take turns
};
State state;

double number(const char* name, double otherwise) {
  const std::string text = fakeSetting(name);
  return text.empty() ? otherwise : std::stod(text);
}

[[noreturn]] void block() {
  while (true) ::pause();
}
// Calls that wait for the device.
int waited() {
  if (state.hung) block();
  state.host = std::max(state.host, state.device);
  return state.sticky;
}
// Calls that put something into the stream.
void queues() {
  state.host += number("latency", 3);
  const int every = static_cast<int>(number("stall", 0));
  if (every > 0 && ++state.calls % every == 0) state.host += number("stalled", 3000);
  state.asked = nullptr;
}
std::size_t limit() { return std::stoull(fakeSetting("memory", "1073741824")); }

// ---- kernels: y = x for 64 elements of two bytes

constexpr std::size_t kBytes = 128;
unsigned char* bytesOf(void** arguments, int k) { return *static_cast<unsigned char**>(arguments[k]); }

void copyKernel(unsigned, unsigned, void** a) { std::memcpy(bytesOf(a, 1), bytesOf(a, 0), kBytes); }
void swapped(unsigned, unsigned, void** a) {  // two elements changed places
  copyKernel(0, 0, a);
  std::memcpy(bytesOf(a, 1) + 20, bytesOf(a, 0) + 22, 2);
  std::memcpy(bytesOf(a, 1) + 22, bytesOf(a, 0) + 20, 2);
}
void lazy(unsigned, unsigned, void** a) { std::memcpy(bytesOf(a, 1), bytesOf(a, 0), kBytes - 2); }
void overrun(unsigned, unsigned, void** a) {
  copyKernel(0, 0, a);
  bytesOf(a, 1)[kBytes] = 1;
}
void hang(unsigned, unsigned, void**) { state.hung = true; }
void illegal(unsigned, unsigned, void**) { state.sticky = 700; }
void crash(unsigned, unsigned, void**) { std::abort(); }

// A micro-kernel (solver/measure/predict/micro.h) whose own access is as fast as one without conflicts: 4 cycles, and
// 32 with all of them.
void accessKernel(unsigned, unsigned, void** a) {
  auto* const cycles = reinterpret_cast<long long*>(bytesOf(a, 0)) + *static_cast<int*>(a[2]);
  for (int k = 0; k < 18; ++k) cycles[k] = (k % 3 == 1 ? 32 : 4) * (64LL << k % 9 / 3) * (k < 9 ? 8 : 1);
}

// A launch uses the buffers of its pointers. Returns whether all of them were in the L2 cache, and puts them there.
bool usesCached(const Function& function, void** arguments) {
  constexpr std::size_t kGuards = 512;  // around every buffer (execute.cpp); no kernel touches them
  const auto capacity = static_cast<std::size_t>(number("cache", 1024));
  Cache& cache = state.cache;
  bool all = true;
  for (std::size_t k = 0; k < function.bytes.size(); ++k) {
    if (function.bytes[k] != 8) continue;
    auto at = state.memory.upper_bound(*static_cast<unsigned long long*>(arguments[k]));
    if (at == state.memory.begin()) continue;
    --at;
    const std::size_t bytes = at->second - std::min(at->second, kGuards);
    const auto [old, fresh] = cache.uses.try_emplace(at->first, ++cache.now);
    all = all && !fresh;
    if (fresh) cache.bytes += bytes;
    if (!fresh) cache.order.erase(std::exchange(old->second, cache.now));
    cache.order[cache.now] = {at->first, bytes};
  }
  while (cache.bytes > capacity) {
    const auto& [buffer, bytes] = cache.order.begin()->second;
    cache.bytes -= bytes;
    cache.uses.erase(buffer);
    cache.order.erase(cache.order.begin());
  }
  return all;
}

FakeKernel kernelOf(const std::string& name) {
  static const std::map<std::string, FakeKernel> kOwn = {
      {"copy", copyKernel}, {"swapped", swapped}, {"lazy", lazy},   {"overrun", overrun},
      {"hang", hang},       {"illegal", illegal}, {"crash", crash},
  };
  if (const auto given = state.kernels.find(name); given != state.kernels.end()) return given->second;
  if (name.rfind("access_", 0) == 0) return accessKernel;
  const auto own =
      kOwn.find(name.rfind("move_", 0) == 0 ? "copy" : name.substr(0, name.find('_')));  // as code generation calls it
  return own == kOwn.end() ? nullptr : own->second;
}

constexpr const char* kBusy = "tessera_busy";

// Runs a kernel when the device is free: `ready` is when the host has launched it. Returns an error, or 0.
int runs(const Function& function, unsigned blocks, unsigned threads, void** arguments, double ready) {
  double duration = 0;
  if (function.name == kBusy) {
    const auto cycles = *static_cast<unsigned long long*>(arguments[0]);
    duration = static_cast<double>(cycles) / 1000 * number("busy", 1);  // at 1 GHz
  } else {
    const FakeKernel kernel = kernelOf(function.name);
    if (kernel == nullptr) return 500;
    if (arguments != nullptr) state.firstArguments.insert(*static_cast<unsigned long long*>(arguments[0]));
    const bool hot = arguments != nullptr && usesCached(function, arguments);
    kernel(blocks, threads, arguments);
    const double cold = number("cold", 40 + state.launches % 4);  // 40, 41, 42, 43, 40 ... us
    duration = hot ? number("hot", cold) : cold;
    if (state.launches < number("slow", 0)) duration *= 4;  // low clocks at first
    if (state.launches++ == 0) duration += number("first", 0);
    state.durations += duration;
  }
  state.device = std::max(state.device, ready) + duration;
  return 0;
}

// Bytes of the parameters of a kernel in CUDA C++ or PTX.
std::vector<std::size_t> parametersOf(const std::string& text, std::size_t open) {
  std::vector<std::size_t> out;
  const std::size_t close = text.find(')', open);
  std::string left = text.substr(open + 1, close - open - 1);
  while (!left.empty()) {
    const std::string one = left.substr(0, left.find(','));
    const auto has = [&](const char* word) { return one.find(word) != std::string::npos; };
    out.push_back(has("CUtensorMap") || has("grid_constant") ? 128 : has("*") || has("64") || has("long") ? 8 : 4);
    left.erase(0, one.size() + 1);
  }
  return out;
}

}  // namespace

extern "C" {

// ---- for tests

void fakeRegister(const char* name, FakeKernel kernel) { state.kernels[name] = kernel; }
int fakeLive() {
  return static_cast<int>(state.modules.size() + state.events.size() + state.memory.size()) +
         static_cast<int>(state.graphs.size() + state.streams.size()) + state.contexts;
}
int fakeLaunches() { return state.launches; }
int fakeDynamicShared() { return static_cast<int>(state.lastDynamic); }
double fakeDurations() { return state.durations; }
// For fake libraries: a kernel of theirs.
void fakeLibraryKernel(double microseconds) {
  if (state.captured != nullptr) return state.captured->nodes.push_back({nullptr, 0, 0, {}, microseconds});
  queues();
  state.device = std::max(state.device, state.host) + microseconds;
}
int fakeCopies() { return static_cast<int>(state.firstArguments.size()); }
void fakeReset() {
  for (Module* m : state.modules) delete m;
  for (Event* e : state.events) delete e;
  for (Graph* g : state.graphs) delete g;
  for (int* s : state.streams) delete s;
  for (const auto& [at, bytes] : state.memory) std::free(reinterpret_cast<void*>(at));
  state = State{};
}

// ---- the driver

int cuInit(unsigned) {
  if (fakeIs("no-device")) return 100;
  return fakeIs("stub") ? 34 : 0;
}
int cuDriverGetVersion(int* version) { return *version = std::stoi(fakeSetting("driver", "12040")), 0; }
int cuDeviceGetCount(int* count) { return *count = std::stoi(fakeSetting("devices", "1")), 0; }
int cuDeviceGet(int* device, int index) { return *device = index, index == 0 ? 0 : 101; }
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, fakeSetting("name", "Fake GPU").c_str(), static_cast<std::size_t>(size));
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = limit(), 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 13:
      *value = 1'000'000;
      return 0;  // 1 GHz
    case 16:
      *value = 100;
      return 0;  // multiprocessors
    case 36:
      *value = 500'000;
      return 0;  // memory: 2 * 0.5 GHz * 1024 bits = 128 GB/s
    case 37:
      *value = 1024;
      return 0;
    case 38:
      *value = std::stoi(fakeSetting("cache", "1024"));
      return 0;
    case 39:
      *value = 2048;
      return 0;
    case 75:
      *value = std::stoi(fakeSetting("major", "8"));
      return 0;
    case 76:
      *value = std::stoi(fakeSetting("minor", "0"));
      return 0;
    default:
      return 1;
  }
}
int cuDevicePrimaryCtxRetain(void** context, int) { return ++state.contexts, *context = &state, 0; }
int cuDevicePrimaryCtxRelease_v2(int) {
  if (state.hung) block();
  return --state.contexts, 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuModuleLoadData(void** module, const void* image) {
  if (fakeIs("stuck")) block();
  if (fakeIs("image")) return 200;
  if (fakeIs("no-jit") && std::strncmp(static_cast<const char*>(image), ".version", 8) == 0) return 222;
  auto* made = new Module{static_cast<const char*>(image)};
  state.modules.insert(made);
  *module = made;
  return 0;
}
int cuModuleUnload(void* module) {
  if (state.hung) block();
  if (state.modules.erase(static_cast<Module*>(module)) == 0) return 400;
  delete static_cast<Module*>(module);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  const std::string& text = static_cast<Module*>(module)->text;
  const std::size_t at = text.find(std::string(" ") + name + "(");
  if (at == std::string::npos) return 500;
  Function& made = state.functions[name];
  made = {name, parametersOf(text, text.find('(', at))};
  *function = &made;
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
  return *value = attribute == 4 ? 24 : attribute == 0 ? 1024 : 0, 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t) {
  return *blocks = 2048 / threads, 0;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  if (attribute != 8 || value > std::stoi(fakeSetting("shared", "166912"))) return 1;  // 163 KiB
  return state.allowed[static_cast<Function*>(function)->name] = value, 0;
}
int cuStreamCreate(void** stream, unsigned) {
  if (fakeIs("no-stream")) return 2;
  return *stream = *state.streams.insert(new int(0)).first, 0;
}
int cuStreamDestroy_v2(void* stream) {
  if (state.streams.erase(static_cast<int*>(stream)) == 0) return 400;
  delete static_cast<int*>(stream);
  return 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned dynamic, void* stream, void** arguments, void**) {
  if (fakeIs("launch")) return 701;
  if (stream != nullptr && state.streams.count(static_cast<int*>(stream)) == 0) return 400;
  const auto& f = *static_cast<Function*>(function);
  const auto allowed = state.allowed.find(f.name);
  if (dynamic > 49152 && (allowed == state.allowed.end() || static_cast<int>(dynamic) > allowed->second)) return 1;
  if (f.name != kBusy) state.lastDynamic = dynamic;
  if (state.sticky != 0) return state.sticky;
  if (state.captured != nullptr && stream == nullptr) return 906;  // the default stream would wait for the captured one
  if (state.captured != nullptr) {
    Node node{&f, x, threads, {}, 0};
    for (std::size_t k = 0; k < f.bytes.size(); ++k) {
      const auto* const from = static_cast<const unsigned char*>(arguments[k]);
      node.arguments.emplace_back(from, from + f.bytes[k]);
    }
    state.captured->nodes.push_back(std::move(node));
    return 0;
  }
  queues();
  while (!state.queued.empty() && state.queued.front() <= state.host) state.queued.pop_front();
  if (static_cast<double>(state.queued.size()) >= number("depth", 1024)) {
    state.host = state.queued.front();
    state.queued.pop_front();
  }
  const double gap = state.device > state.host ? number("gap", 0) : 0;
  const int result = runs(f, x, threads, arguments, std::max(state.host, state.device + gap));
  state.queued.push_back(state.device);
  return result;
}
#ifndef FAKE_WITHOUT_GRAPHS
int cuStreamBeginCapture_v2(void* stream, int) {
  if (stream == nullptr || state.captured != nullptr) return 900;  // the default stream cannot be captured
  if (fakeIs("no-capture")) return 801;
  return state.captured = *state.graphs.insert(new Graph).first, 0;
}
int cuStreamEndCapture(void*, void** graph) {
  if (state.captured == nullptr) return 1;
  *graph = fakeIs("bad-capture") ? nullptr : state.captured;
  if (*graph == nullptr) state.graphs.erase(state.captured);
  if (*graph == nullptr) delete state.captured;
  state.captured = nullptr;
  return *graph == nullptr ? 901 : 0;
}
int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
  if (fakeIs("no-instance")) return 2;
  return *made = *state.graphs.insert(new Graph(*static_cast<Graph*>(graph))).first, 0;
}
int cuGraphLaunch(void* graph, void*) {
  queues();
  if (fakeIs("no-graph-launch")) return 701;
  for (Node& node : static_cast<Graph*>(graph)->nodes) {
    std::vector<void*> arguments;
    for (auto& bytes : node.arguments) arguments.push_back(bytes.data());
    if (node.function == nullptr) {
      state.device = std::max(state.device, state.host) + node.duration;
    } else if (const int result = runs(*node.function, node.blocks, node.threads, arguments.data(), state.host)) {
      return result;
    }
  }
  return 0;
}
int cuGraphDestroy(void* graph) {
  if (state.graphs.erase(static_cast<Graph*>(graph)) == 0) return 400;
  delete static_cast<Graph*>(graph);
  return 0;
}
int cuGraphExecDestroy(void* graph) { return cuGraphDestroy(graph); }
#endif
int cuEventCreate(void** event, unsigned) {
  auto* made = new Event;
  state.events.insert(made);
  return *event = made, 0;
}
int cuEventDestroy_v2(void* event) {
  if (state.events.erase(static_cast<Event*>(event)) == 0) return 400;
  delete static_cast<Event*>(event);
  return 0;
}
int cuEventRecord(void* event, void*) {
  queues();
  const double now = std::max(state.device, state.host), tick = number("tick", 0);
  static_cast<Event*>(event)->recorded = true;
  static_cast<Event*>(event)->microseconds = tick > 0 ? std::round(now / tick) * tick : now;
  return state.sticky;
}
#ifndef FAKE_WITHOUT_QUERY
int cuEventQuery(void* event) {
  auto* const e = static_cast<Event*>(event);
  if (state.hung || !e->recorded) return 600;
  if (state.sticky != 0) return state.sticky;
  if (state.asked == e) state.host = std::max(state.host, e->microseconds);  // it has slept in between
  state.asked = e;
  return e->microseconds <= state.host ? 0 : 600;
}
#endif
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  const double us = static_cast<Event*>(to)->microseconds - static_cast<Event*>(from)->microseconds;
  return *milliseconds = static_cast<float>(us / 1000), waited();
}
int cuMemAlloc_v2(unsigned long long* pointer, std::size_t bytes) {
  if (state.used + bytes > limit()) return 2;
  *pointer = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  state.memory[*pointer] = bytes;
  state.used += bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  if (state.hung) block();
  const auto at = state.memory.find(pointer);
  if (at == state.memory.end()) return 1;
  state.used -= at->second;
  state.memory.erase(at);
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return waited();
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  const int result = waited();
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return result;
}
int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return waited();
}
int cuMemsetD8_v2(unsigned long long to, unsigned char byte, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return waited();
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) { return *all = limit(), *free = *all - state.used, 0; }
// The first words of the map are what it was made of: the address, rank, element type, swizzle, extents, strides and
// box.
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* start, const unsigned long long* extents,
                           const unsigned long long* strides, const unsigned* box, const unsigned* steps,
                           int interleave, int swizzle, int, int) {
  if (fakeIs("map") || rank < 1 || rank > 3 || interleave != 0) return 1;
  unsigned long long words[16] = {reinterpret_cast<unsigned long long>(start), rank, static_cast<unsigned>(type),
                                  static_cast<unsigned>(swizzle)};
  for (unsigned d = 0; d < rank; ++d) {
    if (steps[d] != 1 || box[d] < 1 || box[d] > 256 || (d > 0 && strides[d - 1] % 16 != 0)) return 1;
    words[4 + d] = extents[d];
    if (d > 0) words[6 + d] = strides[d - 1];
    words[10 + d] = box[d];
  }
  std::memcpy(map, words, sizeof words);
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  switch (error) {
    case 1:
      return *name = "CUDA_ERROR_INVALID_VALUE", 0;
    case 2:
      return *name = "CUDA_ERROR_OUT_OF_MEMORY", 0;
    case 100:
      return *name = "CUDA_ERROR_NO_DEVICE", 0;
    case 700:
      return *name = "CUDA_ERROR_ILLEGAL_ADDRESS", 0;
    case 701:
      return *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", 0;
    default:
      return 1;
  }
}
int cuGetErrorString(int error, const char** text) {
  switch (error) {
    case 1:
      return *text = "invalid argument", 0;
    case 2:
      return *text = "out of memory", 0;
    case 100:
      return *text = "no CUDA-capable device is detected", 0;
    case 700:
      return *text = "an illegal memory access was encountered", 0;
    default:
      return 1;
  }
}
}
