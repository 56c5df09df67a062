#include "solver/measure/predict/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "solver/emulate/format.h"

namespace tessera::measure {
namespace {

// From NVIDIA's architecture white papers and data sheets: TFLOPS / (multiprocessors * clock). V100 (125 TFLOPS, 80
// SMs, 1530 MHz), T4 (65, 40, 1590), A100 (312, 108, 1410), RTX A6000 (154.8, 84, 1800), RTX 6000 Ada (364, 142, 2505),
// H100 SXM (989, 132, 1830), B200 (2250, 148, 1850), RTX PRO 6000 (503.8, 188, 2617). Orin: the technical brief's 170
// sparse int8 TOPS of 16 SMs at 1300 MHz are 4096 dense ones per clock, and fp16 is assumed to have half of them.
struct Architecture {
  int number;
  double matrix, ordinary;
};
constexpr Architecture kArchitectures[] = {
    {70, 1024, 128},  {72, 1024, 128},  {75, 1024, 128},  {80, 2048, 128}, {86, 1024, 256},
    {87, 2048, 256},  {88, 1024, 256},  {89, 1024, 256},  {90, 4096, 256}, {100, 8192, 256},
    {103, 8192, 256}, {120, 1024, 256}, {121, 1024, 256},
};

// A device's name has all words of a row, in any order; the first such row counts.
enum class Rate { Full, Half, Unknown };
struct Named {
  const char* words;
  Rate rate;
  const char* source;
};
constexpr Named kNamed[] = {
    // 2080 Ti 56.9 TFLOPS with fp32 sums and 113.8 with fp16 sums; 3090 71 and 142; 4090 165.2 and 330.3; 5090 209.5
    // and 419: the white papers of Turing, GA102, Ada and RTX Blackwell.
    {"GeForce GTX", Rate::Unknown, "it has no matrix units"},
    {"GeForce", Rate::Half, "white papers of Turing, GA102, Ada and RTX Blackwell"},
    {"TITAN RTX", Rate::Full, "Turing white paper: 130.5 TFLOPS"},
    {"TITAN V", Rate::Full, "Volta"},
    {"Quadro RTX", Rate::Full, "Turing white paper: Quadro RTX 6000 130.5 TFLOPS"},
    {"RTX PRO", Rate::Full, "RTX Blackwell PRO white paper: RTX PRO 6000 503.8 TFLOPS"},
    {"RTX Ada", Rate::Full, "data sheet of the RTX 6000 Ada: 1457 sparse fp8 TFLOPS"},
    {"A2000", Rate::Full, "data sheets of RTX A2000 to A6000"},
    {"A4000", Rate::Full, "data sheets of RTX A2000 to A6000"},
    {"A4500", Rate::Full, "data sheets of RTX A2000 to A6000"},
    {"A5000", Rate::Full, "data sheets of RTX A2000 to A6000"},
    {"A5500", Rate::Full, "data sheets of RTX A2000 to A6000"},
    {"A6000", Rate::Full, "GA102 white paper: RTX A6000 154.8 TFLOPS"},
    {"A10G", Rate::Half, "data sheet: 70 TFLOPS"},
    {"A10", Rate::Full, "data sheet: 125 TFLOPS"},
    {"A40", Rate::Full, "data sheet: 149.7 TFLOPS"},
    {"A2", Rate::Full, "data sheet: 18 TFLOPS"},
    {"A16", Rate::Full, "data sheet: 4 x 17.9 TFLOPS"},
    {"L40S", Rate::Full, "data sheet: 362 TFLOPS"},
    {"L40", Rate::Half, "data sheet: 181 TFLOPS"},
    {"L20", Rate::Half, "data sheet: 119.5 TFLOPS"},
    {"L4", Rate::Full, "data sheet: 121 TFLOPS"},
    {"T4", Rate::Full, "data sheet: 65 TFLOPS"},
    {"V100", Rate::Full, "data sheet: 125 TFLOPS"},
    {"A100", Rate::Full, "data sheet: 312 TFLOPS"},
    {"A800", Rate::Full, "data sheet: 312 TFLOPS"},
    {"A30", Rate::Full, "data sheet: 165 TFLOPS"},
    {"H100", Rate::Full, "data sheet: 989 TFLOPS"},
    {"H800", Rate::Full, "data sheet: 989 TFLOPS"},
    {"H200", Rate::Full, "data sheet: 989 TFLOPS"},
    {"GH200", Rate::Full, "data sheet: 989 TFLOPS"},
    {"H20", Rate::Unknown, "148 TFLOPS of Hopper's multiprocessors, at a clock that is not published"},
    {"B200", Rate::Full, "data sheet: 2250 TFLOPS"},
    {"GB200", Rate::Full, "data sheet: 2500 TFLOPS"},
    {"Orin", Rate::Full, "technical brief: 170 sparse int8 TOPS"},
};

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) {
      out.back() += static_cast<char>(std::tolower(u));
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

const Named* namedOf(const std::string& name) {
  const std::vector<std::string> has = wordsOf(name);
  for (const Named& row : kNamed) {
    const std::vector<std::string> wants = wordsOf(row.words);
    const auto there = [&](const std::string& word) { return std::ranges::find(has, word) != has.end(); };
    if (std::ranges::all_of(wants, there)) return &row;
  }
  return nullptr;
}

}  // namespace

double Peak::matrixOf(std::string_view input, bool halfSums) const {
  const auto type = graphene::numberFormat(input);
  double out = halfSums || (type && type->precision == 0) ? matrixHalf : matrix;
  if (type && type->bits == 8) out *= 2;
  if (type && type->bits == 32) out /= 2;
  return out;
}

Result<Peak> peakOf(const DeviceInfo& device) {
  const int number = device.major * 10 + device.minor;
  const auto* const architecture = std::ranges::find(kArchitectures, number, &Architecture::number);
  if (architecture == std::end(kArchitectures))
    return Diag{fmt::format("no peak is known of compute capability {}.{}", device.major, device.minor)};
  const Named* const named = namedOf(device.name);
  if (named != nullptr && named->rate == Rate::Unknown)
    return Diag{fmt::format("no peak is known of '{}': {}", device.name, named->source)};
  const bool half = named != nullptr && named->rate == Rate::Half;
  Peak out{half ? architecture->matrix / 2 : architecture->matrix, architecture->matrix, architecture->ordinary, ""};
  if (named == nullptr) {
    out.source = fmt::format("peak by compute capability {}.{}: the table of names has no '{}'", device.major,
                             device.minor, device.name);
  } else {
    out.source =
        fmt::format("peak of {}: {} rate with fp32 sums ({})", named->words, half ? "half" : "full", named->source);
  }
  return out;
}

}  // namespace tessera::measure
