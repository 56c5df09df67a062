// The emulator against a slow obvious one, in which every thread of a block traverses the tree separately and records
// its accesses, barrier by barrier. The phases are then replayed one thread after another, and races are all pairs of
// accesses.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/graphene/slots/slots.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

struct Place {
  std::string root;
  i64 copy = 0, address = 0;
  auto operator<=>(const Place&) const = default;
};
struct Event {
  bool sync = false;
  const Spec* leaf = nullptr;
  std::vector<std::vector<Place>> places;  // by operand: outputs, then inputs
  bool outside = false;                    // some coordinate leaves its extent
};

// One thread's way through one kernel.
class Walk {
 public:
  Walk(const graphene::Program& p, i64 block, i64 thread, i64 threads)
      : p_(p), block_(block), thread_(thread), threads_(threads) {
    params_.resize(p.variables.size(), 0);
    for (const Tensor& t : p.operands) roots_["%" + t.name] = t.name;
  }
  std::vector<Event> run(const Body& body) {
    walk(body);
    return std::move(events_);
  }

 private:
  i64 value(const Expr& e) {
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      const Variable& var = p_.variables[v];
      if (var.kind == Variable::Kind::Block) params_[v] = block_;
      if (var.kind == Variable::Kind::Thread) params_[v] = thread_;
      if (var.kind == Variable::Kind::Index) params_[v] = tessera::evaluate(var.value, {}, params_);
    }
    return tessera::evaluate(e, {}, params_);
  }
  bool holds(const Comparison& c) {
    const i64 a = value(c.left), b = value(c.right);
    return c.op == "<"    ? a < b
           : c.op == ">"  ? a > b
           : c.op == "<=" ? a <= b
           : c.op == ">=" ? a >= b
           : c.op == "==" ? a == b
                          : a != b;
  }
  void walk(const Body& body) {
    for (const Statement& s : body) {
      if (const auto* d = std::get_if<Define>(&s.what)) roots_["%" + d->tensor.name] = roots_[d->source];
      if (const auto* t = std::get_if<Temporary>(&s.what)) roots_["%" + t->tensor.name] = t->tensor.name;
      if (std::get_if<Sync>(&s.what) != nullptr) events_.push_back({true, nullptr, {}, false});
      if (const auto* loop = std::get_if<Loop>(&s.what)) {
        const auto v = static_cast<std::size_t>(loop->variable);
        for (i64 i = value(p_.variables[v].lo); i < value(p_.variables[v].hi); i += p_.variables[v].step) {
          params_[v] = i;
          walk(loop->body);
        }
      }
      if (const auto* branch = std::get_if<Branch>(&s.what)) {
        bool all = true;
        for (const Comparison& c : branch->condition) all = all && holds(c);
        walk(all ? branch->then : branch->otherwise);
      }
      if (const auto* spec = std::get_if<Spec>(&s.what)) leaf(*spec);
    }
  }
  void leaf(const Spec& spec) {
    Event e;
    e.leaf = &spec;
    for (const auto* tensors : {&spec.outputs, &spec.inputs}) {
      for (const Tensor& t : *tensors) {
        auto& places = e.places.emplace_back();
        const FlatSlots slots = flatSlots(t);
        const std::vector<i64>& addresses = slots.addresses;
        const i64 copy = t.memory == Memory::Global   ? 0
                         : t.memory == Memory::Shared ? block_
                                                      : block_ * threads_ + thread_;
        for (std::size_t s = 0; s < addresses.size(); ++s) {
          places.push_back({roots_["%" + t.name], copy, t.swizzle(value(t.offset) + addresses[s])});
          for (std::size_t d = 0; d < t.extents.size(); ++d) {
            const i64 c = value(t.origin[d]) + slots.coordinate(s)[d];
            e.outside = e.outside || c < 0 || c >= value(t.extents[d]);
          }
        }
      }
    }
    events_.push_back(std::move(e));
  }

  const graphene::Program& p_;
  i64 block_, thread_, threads_;
  std::vector<i64> params_;
  std::map<std::string, std::string> roots_;
  std::vector<Event> events_;
};

struct Slow {
  std::map<Place, double> memory;
  bool race = false, undefined = false, outside = false, divergent = false;
};

Slow slowly(const graphene::Program& p, i64 blocks, i64 threads, const std::vector<double>& in) {
  Slow out;
  for (std::size_t i = 0; i < in.size(); ++i) out.memory[{"in", 0, static_cast<i64>(i)}] = in[i];
  for (std::size_t i = 0; i < in.size(); ++i) out.memory[{"out", 0, static_cast<i64>(i)}] = 0;
  const Spec& kernel = std::get<Spec>(p.specs[0].what);
  struct Access {
    i64 block, thread, phase;
    bool write;
  };
  std::map<Place, std::vector<Access>> accesses;
  for (i64 b = 0; b < blocks; ++b) {
    std::vector<std::vector<Event>> all;
    std::vector<std::size_t> at(static_cast<std::size_t>(threads), 0);
    for (i64 t = 0; t < threads; ++t) all.push_back(Walk(p, b, t, threads).run(kernel.body));
    for (i64 phase = 0;; ++phase) {
      bool more = false;
      for (i64 t = 0; t < threads; ++t) {
        auto& events = all[static_cast<std::size_t>(t)];
        std::size_t& i = at[static_cast<std::size_t>(t)];
        for (; i < events.size() && !events[i].sync; ++i) {
          const Event& e = events[i];
          out.outside = out.outside || e.outside;
          if (e.outside) continue;
          for (std::size_t s = 0; s < e.places[0].size(); ++s) {
            double value = 0;
            for (std::size_t k = 1; k < e.places.size(); ++k) {
              const Place& from = e.places[k][s];
              const auto found = out.memory.find(from);
              out.undefined = out.undefined || found == out.memory.end();
              value += found == out.memory.end() ? 0 : found->second;
              if (e.leaf->inputs[k - 1].memory != Memory::Register) accesses[from].push_back({b, t, phase, false});
            }
            if (e.leaf->kind == SpecKind::Init) value = std::stod(e.leaf->attribute);
            out.memory[e.places[0][s]] = value;
            if (e.leaf->outputs[0].memory != Memory::Register) accesses[e.places[0][s]].push_back({b, t, phase, true});
          }
        }
        if (i < events.size()) ++i, more = true;  // its barrier
      }
      if (!more) break;
    }
    for (const auto& events : all)
      out.divergent =
          out.divergent || std::count_if(events.begin(), events.end(), [](const Event& e) { return e.sync; }) !=
                               std::count_if(all[0].begin(), all[0].end(), [](const Event& e) { return e.sync; });
  }
  for (const auto& [place, list] : accesses)
    for (const Access& x : list)
      for (const Access& y : list)
        if ((x.write || y.write) && (x.block != y.block || (x.thread != y.thread && x.phase == y.phase)))
          out.race = true;
  return out;
}

// A program of moves, sums and barriers over two global tensors, two shared ones and a register.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string run(i64 blocks, i64 threads) {
    text_ = fmt::format(
        "%in:[8,16:16,1].fp32.GL  %out:[8,16:16,1].fp32.GL\n#b:[{}].block  #t:[{}].thread\n"
        "%out <- Spec<<<#b,#t>>>(%in) {{\n@t = #t.indices()\n@b = #b.indices()\n#g = #b.scalar() #one = #t.scalar()\n"
        "%s:[8,16:17,1].fp32.SH\n%z:Sw<2,0,4> o [8,16:16,1].fp32.SH\n%r:[4,2:2,1].fp32.RF\n%r <- "
        "Init<1><<<#g,#one>>>()\n",
        blocks, threads);
    body(2, {});
    return text_ + "}\n";
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string index(int extent, const std::vector<std::string>& loops) {
    const char* scales[] = {"1", "1", "2", "3", "5"};
    std::string e = fmt::format("{}*@t + {}", scales[below(5)], below(3));
    if (below(3) == 0) e = fmt::format("@t / 16 + {}", below(2));
    if (below(3) == 0) e += " + 4*@b";
    if (!loops.empty() && below(2) == 0)
      e +=
          fmt::format(" + {}*{}", 1 + below(3), loops[static_cast<std::size_t>(below(static_cast<int>(loops.size())))]);
    return below(20) == 0 ? e : fmt::format("({}) % {}", e, extent);
  }
  std::string view(const std::vector<std::string>& loops, bool output) {
    const char* names[] = {"in", "s", "z", "r", "r"};
    const std::string name = output && below(4) == 0 ? "out" : names[output ? 1 + below(4) : below(5)];
    const std::string fresh = fmt::format("%v{}", ++views_);
    if (name == "r")
      text_ += fmt::format("{} = %r[{}, {}]\n", fresh, index(4, loops), below(2));
    else
      text_ += fmt::format("{} = %{}[{}, {}]\n", fresh, name, index(8, loops), index(16, loops));
    return fresh;
  }
  void body(int depth, std::vector<std::string> loops) {
    for (int n = 2 + below(4); n > 0; --n) {
      const int what = below(10);
      if (what < 5) {
        const std::string to = view(loops, true), from = view(loops, false);
        text_ += fmt::format("{} <- Move<<<#g,#one>>>({})\n", to, from);
      } else if (what == 5) {
        const std::string to = view(loops, true), a = view(loops, false), b = view(loops, false);
        text_ += fmt::format("{} <- BinaryPW<+><<<#g,#one>>>({}, {})\n", to, a, b);
      } else if (what == 6) {
        text_ += fmt::format("{} <- Init<{}><<<#g,#one>>>()\n", view(loops, true), below(9));
      } else if (what < 9 || depth == 0) {
        text_ += "sync\n";
      } else {
        if (below(2) == 0) {
          const std::string loop = fmt::format("i{}", ++views_);
          text_ += fmt::format("for ({0} = 0; {0} < {1}; {0} += 1) {{\n", loop, 1 + below(3));
          loops.push_back(loop);
        } else {
          text_ += fmt::format("if (@t {} {}) {{\n", below(2) == 0 ? "<" : ">=", below(60));
        }
        auto inner = loops;
        body(depth - 1, inner);
        text_ += "}\n";
        if (!loops.empty() && text_.size() > 2) loops.pop_back();
      }
    }
  }

  std::mt19937 random_;
  std::string text_;
  int views_ = 0;
};

bool has(const Run& r, Obligation o) {
  return std::any_of(r.findings.begin(), r.findings.end(), [o](const Finding& f) { return f.obligation == o; });
}

}  // namespace

TEST_CASE(
    "random programs: warps in lockstep find what all pairs of accesses show, and compute what threads alone do") {
  std::vector<double> in(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i + 1);
  int clean = 0, races = 0, undefined = 0, outside = 0, divergent = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const i64 blocks = 1 + seed % 2, threads = std::vector<i64>{1, 7, 40, 64}[seed / 2 % 4];
    const std::string text = Writer(seed).run(blocks, threads);
    INFO("seed " << seed << "\n" << text);
    const auto p = readProgram(text);
    REQUIRE(p.ok());
    EmulateOptions options;
    options.seed = seed % 3;
    const auto fast = emulate(*p, {{"in", in}}, options);
    INFO((fast ? "" : fast.error().message));
    REQUIRE(fast.ok());
    for (const Finding& f : fast->findings) UNSCOPED_INFO(label(f.obligation) << " " << print(f));
    REQUIRE(fast->stopped.empty());
    const Slow slow = slowly(*p, blocks, threads, in);
    REQUIRE(has(*fast, Obligation::Static) == slow.divergent);
    divergent += slow.divergent;
    outside += slow.outside;
    if (slow.divergent) continue;
    REQUIRE(has(*fast, Obligation::Bounds) == slow.outside);
    if (slow.outside) continue;
    REQUIRE(has(*fast, Obligation::Races) == slow.race);
    races += slow.race;
    if (slow.race) continue;
    REQUIRE(has(*fast, Obligation::Definedness) == slow.undefined);
    undefined += slow.undefined;
    if (slow.undefined) continue;
    ++clean;
    for (i64 i = 0; i < 128; ++i)
      REQUIRE(fast->tensors.at("out")[static_cast<std::size_t>(i)] == slow.memory.at({"out", 0, i}));
  }
  CHECK(clean > 10);
  CHECK(races > 10);
  CHECK(undefined > 10);
  CHECK(outside > 2);
  CHECK(divergent > 2);
}
