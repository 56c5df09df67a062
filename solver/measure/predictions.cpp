#include "solver/measure/predictions.h"

#include <fmt/format.h>

#include <cstring>
#include <tuple>

namespace tessera::measure {
namespace {

using Group = std::tuple<int, int, int>;  // wavefronts, ideal, merged; costliest first
Group groupOf(const AccessPattern& p) { return {-p.wavefronts, p.ideal, p.merged.value_or(-1)}; }

// By access: the row of each of its groups.
std::vector<std::map<Group, std::size_t>> rowsOf(const std::vector<SharedAccess>& accesses) {
  std::vector<std::map<Group, std::size_t>> out(accesses.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    for (const AccessPattern& p : accesses[k].patterns) out[k].try_emplace(groupOf(p), 0);
    for (auto& [group, row] : out[k]) row = next++;
  }
  return out;
}

// Distance of a measurement from its prediction; the best case with merged phases is a prediction too.
double distance(const PredictionRow& row, double measured) {
  const double plain = std::fabs(measured - row.wavefronts);
  return row.merged ? std::min(plain, std::fabs(measured - *row.merged)) : plain;
}

void put(PredictionRow& row, const MicroCycles& cycles) {
  const double measured = cycles.wavefronts();
  const bool good = agree(measured, row.wavefronts) || (row.merged && agree(measured, *row.merged));
  if (row.agreement == Agreement::NotMeasured) row.agreement = Agreement::Agrees, row.why.clear();
  if (!good) {
    row.agreement = Agreement::Disagrees;
    row.why = fmt::format("{:.3g} wavefronts measured, {} predicted", measured, row.wavefronts);
  }
  if (row.measured && distance(row, measured) <= distance(row, *row.measured)) return;
  row.measured = measured;
  row.cycles = cycles.own;
  row.idealCycles = cycles.fast;
  row.latency = cycles.latency;
}

void notMeasured(PredictionTable& table, const std::string& why) {
  table.notMeasured = why;
  for (PredictionRow& row : table.rows) row.why = why;
}

Request requestOf(const MicroText& text, i64 cyclesBytes, const RunOptions& options) {
  Request out;
  out.text = text.text;
  out.architecture = text.architecture;
  out.buffers = {{"cycles", cyclesBytes, 0, 0}, {"far", kMicroFarBytes, cyclesBytes, -1}};
  for (const MicroLaunch& l : text.launches) {
    LaunchRequest& launch = out.launches.emplace_back();
    launch.kernel = l.kernel;
    launch.threads = 32 * kMicroWarps;
    launch.buffers = {0, 1};
    launch.sizes = {0, 0};
    for (const int argument : l.arguments) {
      launch.buffers.push_back(-1);
      launch.sizes.push_back(argument);
    }
  }
  out.device = options.device;
  out.warmups = out.runs = 0;
  out.seconds = options.seconds;
  return out;
}

// Runs all launches and returns their numbers.
Result<std::vector<i64>> numbersOf(const MicroText& text, const RunOptions& options) {
  const auto count = static_cast<i64>(text.launches.size()) * kMicroNumbers;
  const i64 bytes = count * static_cast<i64>(sizeof(i64));
  TESSERA_TRY(SharedMemory memory, SharedMemory::of(bytes + kMicroFarBytes));
  std::memset(memory.bytes().data(), 0xff, static_cast<std::size_t>(bytes));  // -1: not written
  const Request request = requestOf(text, bytes, options);
  TESSERA_CHECKED(reportOf(request, memory, options));
  std::vector<i64> out(static_cast<std::size_t>(count));
  std::memcpy(out.data(), memory.bytes().data(), static_cast<std::size_t>(bytes));
  return out;
}

// ---- counters

// The first of these that a report contains is compared with the prediction. The source view's metric counts addresses,
// like the model; the hardware's metric also includes stalls of its data stage.
constexpr const char* kWavefronts[] = {"memory_l1_wavefronts_shared", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared"};

struct Mean {
  double sum = 0;
  int count = 0;
};

std::optional<std::pair<std::string, double>> wavefrontsOf(const std::map<std::string, Mean>& means) {
  for (const char* const name : kWavefronts)
    if (const auto found = means.find(name); found != means.end())
      return std::pair{std::string(name), found->second.sum / found->second.count};
  double sum = 0;
  int parts = 0;
  for (const auto& [name, mean] : means)
    if (name.starts_with("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_")) sum += mean.sum / mean.count, ++parts;
  if (parts < 2) return std::nullopt;
  return std::pair{std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*"), sum};
}

void judge(ProfiledKernel& kernel, const std::map<std::string, Mean>& means, bool known, bool complete) {
  const auto measured = wavefrontsOf(means);
  if (!known) {
    kernel.why = "there is no prediction for a kernel of that name";
  } else if (!complete) {
    kernel.why = "the emulator stopped early: the prediction does not cover the whole kernel";
  } else if (!measured) {
    kernel.why = "the report has no count of wavefronts";
  } else {
    const auto predicted = static_cast<double>(kernel.wavefronts);
    kernel.agreement = agree(measured->second, predicted) ? Agreement::Agrees : Agreement::Disagrees;
    if (kernel.agreement == Agreement::Disagrees)
      kernel.why = fmt::format("{} is {:.10g}, {} predicted", measured->first, measured->second, kernel.wavefronts);
  }
}

bool isOfSharedMemory(const std::string& metric) {
  return metric.find("shared") != std::string::npos || metric.find("ldsm") != std::string::npos ||
         metric.find("ldgsts") != std::string::npos || metric.find("l1tex__t_sectors") != std::string::npos ||
         metric.find("_sectors_") != std::string::npos || metric.starts_with("gpu__time_duration");
}

}  // namespace

PredictionTable predictions(const std::vector<SharedAccess>& accesses, const std::vector<std::string>& kernels) {
  PredictionTable out;
  const auto rows = rowsOf(accesses);
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const SharedAccess& a = accesses[k];
    for (const auto& [group, index] : rows[k]) {
      PredictionRow row;
      row.span = a.span;
      row.instruction = a.instruction;
      row.operand = a.operand;
      row.layout = a.layout;
      if (const auto kernel = static_cast<std::size_t>(a.kernel); kernel < kernels.size()) row.kernel = kernels[kernel];
      row.patterns = 0;
      for (const AccessPattern& p : a.patterns) {
        if (groupOf(p) != group) continue;
        row.wavefronts = p.wavefronts, row.ideal = p.ideal, row.merged = p.merged;
        row.times += p.times;
        ++row.patterns;
      }
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

Result<void> measureRows(PredictionTable& table, const std::vector<SharedAccess>& accesses, const RunOptions& options) {
  const auto device = findDevice(options);
  TESSERA_CHECKED(options.checkCancelled());
  if (!device) {
    notMeasured(table, device.error().message);
    return {};
  }
  table.device = fmt::format("{} ({}, driver {})", device->name, device->architecture(), device->driver());
  table.date = options.date;
  const MicroText text = microText(accesses, 16, device->architecture());
  const auto rows = rowsOf(accesses);
  for (std::size_t k = 0; k < accesses.size(); ++k)
    for (const auto& [group, index] : rows[k]) table.rows[index].why = text.whyNot[k];
  if (text.launches.empty()) return {};
  TESSERA_TRY(const std::vector<i64> numbers, numbersOf(text, options));
  for (std::size_t l = 0; l < text.launches.size(); ++l) {
    const MicroLaunch& launch = text.launches[l];
    const AccessPattern& pattern = accesses[launch.access].patterns[launch.pattern];
    PredictionRow& row = table.rows[rows[launch.access].at(groupOf(pattern))];
    const auto cycles = microCycles(pattern.warp, std::span(numbers).subspan(l * kMicroNumbers, kMicroNumbers));
    if (cycles) {
      put(row, *cycles);
    } else if (row.agreement == Agreement::NotMeasured) {
      row.why = cycles.error().message;
    }
  }
  return {};
}

void addCounters(PredictionTable& table, const NsightReport& report, bool complete) {
  std::vector<std::string> names;
  for (const NsightLaunch& l : report.launches)
    if (std::ranges::find(names, l.kernel) == names.end()) names.push_back(l.kernel);
  for (const std::string& name : names) {
    ProfiledKernel kernel;
    kernel.kernel = name;
    std::map<std::string, Mean> means;
    for (const NsightLaunch& l : report.launches) {
      if (l.kernel != name) continue;
      ++kernel.launches;
      for (const auto& [metric, value] : l.metrics) means[metric].sum += value, ++means[metric].count;
    }
    bool known = false;
    for (const PredictionRow& row : table.rows) {
      if (row.kernel != name) continue;
      known = true;
      kernel.wavefronts += row.times * row.wavefronts;
      kernel.ideal += row.times * row.ideal;
    }
    for (const auto& [metric, mean] : means)
      if (isOfSharedMemory(metric)) kernel.counters.emplace_back(metric, mean.sum / mean.count);
    judge(kernel, means, known, complete);
    table.profiled.push_back(std::move(kernel));
  }
}

}  // namespace tessera::measure
