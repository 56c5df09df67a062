#include "solver/measure/device/driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "core/atlas/cutlass.h"

namespace tessera::measure {

namespace {

// CUresult.
constexpr int kOutOfMemory = 2, kStubLibrary = 34, kNoDevice = 100, kInvalidImage = 200, kNoBinary = 209;
constexpr int kInvalidPtx = 218, kUnsupportedPtx = 222, kNotReady = 600, kIllegalAddress = 700, kOutOfResources = 701;
constexpr int kRelaxedCapture = 2;  // CUstreamCaptureMode
constexpr int kMisaligned = 716, kMismatch = 803, kNotCompatible = 804, kUnknown = 999;
// CUdevice_attribute.
constexpr int kClock = 13, kMultiprocessors = 16, kMemoryClock = 36, kBus = 37, kCache = 38, kThreads = 39, kMajor = 75,
              kMinor = 76;
// CUfunction_attribute.
constexpr int kShared = 1, kLocal = 3, kRegisters = 4, kMostDynamicShared = 8;

constexpr const char* kOlderDriver =
    "the driver is older than the compiler (NVRTC): a newer driver, or TESSERA_LIBNVRTC=an older libnvrtc.so";
constexpr const char* kOtherVersion =
    "libcuda.so and the kernel module are of different versions: restart after an update of the driver";
constexpr std::pair<int, const char*> kHints[] = {
    {kOutOfMemory, "smaller sizes, or end other programs that use the device"},
    {kStubLibrary,
     "this is the toolkit's stub, which runs nothing; the real libcuda.so.1 comes with the display driver"},
    {kNoDevice, "nvidia-smi lists the devices; a container must be given access to them"},
    {kInvalidImage, kOlderDriver},
    {kNoBinary, kOlderDriver},
    {kInvalidPtx, kOlderDriver},
    {kUnsupportedPtx, kOlderDriver},
    {kIllegalAddress, "the kernel reads or writes outside its buffers; tessera check FILE.graphene proves bounds"},
    {kMisaligned, "a vector access at an address that is not a multiple of its width; tessera check proves alignment"},
    {kOutOfResources, "too many registers or threads per block"},
    {kMismatch, kOtherVersion},
    {kNotCompatible, kOtherVersion},
    {kUnknown, "is the kernel module loaded? nvidia-smi shows it"},
};
std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

const char* hintOf(int result) {
  for (const auto& [code, hint] : kHints)
    if (code == result) return hint;
  return "";
}

using Row = std::pair<std::string_view, int>;
// CUtensorMapDataType, by the atlas's names; all 8-bit types are UINT8.
constexpr Row kElements[] = {{"u8", 0},  {"s8", 0},  {"e4m3", 0}, {"e5m2", 0}, {"u16", 1},
                             {"s16", 1}, {"u32", 2}, {"s32", 3},  {"u64", 4},  {"s64", 5},
                             {"f16", 6}, {"f32", 7}, {"tf32", 7}, {"f64", 8},  {"bf16", 9}};
// CUtensorMapSwizzle.
constexpr Row kSwizzles[] = {{"NONE", 0}, {"32B", 1}, {"64B", 2}, {"128B", 3}};
// CUtensorMapL2promotion: 128-byte lines, the width of a tile.
constexpr int kPromotion = 2;

template <std::size_t N>
int valueOf(const Row (&rows)[N], std::string_view name) {
  for (const auto& [row, value] : rows)
    if (row == name) return value;
  return -1;
}

}  // namespace

std::string DeviceInfo::architecture() const { return fmt::format("sm_{}{}", major, minor); }
std::string DeviceInfo::driver() const { return versionText(driverVersion); }

LibraryPlace Driver::place() {
  return {"the CUDA driver",
          {"libcuda.so.1", "libcuda.so"},
          {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"},  // WSL, containers, NixOS
          "TESSERA_LIBCUDA",
          "it comes with NVIDIA's display driver and not with the toolkit"};
}

Diag Driver::diag(const char* call, int result, const std::string& what) const {
  const char *name = nullptr, *text = nullptr;
  if (table_->errorName(result, &name) != 0 || name == nullptr) name = "an error without a name";
  if (table_->errorText(result, &text) != 0 || text == nullptr) text = "failed";
  return {fmt::format("{}{}{}: {} ({}, {})", what, what.empty() ? "" : ": ", call, text, name, result),
          "",
          hintOf(result),
          {}};
}

Result<void> Driver::did(const char* call, int result, const std::string& what) const {
  if (result == 0) return {};
  return diag(call, result, what);
}

Result<Driver> Driver::open() {
  TESSERA_TRY(const DynamicLibrary library, DynamicLibrary::open(place()));
  auto table = std::make_shared<DriverTable>();
  TESSERA_CHECKED(library.fill(table->entries()));
  Driver driver;
  driver.table_ = table;
  driver.path_ = library.path();
  if (const int result = table->init(0); result != 0)
    return driver.diag("cuInit", result,
                       result == kNoDevice ? "there is no CUDA device"
                                           : fmt::format("the CUDA driver ({}) does not start", driver.path_));
  TESSERA_CHECKED(driver.did("cuDriverGetVersion", table->driverVersion(&driver.version_)));
  if (driver.version_ < kOldest)
    return Diag{fmt::format("the CUDA driver is too old: it supports CUDA {}", versionText(driver.version_)),
                fmt::format("one that supports CUDA {} or later", versionText(kOldest)), "a newer display driver"};
  return driver;
}

Result<int> Driver::devices() const {
  int count = 0;
  TESSERA_CHECKED(did("cuDeviceGetCount", table_->deviceCount(&count)));
  return count;
}

Result<DeviceInfo> Driver::device(int index) const {
  TESSERA_TRY(const int count, devices());
  if (count == 0) return Diag{"there is no CUDA device", "", hintOf(kNoDevice)};
  if (index < 0 || index >= count)
    return Diag{fmt::format("there is no device {}", index), fmt::format("0 to {}", count - 1)};
  int device = 0;
  TESSERA_CHECKED(did("cuDeviceGet", table_->deviceGet(&device, index)));
  DeviceInfo out;
  out.driverVersion = version_;
  std::array<char, 256> name{};
  if (table_->deviceName(name.data(), static_cast<int>(name.size()) - 1, device) == 0) out.name = name.data();
  std::size_t bytes = 0;
  if (table_->deviceMemory(&bytes, device) == 0) out.memoryBytes = static_cast<i64>(bytes);
  const auto attribute = [&](int which) {  // unreported attributes are 0
    int value = 0;
    return table_->deviceAttribute(&value, which, device) == 0 ? value : 0;
  };
  out.major = attribute(kMajor);
  out.minor = attribute(kMinor);
  out.multiprocessors = attribute(kMultiprocessors);
  out.clockKilohertz = attribute(kClock);
  out.memoryClockKilohertz = attribute(kMemoryClock);
  out.busBits = attribute(kBus);
  out.cacheBytes = attribute(kCache);
  out.threadsPerMultiprocessor = attribute(kThreads);
  return out;
}

Result<Context> Context::of(const Driver& driver, int device) {
  void* handle = nullptr;
  int number = 0;
  TESSERA_CHECKED(driver.did("cuDeviceGet", driver.table().deviceGet(&number, device)));
  TESSERA_CHECKED(driver.did("cuDevicePrimaryCtxRetain", driver.table().contextRetain(&handle, number)));
  Context context(driver, number);  // releases it from here on
  TESSERA_CHECKED(driver.did("cuCtxSetCurrent", driver.table().contextSet(handle)));
  TESSERA_CHECKED(driver.did("cuStreamCreate", driver.table().streamCreate(&context.stream_, 0)));
  return context;
}

Context::Context(Context&& other) noexcept
    : driver_(std::move(other.driver_)),
      device_(other.device_),
      owns_(std::exchange(other.owns_, false)),
      abandoned_(other.abandoned_),
      stream_(std::exchange(other.stream_, nullptr)),
      modules_(std::move(other.modules_)),
      events_(std::move(other.events_)),
      graphs_(std::move(other.graphs_)),
      memory_(std::move(other.memory_)) {}

Context::~Context() {
  if (!owns_ || abandoned_) return;
  const DriverTable& t = driver_.table();
  for (void* g : graphs_) t.graphExecDestroy(g);
  for (void* e : events_) t.eventDestroy(e);
  for (const DevicePointer p : memory_) t.release(p);
  for (void* m : modules_) t.moduleUnload(m);
  if (stream_ != nullptr) t.streamDestroy(stream_);
  t.contextSet(nullptr);
  t.contextRelease(device_);
}

Result<void*> Context::load(const std::string& image) {
  void* module = nullptr;
  TESSERA_CHECKED(driver_.did("cuModuleLoadData", driver_.table().moduleLoad(&module, image.c_str())));
  modules_.push_back(module);
  return module;
}

Result<void*> Context::function(void* module, const std::string& name) {
  void* function = nullptr;
  TESSERA_CHECKED(driver_.did("cuModuleGetFunction", driver_.table().moduleFunction(&function, module, name.c_str()),
                              fmt::format("the compiled code has no kernel '{}'", name)));
  return function;
}

Result<void> Context::allowShared(void* function, const std::string& name, i64 bytes) const {
  if (bytes <= 0) return {};
  const int result = driver_.table().setFunctionAttribute(function, kMostDynamicShared, static_cast<int>(bytes));
  if (result == 0) return {};
  Diag diag = driver_.diag("cuFuncSetAttribute", result,
                           fmt::format("kernel '{}' may not have {} bytes of shared memory", name, bytes));
  diag.hint = "smaller tiles or fewer stages";
  return diag;
}

FunctionInfo Context::describe(void* function, i64 threads, i64 dynamicBytes) const {
  const auto attribute = [&](int which) {
    int value = 0;
    return driver_.table().functionAttribute(&value, which, function) == 0 ? value : 0;
  };
  FunctionInfo out;
  out.registers = attribute(kRegisters);
  out.localBytes = attribute(kLocal);
  out.sharedBytes = attribute(kShared) + static_cast<int>(dynamicBytes);
  if (driver_.table().occupancy(&out.blocksPerMultiprocessor, function, static_cast<int>(threads),
                                static_cast<std::size_t>(dynamicBytes)) != 0)
    out.blocksPerMultiprocessor = 0;
  return out;
}

Result<DevicePointer> Context::allocate(i64 bytes) {
  DevicePointer pointer = 0;
  const int result = driver_.table().allocate(&pointer, static_cast<std::size_t>(bytes));
  if (result == 0) {
    memory_.push_back(pointer);
    return pointer;
  }
  if (result != kOutOfMemory) return driver_.diag("cuMemAlloc", result);
  std::size_t free = 0, all = 0;
  std::string left;
  if (driver_.table().memoryInfo(&free, &all) == 0) left = fmt::format("; {} of {} bytes are free", free, all);
  return driver_.diag("cuMemAlloc", result, fmt::format("the device has no memory for {} bytes{}", bytes, left));
}

void Context::release(DevicePointer pointer) {
  const auto at = std::ranges::find(memory_, pointer);
  if (at == memory_.end()) return;
  driver_.table().release(pointer);
  memory_.erase(at);
}

Result<void> Context::copyIn(DevicePointer to, const void* from, i64 bytes) {
  return driver_.did("cuMemcpyHtoD", driver_.table().copyIn(to, from, static_cast<std::size_t>(bytes)));
}
Result<void> Context::copyOut(void* to, DevicePointer from, i64 bytes) {
  return driver_.did("cuMemcpyDtoH", driver_.table().copyOut(to, from, static_cast<std::size_t>(bytes)));
}
Result<void> Context::fill(DevicePointer to, unsigned char byte, i64 bytes) {
  return driver_.did("cuMemsetD8", driver_.table().fill(to, byte, static_cast<std::size_t>(bytes)));
}

Result<void> Context::launch(void* function, const std::string& name, i64 blocks, i64 threads,
                             std::vector<void*>& arguments, i64 dynamicBytes) {
  const int result =
      driver_.table().launch(function, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads), 1, 1,
                             static_cast<unsigned>(dynamicBytes), stream_, arguments.data(), nullptr);
  if (result == 0) return {};
  return driver_.diag("cuLaunchKernel", result,
                      fmt::format("kernel '{}' with {} blocks of {} threads was not launched", name, blocks, threads));
}

Result<void*> Context::graph(const std::function<Result<void>()>& launches) {
  const DriverTable& t = driver_.table();
  for (const bool missing : {t.captureBegin == nullptr, t.captureEnd == nullptr, t.graphInstantiate == nullptr,
                             t.graphLaunch == nullptr, t.graphDestroy == nullptr, t.graphExecDestroy == nullptr})
    if (missing)
      return Diag{fmt::format("the CUDA driver ({}) has no graphs", driver_.path()), "a driver of CUDA 11.4 or later"};
  TESSERA_CHECKED(driver_.did("cuStreamBeginCapture", t.captureBegin(stream_, kRelaxedCapture)));
  const Result<void> launched = launches();
  void* captured = nullptr;  // the capture has to be ended, also after a failure
  const int ended = t.captureEnd(stream_, &captured);
  void* out = nullptr;
  int made = 0;
  if (launched && ended == 0 && captured != nullptr) made = t.graphInstantiate(&out, captured, 0);
  if (captured != nullptr) t.graphDestroy(captured);
  TESSERA_CHECKED(launched);
  TESSERA_CHECKED(driver_.did("cuStreamEndCapture", ended));
  TESSERA_CHECKED(driver_.did("cuGraphInstantiate", made));
  if (out == nullptr) return Diag{"cuStreamEndCapture: there is no graph"};
  graphs_.push_back(out);
  return out;
}

Result<void> Context::launchGraph(void* graph, const std::string& what) {
  return driver_.did("cuGraphLaunch", driver_.table().graphLaunch(graph, stream_), what + " was not launched");
}

Result<void*> Context::event() {
  void* event = nullptr;
  TESSERA_CHECKED(driver_.did("cuEventCreate", driver_.table().eventCreate(&event, 0)));
  events_.push_back(event);
  return event;
}

Result<void> Context::record(void* event, const std::string& what) {
  return driver_.did("cuEventRecord", driver_.table().eventRecord(event, stream_), what + " failed");
}

Result<bool> Context::happened(void* event, const std::string& what) const {
  const int result = driver_.table().eventQuery(event);
  if (result == 0 || result == kNotReady) return result == 0;
  return driver_.diag("cuEventQuery", result, what + " failed");
}

Result<void> Context::wait(void* event, const WaitLimits& limits, const std::string& what) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  auto pause = std::chrono::microseconds(20);
  bool cancelled = false;  // one pause ago: what was about to end has ended
  while (true) {
    TESSERA_TRY(const bool done, happened(event, what));
    if (done) return {};
    if (cancelled) {
      abandoned_ = true;
      return Diag{"cancelled"};
    }
    cancelled = limits.cancel != nullptr && limits.cancel->load();
    if (Clock::now() > end) {
      abandoned_ = true;
      return Diag{
          fmt::format("{} did not end within {} s and was stopped", what, limits.seconds), "a kernel that ends",
          "a loop without an end, a barrier that not all threads reach, or a limit that is too small (--seconds)"};
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(2000));
  }
}

Result<double> Context::microseconds(void* from, void* to) const {
  float milliseconds = 0;
  TESSERA_CHECKED(driver_.did("cuEventElapsedTime", driver_.table().eventElapsed(&milliseconds, from, to)));
  return 1000.0 * milliseconds;
}

Result<TensorMapBytes> encoded(const Driver& driver, const MapRequest& map, DevicePointer start) {
  const auto type = elementType(map.element);
  const int element = type ? valueOf(kElements, type->name) : -1, swizzle = valueOf(kSwizzles, map.swizzle);
  const std::size_t rank = map.extents.size();
  if (element < 0 || swizzle < 0 || rank == 0 || rank > 5 || map.strides.size() != rank || map.box.size() != rank)
    return Diag{fmt::format("a tensor map of {} dimensions of {} with swizzle {}", rank, map.element, map.swizzle),
                "1 to 5 dimensions, elements of 8 to 64 bits, NONE, 32B, 64B or 128B"};
  if (driver.table().tensorMap == nullptr)
    return Diag{fmt::format("the CUDA driver ({}) has no cuTensorMapEncodeTiled: TMA needs tensor maps", driver.path()),
                "a driver of CUDA 12 or later", "a newer display driver"};
  std::vector<unsigned long long> extents, strides;
  std::vector<unsigned> box, steps(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    extents.push_back(static_cast<unsigned long long>(map.extents[d]));
    box.push_back(static_cast<unsigned>(map.box[d]));
    if (d > 0) strides.push_back(static_cast<unsigned long long>(map.strides[d] * type->bits / 8));
  }
  strides.push_back(0);                        // never read, but a map of one dimension has no strides
  alignas(128) unsigned char bytes[128] = {};  // alignment required by the driver
  const int result =
      driver.table().tensorMap(bytes, element, static_cast<unsigned>(rank), reinterpret_cast<void*>(start),
                               extents.data(), strides.data(), box.data(), steps.data(), 0, swizzle, kPromotion, 0);
  if (result == 0) {
    TensorMapBytes out;
    std::copy(std::begin(bytes), std::end(bytes), out.begin());
    return out;
  }
  Diag diag = driver.diag("cuTensorMapEncodeTiled", result);
  diag.message += fmt::format(": extents {}, strides {}, box {}, swizzle {}", fmt::join(map.extents, " x "),
                              fmt::join(map.strides, " and "), fmt::join(map.box, " x "), map.swizzle);
  return diag;
}

}  // namespace tessera::measure
