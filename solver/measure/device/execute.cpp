#include "solver/measure/device/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace tessera::measure {
namespace {

constexpr i64 kGuard = 256;  // bytes before and after a buffer; keeps pointers aligned
constexpr unsigned char kGuardByte = 0xA7;

class Execution {
 public:
  Execution(const Request& request, std::span<unsigned char> memory, const Hooks& hooks, Context context, Report report)
      : request_(request), memory_(memory), hooks_(hooks), context_(std::move(context)), report_(std::move(report)) {}

  ~Execution() {
    // Leaks the product: its destructor would wait for a kernel that never ends.
    if (context_.abandoned() && product_) (void)new CublasLt(*product_);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // `code`: of the kernels; null: run cuBLASLt's product.
  Result<Report> run(const Compiled* code) {
    if (code != nullptr) TESSERA_CHECKED(load(*code));
    hooks_.tell("copying the inputs", 0.3);
    TESSERA_CHECKED(buffers());
    if (code == nullptr) TESSERA_CHECKED(library());
    hooks_.tell("running", 0.4);
    TESSERA_CHECKED(once());
    TESSERA_CHECKED(results());
    if (request_.runs > 0) TESSERA_CHECKED(time());
    return std::move(report_);
  }

 private:
  using Set = std::vector<DevicePointer>;  // one pointer per buffer, past its guard

  Result<void> load(const Compiled& code) {
    hooks_.tell("loading", 0.25);
    TESSERA_TRY(void* const module, context_.load(code.image));
    for (const LaunchRequest& launch : request_.launches) {
      TESSERA_TRY(void* const function, context_.function(module, launch.kernel));
      functions_.push_back(function);
      TESSERA_CHECKED(context_.allowShared(function, launch.kernel, launch.dynamicBytes));
      KernelReport kernel{context_.describe(function, launch.threads, launch.dynamicBytes)};
      kernel.name = launch.kernel;
      kernel.threads = launch.threads;
      for (const Resources& r : code.resources) {
        if (r.kernel != launch.kernel) continue;
        kernel.spillStores = r.spillStores;
        kernel.spillLoads = r.spillLoads;
      }
      report_.kernels.push_back(std::move(kernel));
    }
    return {};
  }

  Result<void> buffers() {
    Set set;
    for (const BufferRequest& b : request_.buffers) {
      TESSERA_TRY(const DevicePointer pointer, context_.allocate(b.bytes + 2 * kGuard));
      TESSERA_CHECKED(context_.fill(pointer, kGuardByte, kGuard));
      TESSERA_CHECKED(context_.copyIn(pointer + kGuard, memory_.data() + b.from, b.bytes));
      TESSERA_CHECKED(context_.fill(pointer + kGuard + static_cast<DevicePointer>(b.bytes), kGuardByte, kGuard));
      set.push_back(pointer + kGuard);
      bytes_ += b.bytes;
    }
    sets_.push_back(std::move(set));
    return {};
  }

  Result<void> library() {
    hooks_.tell("opening cuBLASLt", 0.35);
    const Set& set = sets_.front();
    TESSERA_TRY(product_, CublasLt::prepare(context_, request_.gemm, set.size() > 3 ? set[3] : 0));
    report_.compiler = product_->version();
    return {};
  }

  // Launches all kernels in order on one set of buffers.
  Result<void> launchAll(Set& set) {
    if (product_) return product_->multiply(set[0], set[1], set[2]);
    for (std::size_t k = 0; k < request_.launches.size(); ++k) {
      const LaunchRequest& launch = request_.launches[k];
      std::vector<int> sizes = launch.sizes;
      std::vector<void*> arguments;
      for (std::size_t p = 0; p < launch.buffers.size(); ++p) {
        const int buffer = launch.buffers[p];
        if (buffer >= 0 && p < launch.maps.size() && !launch.maps[p].extents.empty()) {
          TESSERA_TRY(TensorMapBytes * map, mapOf(k, p, set[buffer]));
          arguments.push_back(map->data());
          continue;
        }
        arguments.push_back(buffer < 0 ? static_cast<void*>(&sizes[p]) : &set[buffer]);
      }
      TESSERA_CHECKED(
          context_.launch(functions_[k], launch.kernel, launch.blocks, launch.threads, arguments, launch.dynamicBytes));
    }
    return {};
  }

  // Encoded once for each copy of the buffer.
  Result<TensorMapBytes*> mapOf(std::size_t launch, std::size_t parameter, DevicePointer start) {
    const auto [at, fresh] = maps_.try_emplace({launch, parameter, start});
    if (fresh) {
      auto made = encoded(context_.driver(), request_.launches[launch].maps[parameter], start);
      if (!made) return made.error();
      at->second = *made;
    }
    return &at->second;
  }

  Result<void> once() {
    TESSERA_TRY(void* const begin, context_.event());
    TESSERA_TRY(void* const end, context_.event());
    TESSERA_CHECKED(context_.record(begin, named()));
    TESSERA_CHECKED(launchAll(sets_.front()));
    TESSERA_CHECKED(context_.record(end, named()));
    TESSERA_CHECKED(context_.wait(end, {request_.seconds, hooks_.cancel}, named()));
    TESSERA_TRY(first_, context_.microseconds(begin, end));
    return {};
  }

  [[nodiscard]] std::string named() const {
    if (product_) return "cuBLASLt's product";
    return request_.launches.size() == 1 ? fmt::format("kernel '{}'", request_.launches.front().kernel)
                                         : fmt::format("one of the {} kernels", request_.launches.size());
  }

  Result<void> results() {
    const Set& set = sets_.front();
    for (std::size_t b = 0; b < set.size(); ++b) {
      const BufferRequest& buffer = request_.buffers[b];
      if (buffer.to >= 0) TESSERA_CHECKED(context_.copyOut(memory_.data() + buffer.to, set[b], buffer.bytes));
      unsigned char guard[2 * kGuard];
      TESSERA_CHECKED(context_.copyOut(guard, set[b] - kGuard, kGuard));
      TESSERA_CHECKED(context_.copyOut(guard + kGuard, set[b] + static_cast<DevicePointer>(buffer.bytes), kGuard));
      if (std::any_of(std::begin(guard), std::end(guard), [](unsigned char c) { return c != kGuardByte; }))
        report_.damaged.push_back(buffer.name);
    }
    return {};
  }

  // Adds sets of buffers for the launches to take in turn. Running out of memory is not an error.
  void rotate() {
    const auto wanted = static_cast<std::size_t>(wantedSets(bytes_, report_.device.cacheBytes));
    while (sets_.size() < wanted) {
      Set set;
      for (std::size_t b = 0; b < request_.buffers.size(); ++b) {
        const BufferRequest& buffer = request_.buffers[b];
        const auto pointer = context_.allocate(buffer.bytes + 2 * kGuard);
        if (!pointer || !context_.copyIn(*pointer + kGuard, memory_.data() + buffer.from, buffer.bytes)) {
          if (pointer) context_.release(*pointer);
          for (const DevicePointer p : set) context_.release(p - kGuard);
          return;
        }
        set.push_back(*pointer + kGuard);
      }
      sets_.push_back(std::move(set));
    }
  }

  [[nodiscard]] Set& next() { return sets_[turn_++ % sets_.size()]; }

  Result<void> time() {
    rotate();
    TimedWork work;
    work.name = named();
    work.launch = [this] { return launchAll(next()); };
    work.kernels = std::max(static_cast<int>(request_.launches.size()), 1);
    work.sets = static_cast<int>(sets_.size());
    work.warmups = request_.warmups;
    work.runs = request_.runs;
    work.seconds = request_.seconds;
    work.first = first_;
    TESSERA_TRY(Timed all, timed(context_, report_.device, work, hooks_));
    report_.microseconds = std::move(all.microseconds);
    report_.how = std::move(all);
    report_.how.copies = work.sets;
    report_.how.setBytes = bytes_;
    return {};
  }

  const Request& request_;
  std::span<unsigned char> memory_;
  const Hooks& hooks_;
  Context context_;
  Report report_;
  std::vector<void*> functions_;
  std::optional<CublasLt> product_;
  std::vector<Set> sets_;
  std::map<std::tuple<std::size_t, std::size_t, DevicePointer>, TensorMapBytes> maps_;
  std::size_t turn_ = 0;
  i64 bytes_ = 0;     // of one set
  double first_ = 0;  // microseconds of the first launch
};

// Whether every buffer is inside the memory and every parameter refers to a buffer.
bool fits(const Request& request, std::span<unsigned char> memory) {
  const auto size = static_cast<i64>(memory.size());
  const auto inside = [&](i64 at, i64 bytes) { return at >= 0 && bytes >= 0 && bytes <= size && at <= size - bytes; };
  for (const BufferRequest& b : request.buffers)
    if (!inside(b.from, b.bytes) || (b.to >= 0 && !inside(b.to, b.bytes))) return false;
  if (request.gemm.m > 0 && request.buffers.size() < 3) return false;
  for (const LaunchRequest& l : request.launches) {
    if (l.sizes.size() != l.buffers.size()) return false;
    for (const int b : l.buffers)
      if (b >= static_cast<int>(request.buffers.size())) return false;
  }
  return true;
}

}  // namespace

Result<Report> execute(const Request& request, std::span<unsigned char> memory, const Hooks& hooks) {
  if (!fits(request, memory)) return Diag{"a launch with missing buffers", "", "this is a bug in Tessera"};
  hooks.tell("looking for a device", 0);
  TESSERA_TRY(const Driver driver, Driver::open());
  Report report;
  TESSERA_TRY(report.device, driver.device(request.device));
  if (request.gemm.m > 0) {
    report.architecture = report.device.architecture();
    TESSERA_TRY(Context context, Context::of(driver, request.device));
    return Execution(request, memory, hooks, std::move(context), std::move(report)).run(nullptr);
  }
  if (request.text.empty()) return report;
  TESSERA_TRY(const Nvrtc nvrtc, Nvrtc::open());
  TESSERA_TRY(report.architecture, nvrtc.target(request.architecture, report.device.architecture()));
  report.compiler = "NVRTC " + nvrtc.version();
  hooks.tell("compiling for " + report.architecture, 0.05);
  TESSERA_TRY(const Compiled code, nvrtc.compile(request.text, report.architecture, request.lines));
  report.log = code.log;
  TESSERA_CHECKED(hooks.checkCancelled());
  TESSERA_TRY(Context context, Context::of(driver, request.device));
  return Execution(request, memory, hooks, std::move(context), std::move(report)).run(&code);
}

}  // namespace tessera::measure
