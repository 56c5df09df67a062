// A fake CUDA driver that runs kernels on the host: see fake.h. It refuses calls in the wrong order, or after its end,
// like the real one. A kernel that never ends blocks every call that would wait for it.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "measure/fake/fake.h"

namespace {

struct Module {
  std::string text;
};
struct Event {
  bool recorded = false;
  double microseconds = 0;
};

struct State {
  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, std::string> functions;  // handles
  std::map<std::string, int> allowed;            // dynamic shared memory beyond 48 KiB, by function
  unsigned lastDynamic = 0;                      // of the last launch
  std::set<Module*> modules;
  std::set<Event*> events;
  std::map<unsigned long long, std::size_t> memory;
  int contexts = 0;
  bool hung = false;
  int sticky = 0;    // an error of a kernel, which every later call says
  double clock = 0;  // microseconds of kernels so far
  int launches = 0;
  std::set<unsigned long long> firstArguments;  // of launches: how many copies take turns
};
State state;

[[noreturn]] void block() {
  while (true) ::pause();
}
// Calls that wait for the device.
int waited() {
  if (state.hung) block();
  return state.sticky;
}
std::size_t used() {
  std::size_t sum = 0;
  for (const auto& [at, bytes] : state.memory) sum += bytes;
  return sum;
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

}  // namespace

extern "C" {

// ---- for tests

void fakeRegister(const char* name, FakeKernel kernel) { state.kernels[name] = kernel; }
int fakeLive() {
  return static_cast<int>(state.modules.size() + state.events.size() + state.memory.size()) + state.contexts;
}
int fakeLaunches() { return state.launches; }
int fakeDynamicShared() { return static_cast<int>(state.lastDynamic); }
int fakeCopies() { return static_cast<int>(state.firstArguments.size()); }
void fakeReset() {
  for (Module* m : state.modules) delete m;
  for (Event* e : state.events) delete e;
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
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
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
  if (static_cast<Module*>(module)->text.find(std::string(" ") + name + "(") == std::string::npos) return 500;
  *function = &state.functions.try_emplace(name, name).first->second;
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
  return state.allowed[*static_cast<std::string*>(function)] = value, 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned dynamic, void*, void** arguments, void**) {
  if (fakeIs("launch")) return 701;
  const auto allowed = state.allowed.find(*static_cast<std::string*>(function));
  if (dynamic > 49152 && (allowed == state.allowed.end() || static_cast<int>(dynamic) > allowed->second)) return 1;
  state.lastDynamic = dynamic;
  if (state.sticky != 0) return state.sticky;
  const FakeKernel kernel = kernelOf(*static_cast<std::string*>(function));
  if (kernel == nullptr) return 500;
  if (arguments != nullptr) state.firstArguments.insert(*static_cast<unsigned long long*>(arguments[0]));
  kernel(x, threads, arguments);
  state.clock += 40 + state.launches++ % 4;  // 40, 41, 42, 43, 40 ... us
  return 0;
}
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
  static_cast<Event*>(event)->recorded = true;
  static_cast<Event*>(event)->microseconds = state.clock;
  return state.sticky;
}
#ifndef FAKE_WITHOUT_QUERY
int cuEventQuery(void* event) {
  if (state.hung || !static_cast<Event*>(event)->recorded) return 600;
  return state.sticky;
}
#endif
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  const double us = static_cast<Event*>(to)->microseconds - static_cast<Event*>(from)->microseconds;
  return *milliseconds = static_cast<float>(us / 1000), waited();
}
int cuMemAlloc_v2(unsigned long long* pointer, std::size_t bytes) {
  if (used() + bytes > limit()) return 2;
  *pointer = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  state.memory[*pointer] = bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long pointer) {
  if (state.hung) block();
  if (state.memory.erase(pointer) == 0) return 1;
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
int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) { return *all = limit(), *free = *all - used(), 0; }
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
