// Mutants of kernels without a fault: one barrier, address, width, count or predicate is changed. A second machine that
// runs thread by thread in several orders (one_by_one.h) decides which of them are faulty. Every faulty one has to be
// found: by its verdict, or by a result other than the kernel's (which --reference shows). No other one may be reported.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "core/ptx/read.h"
#include "solver/kernel/kernel.h"
#include "tests/kernel/kernels.h"
#include "tests/kernel/one_by_one.h"
#include "tests/support/volume.h"

using namespace tessera;

namespace {

using kernel::Argument;
using kernel::Verdict;
using ptx::Operand;

// ---- the kernels

template <class T>
Argument bufferOf(std::size_t n, T first, T step) {
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(first + static_cast<T>(k) * step);
  Argument a;
  a.kind = Argument::Kind::Buffer;
  a.bytes.resize(n * sizeof(T));
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}
Argument intsFrom(std::size_t n, int first = 1) { return bufferOf<int>(n, first, 1); }
Argument zeros(std::size_t n) { return bufferOf<int>(n, 0, 0); }
Argument floatsFrom(std::size_t n) { return bufferOf<float>(n, 1, 0.5f); }
Argument scalarOf(int value) {
  Argument a = intsFrom(1, value);
  a.kind = Argument::Kind::Scalar;
  return a;
}

struct Subject {
  std::string name;
  ptx::Module module;  // with this entry only
  kernel::Launch launch;
  std::vector<std::vector<std::byte>> results;
  i64 steps = 0;
};

ptx::Module moduleAt(const std::string& path) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + path);
  std::stringstream text;
  text << in.rdbuf();
  auto module = ptx::read(text.str());
  REQUIRE(module.ok());
  return *std::move(module);
}

class Subjects {
 public:
  Subjects() {
    add("tests/kernel/data/small", "reverse", 2, {128, 1, 1}, {floatsFrom(256), zeros(256)});
    add("tests/kernel/data/small", "sum", 2, {256, 1, 1}, {intsFrom(512), zeros(2)});
    add("tests/kernel/data/small", "sum_shuffle", 2, {32, 1, 1}, {intsFrom(64), zeros(2)});
    add("tests/kernel/data/small", "sum_atomic", 2, {64, 1, 1}, {intsFrom(128), zeros(1)});
    add("tests/kernel/data/small", "sum_last_block", 3, {32, 1, 1}, {intsFrom(3), zeros(3), zeros(1)});
    add("tests/kernel/data/small", "copy_async", 1, {128, 1, 1}, {floatsFrom(512), zeros(512)});
    add("tests/kernel/data/small", "hand_over", 2, {32, 1, 1}, {zeros(32), zeros(1), zeros(32)});
    add("tests/kernel/data/small", "transpose_padded", 1, {32, 8, 1}, {intsFrom(1024), zeros(1024)});
    add("assets/kernels/reduce", "reduce_shuffle", 1, {256, 1, 1}, {intsFrom(256), zeros(1)});
    add("assets/kernels/copy", "transpose_swizzled", 1, {32, 32, 1}, {intsFrom(1024), zeros(1024), scalarOf(32)});
    add("tests/kernel/data/prove", "grid_stride", 2, {64, 1, 1}, {floatsFrom(200), zeros(200), scalarOf(200)});
    add("tests/kernel/data/prove", "tiled", 2, {64, 1, 1},
        {bufferOf<float>(256, 1, 0.25f), bufferOf<float>(128, 3, 0.5f), zeros(128), scalarOf(128)});
    add("tests/kernel/data/prove", "broadcast", 2, {64, 1, 1}, {intsFrom(1, 5), zeros(128)});
    add("tests/kernel/data/prove", "previous", 1, {64, 1, 1}, {zeros(256), scalarOf(4)});
    add("tests/kernel/data/rows", "rows", 1, {128, 1, 1}, {floatsFrom(512), zeros(512)});
    add("tests/kernel/data/mutants", "pipelined", 1, {64, 1, 1},
        {bufferOf<float>(16 * 64, 1, 0.25f), bufferOf<float>(64 * 16, 2, 0.125f), zeros(256), scalarOf(64)});
    add("tests/kernel/data/mutants", "hand_on", 1, {64, 1, 1}, {intsFrom(96), zeros(96), scalarOf(3)});
    add("tests/kernel/data/mutants", "scan", 1, {128, 1, 1}, {intsFrom(128), zeros(128)});
    add("tests/kernel/data/mutants", "histogram", 2, {64, 1, 1}, {intsFrom(64), zeros(32)});
    add("tests/kernel/data/mutants", "votes", 1, {64, 1, 1}, {intsFrom(65), zeros(64)});
  }
  [[nodiscard]] const std::vector<Subject>& all() const { return all_; }

 private:
  void add(const std::string& file, const std::string& entry, std::uint32_t blocks, std::array<std::uint32_t, 3> block,
           std::vector<Argument> arguments) {
    Subject s;
    s.name = entry;
    s.module = moduleAt("/" + file + ".ptx");
    std::erase_if(s.module.functions, [&](const ptx::Function& f) { return f.name != entry; });
    REQUIRE(s.module.functions.size() == 1);
    s.launch.entry = entry;
    s.launch.grid = {blocks, 1, 1};
    s.launch.block = block;
    s.launch.arguments = std::move(arguments);
    all_.push_back(std::move(s));
  }
  std::vector<Subject> all_;
};

// ---- the changes

enum class Kind : unsigned char { Barrier, Address, Width, Count, Predicate };
constexpr std::array<const char*, 5> kKinds = {"barrier", "address", "width", "count", "predicate"};

struct Change {
  Kind kind;
  std::string what;
  std::function<void(ptx::Function&)> apply;
};

bool synchronizes(const ptx::Opcode& o) {
  return o.base() == "bar" || o.base() == "membar" || o.base() == "fence" || o.has("commit_group") ||
         o.has("wait_group");
}

void removeInstruction(ptx::Function& f, std::size_t at) {
  f.instructions.erase(f.instructions.begin() + static_cast<std::ptrdiff_t>(at));
  const int index = static_cast<int>(at);
  std::erase_if(
      f.body, [&](const ptx::Statement& s) { return s.kind == ptx::Statement::Kind::Instruction && s.index == index; });
  for (ptx::Statement& s : f.body)
    if (s.kind == ptx::Statement::Kind::Instruction && s.index > index) --s.index;
}

// All changes of one function.
class Changes {
 public:
  Changes(const ptx::Function& f, int threads) : f_(f), threads_(threads) {
    for (at_ = 0; at_ < f.instructions.size(); ++at_) {
      const ptx::Instruction& i = f.instructions[at_];
      barriers(i);
      addresses(i);
      widths(i);
      counts(i);
      predicates(i);
    }
  }
  [[nodiscard]] const std::vector<Change>& of(Kind kind) const { return all_[static_cast<std::size_t>(kind)]; }

 private:
  void add(Kind kind, const std::string& what, const std::function<void(ptx::Instruction&)>& edit) {
    ptx::Instruction changed = f_.instructions[at_];
    edit(changed);
    if (changed == f_.instructions[at_]) return;
    all_[static_cast<std::size_t>(kind)].push_back(
        {kind,
         fmt::format("{}: line {}: {} -> {}", what, changed.line, ptx::print(f_, f_.instructions[at_]),
                     ptx::print(f_, changed)),
         [at = at_, changed](ptx::Function& f) { f.instructions[at] = changed; }});
  }
  static void replace(ptx::Instruction& i, const std::string& from, const std::string& to) {
    std::string text = i.opcode.text;
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return;
    text.replace(at, from.size(), to);
    i.opcode = ptx::Opcode(text);
  }

  void barriers(const ptx::Instruction& i) {
    if (!synchronizes(i.opcode)) return;
    all_[static_cast<std::size_t>(Kind::Barrier)].push_back(
        {Kind::Barrier, fmt::format("removed: line {}: {}", i.line, ptx::print(f_, i)),
         [at = at_](ptx::Function& f) { removeInstruction(f, at); }});
  }

  void addresses(const ptx::Instruction& i) {
    const std::string_view base = i.opcode.base();
    if (i.opcode.has("param") || synchronizes(i.opcode)) return;
    const int each = std::max(ptx::bitsOf(i.opcode.type()) / 8, base == "cp" ? 16 : 1);
    if (base == "ld" || base == "st" || base == "atom" || base == "cp") {
      for (std::size_t k = 0; k < i.operands.size(); ++k)
        if (i.operands[k].kind == Operand::Kind::Address)
          for (const int by : {1, -1, 2, 4, -8})
            add(Kind::Address, "offset", [&](ptx::Instruction& c) { c.operands[k].offset += by * each; });
      return;
    }
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      if (i.operands[k].kind != Operand::Kind::Integer) continue;
      const bool shifts = base == "shl" || base == "shr";
      for (const int by : {1, -1, 4, -16})
        if (!shifts || by * by == 1)
          add(Kind::Address, "number",
              [&](ptx::Instruction& c) { c.operands[k].bits += static_cast<u64>(static_cast<i64>(by)); });
    }
    if (base == "sub")
      add(Kind::Address, "swapped", [&](ptx::Instruction& c) { std::swap(c.operands[1], c.operands[2]); });
  }

  void widths(const ptx::Instruction& i) {
    const std::string_view base = i.opcode.base();
    if (i.opcode.has("param")) return;
    if (base == "cp" && i.operands.size() > 2)
      for (const u64 bytes : {8, 4})
        add(Kind::Width, "copies less", [&](ptx::Instruction& c) {
          replace(c, ".cg.", ".ca.");
          for (std::size_t k = 2; k < c.operands.size(); ++k) c.operands[k].bits = bytes;
        });
    if (base != "ld" && base != "st") return;
    const std::size_t data = base == "ld" ? 0 : 1;
    if (i.opcode.has("v4"))
      add(Kind::Width, "half of the vector", [&](ptx::Instruction& c) {
        replace(c, ".v4.", ".v2.");
        c.operands[data].parts.resize(2);
      });
    if (i.opcode.has("v4"))
      add(Kind::Width, "one element of the vector", [&](ptx::Instruction& c) {
        replace(c, ".v4.", ".");
        const Operand first = c.operands[data].parts[0];
        c.operands[data] = first;
      });
    if (!i.opcode.has("v4"))
      for (const char* narrow : {".u16", ".u8", ".s8"})
        add(Kind::Width, "narrower", [&](ptx::Instruction& c) { replace(c, ".u32", narrow); });
    add(Kind::Width, "wider", [&](ptx::Instruction& c) { replace(c, ".u8", ".u16"); });
  }

  void counts(const ptx::Instruction& i) {
    if (i.opcode.has("wait_group"))
      for (const int by : {1, 2, -1})
        add(Kind::Count, "groups", [&](ptx::Instruction& c) {
          if (static_cast<i64>(c.operands[0].bits) + by >= 0) c.operands[0].bits += static_cast<u64>(i64{by});
        });
    if (i.opcode.base() == "bar" && i.opcode.has("warp"))
      for (const u64 bits : {1, 2, 0x80, 0xff00})
        add(Kind::Count, "members", [&](ptx::Instruction& c) { c.operands[0].bits = (c.operands[0].bits ^ bits); });
    if (i.opcode.base() != "bar" || i.opcode.has("warp") || i.opcode.has("red")) return;
    for (const u64 by : {1, 16}) add(Kind::Count, "barrier", [&](ptx::Instruction& c) { c.operands[0].bits += by; });
    for (const int by : {-32, 32, 8})
      add(Kind::Count, "threads", [&](ptx::Instruction& c) {
        if (c.operands.size() < 2) {
          Operand count = c.operands[0];
          count.bits = static_cast<u64>(threads_);
          c.operands.push_back(count);
        }
        const i64 now = static_cast<i64>(c.operands[1].bits) + by;
        if (now > 0)
          c.operands[1].bits = static_cast<u64>(now);
        else
          c = f_.instructions[at_];
      });
    add(Kind::Count, "does not wait", [&](ptx::Instruction& c) {
      if (c.operands.size() == 2) replace(c, "bar.sync", "bar.arrive");
    });
  }

  void predicates(const ptx::Instruction& i) {
    if (i.guard.index >= 0) {
      add(Kind::Predicate, "negated", [&](ptx::Instruction& c) { c.guard.negated = !c.guard.negated; });
      add(Kind::Predicate, "without guard", [&](ptx::Instruction& c) { c.guard = {}; });
    }
    if (i.opcode.base() != "setp") return;
    for (const char* how : {"lt", "le", "gt", "ge", "eq", "ne"})
      add(Kind::Predicate, "compared", [&](ptx::Instruction& c) {
        replace(c, "." + std::string(c.opcode.parts[1]) + ".", "." + std::string(how) + ".");
      });
  }

  const ptx::Function& f_;
  int threads_;
  std::size_t at_ = 0;
  std::array<std::vector<Change>, 5> all_;
};

// ---- the judgement

constexpr u64 kSchedules = 5;

bool clean(const kernel::Report& r) { return r.verdict == Verdict::Clean || r.verdict == Verdict::Benign; }

struct Judged {
  std::string fault;  // why it is faulty; empty: it is not
  bool known = true;  // the second machine knows all of its instructions
};
Judged judged(const Subject& s, const ptx::Module& module, u64 schedules = kSchedules) {
  Judged out;
  for (u64 seed = 0; seed < schedules && out.known && out.fault.empty(); ++seed) {
    const test::OneByOne run = test::runOneByOne(module, s.launch, seed, 20 * s.steps + 1'000'000);
    out.known = run.unsupported.empty();
    out.fault = run.fault;
    if (out.fault.empty() && !s.results.empty() && run.buffers != s.results) out.fault = "another result";
  }
  return out;
}

struct Counted {
  int mutants = 0, faulty = 0, byVerdict = 0, byResult = 0;
};

}  // namespace

TEST_CASE("every mutant that changes a result or introduces a race is found and no other is reported") {
  Subjects made;
  std::vector<Subject> subjects = made.all();
  std::vector<Changes> changes;
  for (Subject& s : subjects) {
    INFO(s.name);
    const auto original = kernel::run(s.module, s.launch);
    REQUIRE(original.ok());
    INFO((original->findings.empty() ? original->reason : original->findings.front().message));
    REQUIRE(clean(*original));
    s.results = original->buffers;
    s.steps = original->threadInstructions;
    const Judged second = judged(s, s.module);
    INFO(second.fault);
    REQUIRE(second.known);
    REQUIRE(second.fault.empty());
    s.launch.maxSteps = 20 * s.steps + 50'000;
    changes.emplace_back(s.module.functions.front(),
                         static_cast<int>(s.launch.block[0] * s.launch.block[1] * s.launch.block[2]));
  }
  std::array<Counted, 5> counted;
  std::set<std::string> seen;
  std::mt19937_64 random(2026);
  const i64 wanted = test::volume(100, 2500);
  int undecided = 0;
  for (i64 tries = 0; static_cast<i64>(seen.size()) < wanted && tries < 100 * wanted; ++tries) {
    const std::size_t kind = random() % 5, which = random() % subjects.size();
    const Subject& s = subjects[which];
    const std::vector<Change>& choices = changes[which].of(static_cast<Kind>(kind));
    if (choices.empty()) continue;
    const Change& change = choices[random() % choices.size()];
    if (!seen.insert(s.name + change.what).second) continue;
    ptx::Module mutant = s.module;
    change.apply(mutant.functions.front());
    INFO(s.name << ", " << change.what);
    const auto report = kernel::run(mutant, s.launch);
    INFO((report ? "" : report.error().message));
    REQUIRE(report.ok());
    INFO("verdict: " << nameOf(report->verdict) << " " << report->reason);
    INFO((report->findings.empty() ? "" : report->findings.front().message));
    const Judged second = judged(s, mutant);
    Counted& c = counted[kind];
    ++c.mutants;
    if (!second.known) {
      ++undecided;
      continue;
    }
    INFO("second machine: " << second.fault);
    const bool reported = !clean(*report), differs = report->buffers != s.results;
    if (second.fault.empty()) {
      CHECK(!reported);
      CHECK(!differs);
      continue;
    }
    ++c.faulty;
    c.byVerdict += reported ? 1 : 0;
    c.byResult += !reported && differs ? 1 : 0;
    CHECK((reported || differs));
  }
  Counted all;
  for (std::size_t k = 0; k < 5; ++k) {
    const Counted& c = counted[k];
    std::cout << fmt::format(
        "mutants, {:<9}: {:>4}, of them {:>4} faulty: {:>4} found by the verdict, {:>4} by the result\n", kKinds[k],
        c.mutants, c.faulty, c.byVerdict, c.byResult);
    all.mutants += c.mutants;
    all.faulty += c.faulty;
    all.byVerdict += c.byVerdict;
    all.byResult += c.byResult;
  }
  std::cout << fmt::format("mutants: {}, {} faulty, {} missed; {} not decided by the second machine\n", all.mutants,
                           all.faulty, all.faulty - all.byVerdict - all.byResult, undecided);
  CHECK(all.mutants >= wanted * 9 / 10);
  CHECK(all.faulty * 2 >= all.mutants);
  CHECK(undecided * 50 <= all.mutants);
}
