#include "solver/measure/predict/devices.h"

#include <fmt/format.h>

#include <cctype>

namespace tessera::measure {
namespace {

struct Row {
  const char* name;
  const char* full;
  int major, minor, multiprocessors, megahertz, memoryMegahertz, busBits;
};
// NVIDIA's data sheets: bandwidth = 2 * memory clock * bus / 8.
constexpr Row kDevices[] = {
    {"v100", "NVIDIA V100 SXM2", 7, 0, 80, 1530, 878, 4096},                        // 900 GB/s
    {"a100", "NVIDIA A100 SXM 80 GB", 8, 0, 108, 1410, 1593, 5120},                 // 2039 GB/s
    {"l4", "NVIDIA L4", 8, 9, 58, 2040, 6250, 192},                                 // 300 GB/s
    {"rtx3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 1695, 9751, 384},              // 936 GB/s
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 2520, 10500, 384},            // 1008 GB/s
    {"rtx5090", "NVIDIA GeForce RTX 5090", 12, 0, 170, 2407, 14000, 512},           // 1792 GB/s
    {"rtx6000ada", "NVIDIA RTX 6000 Ada Generation", 8, 9, 142, 2505, 10000, 384},  // 960 GB/s
    {"h100", "NVIDIA H100 SXM", 9, 0, 132, 1830, 2617, 5120},                       // 3350 GB/s
    {"h200", "NVIDIA H200 SXM", 9, 0, 132, 1830, 3125, 6144},                       // 4800 GB/s
    {"b200", "NVIDIA B200", 10, 0, 148, 1850, 3906, 8192},                          // 8000 GB/s
};

}  // namespace

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const Row& row : kDevices) names.emplace_back(row.name);
  return names;
}

Result<DeviceInfo> deviceNamed(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Row& row : kDevices) {
    if (plain != row.name) continue;
    DeviceInfo d;
    d.name = row.full;
    d.major = row.major;
    d.minor = row.minor;
    d.multiprocessors = row.multiprocessors;
    d.clockKilohertz = row.megahertz * 1000;
    d.memoryClockKilohertz = row.memoryMegahertz * 1000;
    d.busBits = row.busBits;
    return d;
  }
  return Diag{fmt::format("there is no data sheet of a device '{}'", name),
              fmt::format("one of {}", fmt::join(deviceNames(), ", "))};
}

}  // namespace tessera::measure
