#include "core/hlo/text/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/mapped.h"
#include "core/hlo/text/attributes.h"
#include "core/hlo/text/scan.h"

namespace tessera::hlo {
namespace {

constexpr std::array<std::string_view, 11> kCalling = {"calls",
                                                       "to_apply",
                                                       "condition",
                                                       "body",
                                                       "branch_computations",
                                                       "true_computation",
                                                       "false_computation",
                                                       "comparator",
                                                       "select",
                                                       "scatter",
                                                       "called_computations"};

// A row of a table, or empty.
std::string_view rowOf(const Module& module, std::string_view table, i64 number) {
  const auto rows = module.tables.find(table);
  if (rows == module.tables.end()) return {};
  const auto row = rows->second.find(number);
  return row == rows->second.end() ? std::string_view{} : row->second;
}

std::string unquoted(std::string_view s) {
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') s = s.substr(1, s.size() - 2);
  return std::string(s);
}

// "model.py:12 (softmax)"; without the file's folder.
std::string placeText(std::string file, i64 line, const std::string& function) {
  if (const std::size_t slash = file.rfind('/'); slash != std::string::npos) file = file.substr(slash + 1);
  if (file.empty()) return "";
  return file + (line > 0 ? ":" + std::to_string(line) : "") + (function.empty() ? "" : " (" + function + ")");
}

std::string print(const std::vector<Attribute>& attributes) {
  std::string out;
  for (const Attribute& a : attributes) out += fmt::format(", {}={}", a.name, a.value);
  return out;
}

std::string print(const Module& module, const Computation& c) {
  const auto parameters = mapped<std::string>(c.parameters, [&](int p) {
    return p < 0 ? "" : fmt::format("{}: {}", c.at(p).name, xla::print(module.shapeOf(c.at(p))));
  });
  std::string out = fmt::format("{}%{} ({})", c.entry ? "ENTRY " : "", c.name, fmt::join(parameters, ", "));
  if (c.root >= 0) out += " -> " + xla::print(module.shapeOf(c.at(c.root)));
  out += " {\n";
  for (const Instruction& i : c.instructions) {
    const auto operands = mapped<std::string>(
        i.operands, [&](int o) { return fmt::format("%{}", o < 0 ? std::string_view("?") : c.at(o).name); });
    out += fmt::format("  {}%{} = {} {}({}{})", i.root ? "ROOT " : "", i.name, xla::print(module.shapeOf(i)), i.opcode,
                       i.literal, fmt::join(operands, ", "));
    out += print(i.attributes) + "\n";
  }
  return out + "}\n";
}

}  // namespace

const Attribute* Instruction::find(std::string_view attribute) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

std::string textOf(const Problem& p) {
  std::string out = fmt::format("line {}: ", p.line);
  if (!p.instruction.empty()) out += fmt::format("%{}: ", p.instruction);
  out += p.diag.message;
  if (!p.diag.expected.empty()) out += "; expected: " + p.diag.expected;
  if (!p.diag.hint.empty()) out += "; " + p.diag.hint;
  return out;
}

int Module::lineAt(std::size_t at) const {
  if (at > text->size()) return 0;
  return 1 + static_cast<int>(std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

bool namesComputations(std::string_view attribute) { return std::ranges::find(kCalling, attribute) != kCalling.end(); }

std::vector<int> calledBy(const Module& module, const Instruction& instruction) {
  std::vector<int> called;
  const auto add = [&](std::string_view name) {
    if (const auto at = module.byName.find(name); at != module.byName.end()) called.push_back(at->second);
  };
  for (const Attribute& a : instruction.attributes) {
    if (!namesComputations(a.name) || a.value.empty()) continue;
    if (a.value[0] != '{' || module.byName.count(a.value) > 0) {
      add(a.value[0] == '%' ? a.value.substr(1) : a.value);
      continue;
    }
    Scan in(a.value, 1);  // names, or inline computations
    do {
      in.blanks();
      add(in.peek() == '{' ? in.balanced() : in.name());
    } while (in.accept(','));
  }
  return called;
}

std::optional<Cycle> cycleIn(const Computation& c) {
  const std::size_t n = c.instructions.size();
  const auto operandsOf = [&](std::size_t i) -> const std::vector<int>& { return c.instructions[i].operands; };
  const auto before = [](const std::vector<int>& operands, std::size_t i) {
    return std::ranges::all_of(operands, [&](int o) { return o < static_cast<int>(i); });
  };
  std::size_t ordered = 0;
  while (ordered < n && before(operandsOf(ordered), ordered)) ++ordered;
  if (ordered == n) return std::nullopt;  // definitions before uses: the common case
  // Topological sort; what remains is on a cycle or depends on one.
  std::vector<std::vector<std::size_t>> users(n);
  std::vector<std::size_t> waiting(n), ready;
  for (std::size_t i = 0; i < n; ++i) {
    for (const int o : operandsOf(i)) {
      if (o < 0) continue;
      users[static_cast<std::size_t>(o)].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::size_t user : users[ready[done]])
      if (--waiting[user] == 0) ready.push_back(user);
  if (done == n) return std::nullopt;
  std::vector<int> found(n, -1);
  const auto firstOpen = [&](std::size_t i) {
    if (found[i] < 0)
      found[i] = *std::ranges::find_if(operandsOf(i),
                                       [&](int o) { return o >= 0 && waiting[static_cast<std::size_t>(o)] > 0; });
    return static_cast<std::size_t>(found[i]);
  };
  std::size_t at = 0;
  while (waiting[at] == 0) ++at;
  for (std::size_t k = 0; k < n; ++k) at = firstOpen(at);  // after n steps back we are on the cycle
  return Cycle{static_cast<int>(at), static_cast<int>(firstOpen(at))};
}

std::string sourceOf(const Module& module, const Instruction& instruction) {
  const Attribute* const metadata = instruction.find("metadata");
  if (metadata == nullptr) return "";
  if (const auto file = field(metadata->value, "source_file"))
    return placeText(unquoted(*file), wholeNumber(field(metadata->value, "source_line").value_or("")).value_or(0), "");
  const auto number = [](std::string_view row, std::string_view name) {
    return wholeNumber(field(row, name).value_or("")).value_or(0);
  };
  const std::string_view frame = rowOf(module, "StackFrames", number(metadata->value, "stack_frame_id"));
  const std::string_view location = rowOf(module, "FileLocations", number(frame, "file_location_id"));
  const std::string_view file = rowOf(module, "FileNames", number(location, "file_name_id"));
  const std::string_view function = rowOf(module, "FunctionNames", number(location, "function_name_id"));
  return placeText(unquoted(file), number(location, "line"), unquoted(function));
}

std::string print(const Module& module) {
  std::string out;
  if (!module.name.empty()) {
    out += fmt::format("HloModule {}{}\n", module.name, print(module.attributes));
  }
  for (const std::string_view table : {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
    const auto rows = module.tables.find(table);
    if (rows == module.tables.end()) continue;
    std::vector<std::pair<i64, std::string_view>> sorted(rows->second.begin(), rows->second.end());
    std::ranges::sort(sorted);
    out += fmt::format("\n{}\n", table);
    for (const auto& [number, row] : sorted) out += fmt::format("{} {}\n", number, row);
  }
  for (const Computation& c : module.computations) {
    if (c.written) continue;  // printed with the attribute
    out += "\n" + print(module, c);
  }
  return out;
}

}  // namespace tessera::hlo
