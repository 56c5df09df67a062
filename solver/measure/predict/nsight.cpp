#include "solver/measure/predict/nsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera::measure {

CsvReader::CsvReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

std::string_view CsvReader::line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

void CsvReader::skip() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  ++line_;
}

CsvReader::Record CsvReader::record() {
  Record out;
  out.line = line_;
  out.span.begin = at_;
  std::string field;
  bool quoted = false;
  std::size_t opened = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (quoted) {
      const bool doubled = c == '"' && text_.substr(at_ + 1).starts_with('"');
      if (doubled) ++at_;
      if (c == '"' && !doubled)
        quoted = false;
      else
        field += c;
    } else if (c == '"' && field.empty()) {
      quoted = true;
      opened = at_;
    } else if (c == ',') {
      out.fields.push_back(std::exchange(field, ""));
    } else if (c == '\n') {
      break;
    } else if (c != '\r' || !text_.substr(at_ + 1).starts_with('\n')) {
      field += c;
    }
  }
  out.span.end = at_;
  if (quoted) out.open = opened;
  if (!done()) ++at_;
  out.fields.push_back(std::move(field));
  return out;
}

namespace {

using Fields = std::vector<std::string>;
using Record = CsvReader::Record;

Diag wrong(std::size_t line, const std::string& what, const std::string& expected, Span span) {
  return Diag{fmt::format("line {}: {}", line, what), expected, "", span};
}

std::size_t columnOf(const Fields& head, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(head, name) - head.begin());
}
std::string fieldOf(const Record& row, std::size_t column) {
  return column < row.fields.size() ? row.fields[column] : "";
}

std::string kernelName(std::string name) {
  if (name.starts_with("void ")) name.erase(0, 5);
  name.resize(std::min(name.find_first_of("(<"), name.size()));
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

// The scale factor of a unit: 1e-6 for "usecond", 1000 for "Kbyte", 1e9 for "cycle/nsecond".
double scaleOf(std::string_view unit) {
  if (const std::size_t slash = unit.find('/'); slash != std::string_view::npos)
    return scaleOf(unit.substr(0, slash)) / scaleOf(unit.substr(slash + 1));
  constexpr std::string_view kUnits[] = {"second", "s",     "byte",   "B",    "bit",       "hz",
                                         "Hz",     "cycle", "sector", "inst", "wavefront", "request"};
  constexpr std::pair<char, double> kPrefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3},
                                                   {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};
  if (unit.empty()) return 1;
  const bool known = std::find(std::begin(kUnits), std::end(kUnits), unit.substr(1)) != std::end(kUnits);
  for (const auto& [prefix, scale] : kPrefixes)
    if (known && unit[0] == prefix) return scale;
  return 1;
}

bool isNothing(std::string_view text) {
  return text.empty() || text == "n/a" || text == "N/A" || text == "-" || text == "nan" || text == "no data";
}

// True for a counter, whose value must be a number.
bool counts(std::string_view metric) { return metric.find("__") != std::string_view::npos && metric.ends_with(".sum"); }

class Import {
 public:
  explicit Import(std::string_view text) : reader_(text) {}

  Result<NsightReport> run() {
    while (!reader_.done()) TESSERA_CHECKED(step());
    if (heads_ == 0)
      return Diag{"this is not a report of Nsight Compute",
                  "what ncu --csv --page raw, --page details or --page source prints",
                  "a .ncu-rep file is read by: ncu --import FILE --csv --page raw"};
    if (report_.launches.empty())
      return wrong(headLine_, "a heading without a launch after it", "a line for each launch", headSpan_);
    return std::move(report_);
  }

 private:
  enum class Page { None, Raw, Details, Source };

  Result<void> step() {
    const std::string_view line = reader_.line();
    const bool head = line.starts_with("\"ID\"") || line.starts_with("ID,");
    const bool source = line.starts_with("\"Kernel Name\",") || line.starts_with("Kernel Name,");
    // Output of the profiler and of the program is not a row: rows are quoted if their head is.
    const bool row = page_ != Page::None && !line.empty() && (!quoted_ || line[0] == '"') && !line.starts_with("==");
    if (!head && !source && !row) return reader_.skip(), Result<void>{};
    const Record record = reader_.record();
    if (record.open) return wrong(record.line, "a quote that is not closed", "\"...\" around a field", record.span);
    if (head || source) {
      quoted_ = line[0] == '"';
      ++heads_;
      headLine_ = record.line, headSpan_ = record.span;
      head_.clear();
      return head ? begin(record) : beginSource(record);
    }
    if (page_ == Page::Source && columnOf(record.fields, "Source") < record.fields.size())
      return head_ = record.fields, Result<void>{};
    if (record.fields.size() > head_.size() + 1 && !head_.empty())
      return wrong(record.line, fmt::format("{} fields, and the head has {}", record.fields.size(), head_.size()),
                   "one field per column", record.span);
    if (page_ == Page::Source) return head_.empty() ? Result<void>{} : instruction(record);
    return page_ == Page::Raw ? launch(record) : metric(record);
  }

  Result<void> begin(const Record& record) {
    head_ = record.fields;
    units_.clear();
    kernel_ = columnOf(head_, "Kernel Name");
    name_ = columnOf(head_, "Metric Name");
    value_ = columnOf(head_, "Metric Value");
    if (kernel_ == head_.size())
      return wrong(record.line, "no column \"Kernel Name\"", "\"ID\",...,\"Kernel Name\",...", record.span);
    if ((name_ == head_.size()) != (value_ == head_.size()))
      return wrong(record.line, "a column \"Metric Name\" or \"Metric Value\" without the other", "both, or neither",
                   record.span);
    page_ = name_ < head_.size() ? Page::Details : Page::Raw;
    return {};
  }

  NsightLaunch& launchOf(const Record& row) {
    const std::string key = fieldOf(row, columnOf(head_, "Process ID")) + "/" + fieldOf(row, 0);
    const auto [at, fresh] = known_.try_emplace(key, report_.launches.size());
    if (fresh)
      report_.launches.push_back({fieldOf(row, 0),
                                  kernelName(fieldOf(row, kernel_)),
                                  fieldOf(row, columnOf(head_, "Block Size")),
                                  fieldOf(row, columnOf(head_, "Grid Size")),
                                  {}});
    return report_.launches[at->second];
  }

  Result<void> put(NsightLaunch& launch, const Record& row, const std::string& name, const std::string& value,
                   const std::string& unit) {
    if (const auto number = nsightNumber(value)) {
      launch.metrics[name] = *number * scaleOf(unit);
    } else if (counts(name) && !isNothing(value)) {
      return wrong(row.line, fmt::format("'{}' is not a number, but {} is one", value.substr(0, 40), name),
                   "1,024 or 0.5", row.span);
    }
    return {};
  }

  Result<void> launch(const Record& row) {
    if (fieldOf(row, 0).empty()) {
      units_ = row.fields;
      return {};
    }
    if (fieldOf(row, kernel_).empty()) return wrong(row.line, "a launch without a kernel's name", "", row.span);
    NsightLaunch& to = launchOf(row);
    for (std::size_t k = kernel_ + 1; k < row.fields.size() && k < head_.size(); ++k)
      if (head_[k].find("__") != std::string::npos || head_[k].starts_with("memory_"))
        TESSERA_CHECKED(put(to, row, head_[k], row.fields[k], k < units_.size() ? units_[k] : ""));
    return {};
  }

  Result<void> metric(const Record& row) {
    if (fieldOf(row, kernel_).empty()) return wrong(row.line, "a metric without a kernel's name", "", row.span);
    const std::string name = fieldOf(row, name_);
    NsightLaunch& to = launchOf(row);
    if (name.empty()) return {};  // a rule's text
    return put(to, row, name, fieldOf(row, value_), fieldOf(row, columnOf(head_, "Metric Unit")));
  }

  // ---- the source page

  Result<void> beginSource(const Record& record) {
    page_ = Page::Source;
    const std::string kernel = kernelName(fieldOf(record, 1));
    if (kernel.empty()) return wrong(record.line, "a table without a kernel's name", "", record.span);
    report_.launches.push_back({fmt::format("{}", report_.launches.size()), kernel, "", "", {}});
    return {};
  }

  Result<void> instruction(const Record& row) {
    constexpr std::pair<const char*, const char*> kSums[] = {
        {"L1 Wavefronts Shared", "memory_l1_wavefronts_shared"},
        {"L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"},
        {"L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"},
    };
    // Lines of CUDA source among the machine code repeat the figures of the instructions below them.
    const std::size_t address = columnOf(head_, "Address");
    if (address < head_.size() && fieldOf(row, address).empty()) return {};
    NsightLaunch& to = report_.launches.back();
    for (const auto& [name, metric] : kSums) {
      const std::size_t column = columnOf(head_, name);
      if (column == head_.size()) continue;
      const std::string value = fieldOf(row, column);
      const auto number = nsightNumber(value);
      if (!number && !isNothing(value))
        return wrong(row.line, fmt::format("'{}' is not a number", value.substr(0, 40)), name, row.span);
      to.metrics[metric] += number.value_or(0);
    }
    const auto executed = nsightNumber(fieldOf(row, columnOf(head_, "Instructions Executed")));
    if (const std::string metric = opcodeMetric(fieldOf(row, columnOf(head_, "Source"))); !metric.empty() && executed)
      to.metrics[metric] += *executed;
    return {};
  }

  // The metric that counts an opcode: "  @P0 LDSM.16.M88.4 R4, [R2] ".
  static std::string opcodeMetric(const std::string& source) {
    constexpr std::pair<std::string_view, const char*> kMetrics[] = {
        {"LDSM", "smsp__inst_executed_op_ldsm.sum"},
        {"LDGSTS", "smsp__inst_executed_op_ldgsts.sum"},
        {"LDS", "smsp__sass_inst_executed_op_shared_ld.sum"},
        {"STS", "smsp__sass_inst_executed_op_shared_st.sum"},
        {"STSM", "smsp__inst_executed_op_stsm.sum"}};
    std::size_t begin = source.find_first_not_of(' ');
    if (begin != std::string::npos && source[begin] == '@')
      begin = source.find_first_not_of(' ', source.find(' ', begin));
    if (begin == std::string::npos) return "";
    const std::string_view word = std::string_view(source).substr(begin, source.find_first_of(" .", begin) - begin);
    for (const auto& [opcode, metric] : kMetrics)
      if (opcode == word) return metric;
    return "";
  }

  CsvReader reader_;
  NsightReport report_;
  std::map<std::string, std::size_t> known_;
  Page page_ = Page::None;
  Fields head_, units_;
  bool quoted_ = true;
  int heads_ = 0;
  std::size_t headLine_ = 0, kernel_ = 0, name_ = 0, value_ = 0;
  Span headSpan_;
};

}  // namespace

std::optional<double> nsightNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  // A repeated separator, or a comma followed by three digits, separates thousands; any other comma is a decimal point.
  const auto commas = std::ranges::count(text, ','), dots = std::ranges::count(text, '.');
  const bool decimalComma =
      commas == 1 && (dots > 0 ? text.find(',') > text.rfind('.') : text.size() - text.find(',') != 4);
  std::string plain;
  for (const char c : text) {
    if (c == ',' && !decimalComma) continue;
    if (c == '.' && (dots > 1 || (decimalComma && dots > 0))) continue;
    plain += c == ',' ? '.' : c;
  }
  double value = 0;
  return readNumber(plain, value) ? std::optional(value) : std::nullopt;
}

Result<NsightReport> readNsight(std::string_view text) { return Import(text).run(); }

}  // namespace tessera::measure
