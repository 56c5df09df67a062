#include "core/analysis/memory/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/csv.h"

namespace tessera {
namespace {

std::string number(const std::optional<double>& x) { return x ? fmt::format("{:.4g}", *x) : ""; }

std::string verdictText(Agreement a, const std::string& why) {
  return why.empty() ? std::string(name(a)) : fmt::format("{}: {}", name(a), why);
}

std::string line(const std::vector<std::string>& fields) { return csvLine(fields, "\r\n"); }

std::string counted(int n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

// Columns, each as wide as its widest cell; drops those with nothing under the header.
std::string columns(const std::vector<std::vector<std::string>>& cells, const std::string& before) {
  std::vector<std::size_t> wide;
  for (const auto& row : cells) {
    wide.resize(std::max(wide.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) wide[k] = std::max(wide[k], row[k].size());
  }
  for (std::size_t k = 0; k < wide.size(); ++k)
    if (std::all_of(cells.begin() + 1, cells.end(), [k](const auto& row) { return row[k].empty(); })) wide[k] = 0;
  std::string out;
  for (const auto& row : cells) {
    std::string text;
    for (std::size_t k = 0; k < row.size(); ++k)
      if (wide[k] > 0) text += fmt::format("{}{:<{}}", text.empty() ? "" : "  ", row[k], wide[k]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += "\n" + before + text;
  }
  return out;
}

}  // namespace

std::string_view name(Agreement a) {
  static constexpr std::string_view kNames[] = {"agrees", "disagrees", "not measured"};
  return kNames[static_cast<std::size_t>(a)];
}

int PredictionTable::count(Agreement a) const {
  const auto is = [a](const auto& row) { return row.agreement == a; };
  return static_cast<int>(std::ranges::count_if(rows, is) + std::ranges::count_if(profiled, is));
}

bool agree(double measured, double predicted) {
  return std::fabs(measured - predicted) <= kSlack + kSlackShare * predicted;
}

std::string summaryOf(const PredictionTable& table) {
  if (table.rows.empty() && table.profiled.empty()) return "no access to shared memory";
  const int good = table.count(Agreement::Agrees), bad = table.count(Agreement::Disagrees),
            open = table.count(Agreement::NotMeasured);
  const int profiled = static_cast<int>(table.profiled.size());
  std::string what = counted(static_cast<int>(table.rows.size()), "access", "accesses"), rest;
  if (profiled > 0) what += fmt::format(" and {} with counters", counted(profiled, "kernel", "kernels"));
  const auto add = [&](int n, const char* one, const char* many) {
    if (n > 0) rest += (rest.empty() ? "" : ", ") + counted(n, one, many);
  };
  add(good, "agrees", "agree");
  add(bad, "disagrees", "disagree");
  add(open, "is not measured", "are not measured");
  return what + ": " + rest;
}

std::vector<std::vector<std::string>> cellsOf(const PredictionTable& table) {
  std::vector<std::vector<std::string>> out = {{"where", "instruction", "operand", "layout", "times", "predicted",
                                                "ideal", "cycles", "ideal cycles", "measured", "verdict"}};
  for (const PredictionRow& r : table.rows) {
    const std::string predicted =
        r.merged ? fmt::format("{} ({} merged)", r.wavefronts, *r.merged) : fmt::format("{}", r.wavefronts);
    const std::string why = r.agreement == Agreement::NotMeasured && r.why == table.notMeasured ? "" : r.why;
    out.push_back({r.line > 0 ? fmt::format("line {}", r.line) : "", r.instruction, r.operand, r.layout,
                   fmt::format("{}", r.times), predicted, fmt::format("{}", r.ideal), number(r.cycles),
                   number(r.idealCycles), number(r.measured), verdictText(r.agreement, why)});
  }
  return out;
}

std::string textOf(const PredictionTable& table) {
  std::string out = fmt::format("{}: {}", table.title, summaryOf(table));
  if (!table.device.empty()) out += fmt::format("\n    device: {}", table.device);
  if (!table.notMeasured.empty()) out += fmt::format("\n    not measured: {}", table.notMeasured);
  if (!table.remark.empty()) out += fmt::format("\n    {}", table.remark);
  if (!table.rows.empty()) out += columns(cellsOf(table), "    ");
  for (const ProfiledKernel& k : table.profiled) {
    out += fmt::format("\n    {}, {}, counters of one: {}", k.kernel, counted(k.launches, "launch", "launches"),
                       verdictText(k.agreement, k.why));
    out += fmt::format("\n        predicted: {} wavefronts, {} without conflicts", k.wavefronts, k.ideal);
    for (const auto& [name, value] : k.counters) out += fmt::format("\n        {} {:.10g}", name, value);
  }
  return out;
}

std::string csvOf(const PredictionTable& table) {
  std::string out = line({"kind", "kernel", "line", "instruction", "operand", "layout", "times", "patterns",
                          "predicted_wavefronts", "ideal_wavefronts", "merged_wavefronts", "cycles", "ideal_cycles",
                          "latency_cycles", "measured_wavefronts", "counter", "verdict", "why"});
  const auto precise = [](const std::optional<double>& x) { return x ? fmt::format("{:.10g}", *x) : std::string(); };
  for (const PredictionRow& r : table.rows)
    out += line({"access", r.kernel, r.line > 0 ? fmt::format("{}", r.line) : "", r.instruction, r.operand, r.layout,
                 fmt::format("{}", r.times), fmt::format("{}", r.patterns), fmt::format("{}", r.wavefronts),
                 fmt::format("{}", r.ideal), r.merged ? fmt::format("{}", *r.merged) : "", precise(r.cycles),
                 precise(r.idealCycles), precise(r.latency), precise(r.measured), "", std::string(name(r.agreement)),
                 r.why});
  for (const ProfiledKernel& k : table.profiled) {
    out += line({"kernel", k.kernel, "", "", "", "", fmt::format("{}", k.launches), "", fmt::format("{}", k.wavefronts),
                 fmt::format("{}", k.ideal), "", "", "", "", "", "", std::string(name(k.agreement)), k.why});
    for (const auto& [name, value] : k.counters)
      out += line({"counter", k.kernel, "", name, "", "", fmt::format("{}", k.launches), "", "", "", "", "", "", "", "",
                   precise(value), "", ""});
  }
  return out;
}

}  // namespace tessera
