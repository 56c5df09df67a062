#include "core/sass/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"
#include "core/sass/latency.h"

namespace tessera::sass {

namespace {

// A result that may not be written yet.
struct Open {
  Register what = 0;
  int producer = 0;
  bool variable = false;
  unsigned barriers = 0;  // waiting for one of these is enough
  int cycles = 0;         // since it was issued, at least
  [[nodiscard]] auto key() const { return std::pair(what, producer); }
  bool operator==(const Open&) const = default;
};
using Opens = std::vector<Open>;  // ascending by key

// What may be open on either path; true if `into` grew or became worse.
bool merge(Opens& into, const Opens& from) {
  Opens out;
  bool changed = false;
  auto a = into.begin();
  for (const Open& b : from) {
    spend();
    while (a != into.end() && a->key() < b.key()) out.push_back(*a++);
    if (a == into.end() || b.key() < a->key()) {
      out.push_back(b);
      changed = true;
      continue;
    }
    Open both = *a++;
    both.barriers &= b.barriers;
    both.cycles = std::min(both.cycles, b.cycles);
    changed = changed || !(both == *(a - 1));
    out.push_back(both);
  }
  out.insert(out.end(), a, into.end());
  into = std::move(out);
  return changed;
}

class Watch {
 public:
  Watch(const Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow) {
    for (const Instruction& i : kernel.code) {
      uses_.push_back(usesOf(i));
      controls_.push_back(i.control());
      latencies_.push_back(latencyOf(i));
    }
    timed_ = cyclesKnown(kernel.architecture);
  }

  Dependencies run() {
    std::vector<Opens> at(flow_.blocks.size());
    std::vector<bool> seen(flow_.blocks.size());
    std::set<int> work;  // positions in the order
    std::vector<int> position(flow_.blocks.size());
    for (std::size_t k = 0; k < flow_.order.size(); ++k) {
      position[static_cast<std::size_t>(flow_.order[k])] = static_cast<int>(k);
      work.insert(static_cast<int>(k));
    }
    while (!work.empty()) {
      const int b = flow_.order[static_cast<std::size_t>(*work.begin())];
      work.erase(work.begin());
      Opens open = at[static_cast<std::size_t>(b)];
      walk(b, open, nullptr);
      for (const int next : flow_.blocks[static_cast<std::size_t>(b)].next)
        if (merge(at[static_cast<std::size_t>(next)], open)) work.insert(position[static_cast<std::size_t>(next)]);
    }
    Dependencies out;
    for (const int b : flow_.order) walk(b, at[static_cast<std::size_t>(b)], &out);
    std::sort(out.findings.begin(), out.findings.end(), [](const Finding& a, const Finding& b) {
      return std::pair(a.reader, a.producer) < std::pair(b.reader, b.producer);
    });
    const auto same = [](const Finding& a, const Finding& b) {
      return a.reader == b.reader && a.producer == b.producer;
    };
    out.findings.erase(std::unique(out.findings.begin(), out.findings.end(), same), out.findings.end());
    return out;
  }

 private:
  void walk(int b, Opens& open, Dependencies* out) {
    const Block& block = flow_.blocks[static_cast<std::size_t>(b)];
    for (int k = block.begin; k < block.end; ++k) step(k, open, out);
  }

  void step(int k, Opens& open, Dependencies* out) {
    const auto n = static_cast<std::size_t>(k);
    const Instruction& i = kernel_.code[n];
    const Uses& uses = uses_[n];
    const Control& control = controls_[n];
    spend(1 + static_cast<Work>(open.size()) / 4);
    const unsigned waits = control.waits | depbar(i);
    std::erase_if(open, [&](const Open& o) { return o.variable && (o.barriers & waits) != 0; });
    if (out != nullptr) look(k, open, *out);
    if (i.unit() == "CALL") open.clear();
    const auto written = [&](const Open& o) {
      return std::binary_search(uses.writes.begin(), uses.writes.end(), o.what);
    };
    std::erase_if(open, written);
    const Latency latency = latencies_[n];
    const bool signals = control.writeBarrier != kNoBarrier;
    const unsigned barrier = signals ? 1U << static_cast<unsigned>(control.writeBarrier) : 0;
    for (Open& o : open) {
      o.cycles = std::min(o.cycles + control.cycles(), kMostCycles);
      const Queue queue = latencies_[static_cast<std::size_t>(o.producer)].queue;
      if (signals && o.variable && queue != Queue::None && queue == latency.queue) o.barriers |= barrier;
    }
    std::erase_if(open, [](const Open& o) { return !o.variable && o.cycles >= kMostCycles; });
    if (i.unit().ends_with("GMMA")) return;
    for (const Register r : uses.writes) {
      const Open one{r, k, latency.variable, barrier, control.cycles()};
      const auto place = std::lower_bound(open.begin(), open.end(), one,
                                          [](const Open& a, const Open& b) { return a.key() < b.key(); });
      open.insert(place, one);
    }
  }

  // DEPBAR.LE SB0, 0x1, {3,2}: one that leaves some outstanding is taken to wait for all.
  static unsigned depbar(const Instruction& i) {
    if (i.unit() != "DEPBAR") return 0;
    unsigned out = 0;
    for (const std::string& operand : i.operands) {
      if (operand.starts_with("SB") && operand.size() == 3 && operand[2] >= '0' && operand[2] <= '5')
        out |= 1U << static_cast<unsigned>(operand[2] - '0');
      if (operand.starts_with('{'))
        for (const char c : operand)
          if (c >= '0' && c <= '5') out |= 1U << static_cast<unsigned>(c - '0');
    }
    return out;
  }

  void look(int k, const Opens& open, Dependencies& out) const {
    const Instruction& reader = kernel_.code[static_cast<std::size_t>(k)];
    if (reader.unit() == "CALL") return;
    for (const Register r : uses_[static_cast<std::size_t>(k)].reads) {
      const auto begin =
          std::lower_bound(open.begin(), open.end(), r, [](const Open& o, Register at) { return o.what < at; });
      for (auto o = begin; o != open.end() && o->what == r; ++o) {
        ++out.reads;
        const Instruction& producer = kernel_.code[static_cast<std::size_t>(o->producer)];
        // @P0 and @!P0 do not both run.
        if (producer.guard.number >= 0 && producer.guard.number == reader.guard.number &&
            producer.guard.uniform == reader.guard.uniform && producer.guard.negated != reader.guard.negated)
          continue;
        Finding f;
        f.producer = o->producer;
        f.reader = k;
        f.what = r;
        f.variable = o->variable;
        if (o->variable) {
          f.barrier = controls_[static_cast<std::size_t>(o->producer)].writeBarrier;
          out.findings.push_back(f);
          continue;
        }
        f.needed = timed_ ? leastCycles(producer, r, reader) : 0;
        f.cycles = o->cycles;
        out.unchecked += f.needed == 0 ? 1 : 0;
        if (f.cycles < f.needed) out.findings.push_back(f);
      }
    }
  }

  const Kernel& kernel_;
  const Flow& flow_;
  std::vector<Uses> uses_;
  std::vector<Control> controls_;
  std::vector<Latency> latencies_;
  bool timed_ = false;
};

}  // namespace

Dependencies dependenciesOf(const Kernel& kernel, const Flow& flow) { return Watch(kernel, flow).run(); }

std::string textOf(const Kernel& kernel, const Finding& finding) {
  const Instruction& producer = kernel.code[static_cast<std::size_t>(finding.producer)];
  const Instruction& reader = kernel.code[static_cast<std::size_t>(finding.reader)];
  std::string why;
  if (!finding.variable)
    why = fmt::format("after {} cycles; it needs {}", finding.cycles, finding.needed);
  else if (finding.barrier == kNoBarrier)
    why = "and the write sets no barrier";
  else
    why = fmt::format("without a wait for barrier {} on some path", finding.barrier);
  return fmt::format("{} of 0x{:04x} ({}) is read at 0x{:04x} ({}) {}", nameOf(finding.what), producer.address,
                     producer.text(), reader.address, reader.text(), why);
}

}  // namespace tessera::sass
