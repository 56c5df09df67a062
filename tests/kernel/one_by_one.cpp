#include "tests/kernel/one_by_one.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "tests/kernel/byte_history.h"
#include "tests/kernel/scalar_alu.h"

namespace tessera::test {

namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr u64 kEach = u64{1} << 36;  // addresses of a buffer

enum class At : unsigned char { Running, Barrier, Arrive, Warp, Together, Done };
struct Thread {
  std::uint32_t number = 0, block = 0, warp = 0, lane = 0;  // warp: of the launch
  std::array<std::uint32_t, 3> tid{}, ctaid{};
  std::vector<u64> registers;
  int pc = 0;
  At at = At::Running;
  bool counted = false;  // at a barrier, its warp has arrived
  Clocks known, fenced, observed;
  std::vector<PendingCopy> copies;
  std::vector<std::size_t> groups;  // number of copies at each commit
  std::vector<int> lines;           // of OneByOne
};

struct Rendezvous {  // a barrier of a block
  std::uint32_t arrived = 0;
  i64 expected = -1;
  std::vector<Thread*> waiting;
  Clocks handed;
};

class Threads {
 public:
  Threads(const ptx::Module& module, const kernel::Launch& launch, u64 seed) : launch_(launch), seed_(seed) {
    f_ = module.function(launch.entry);
    random_.seed(seed);
    int next = 0;
    for (const ptx::Statement& s : f_->body) {
      if (s.kind == ptx::Statement::Kind::Instruction) next = s.index + 1;
      if (s.kind == ptx::Statement::Kind::Label) labels_[f_->labels[static_cast<std::size_t>(s.index)]] = next;
    }
    i64 shared = 0;
    for (const ptx::Variable& v : f_->variables) {
      if (v.space != Space::Shared) continue;
      shared = (shared + v.alignment() - 1) / v.alignment() * v.alignment();
      symbols_[v.name] = static_cast<u64>(shared);
      shared += v.bytes();
    }
    const std::size_t blocks = std::size_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    shared_.resize(blocks);
    for (ByteHistory& m : shared_) m.resize(static_cast<std::size_t>(shared), false);
    rendezvous_.resize(blocks);
    for (std::size_t k = 0; k < f_->parameters.size(); ++k) {
      const kernel::Argument& a = launch.arguments[k];
      u64 value = 0;
      if (a.kind == kernel::Argument::Kind::Buffer) {
        value = (k + 1) * kEach;
        addGlobal(value, a.bytes);
      } else {
        std::memcpy(&value, a.bytes.data(), a.bytes.size());
      }
      symbols_[f_->parameters[k].name] = value;
    }
    for (std::size_t k = 0; k < module.variables.size(); ++k) {
      const u64 at = (k + 100) * kEach;
      addGlobal(at, std::vector<std::byte>(static_cast<std::size_t>(module.variables[k].bytes())));
      symbols_[module.variables[k].name] = at;
    }
    start();
  }

  void run(i64 mostSteps) {
    std::vector<Thread*> can;
    Thread* last = nullptr;
    while (true) {
      can.clear();
      for (Thread& t : threads_)
        if (t.at == At::Running) can.push_back(&t);
      if (can.empty()) break;
      Thread* t = can.front();
      i64 burst = INT64_MAX;
      if (seed_ == 1) t = can.back();
      if (seed_ >= 2) {
        t = can[random_() % can.size()];
        if (seed_ % 2 == 0 && last != nullptr && last->at == At::Running) t = last;  // longer
        burst = static_cast<i64>(random_() % 40) + 1;
      }
      // A thread that spins gives way also where threads run to the end.
      if (seed_ < 2 && last != nullptr && last->at == At::Running) t = can[random_() % can.size()];
      for (burst = std::min<i64>(burst, 400); burst > 0 && t->at == At::Running; --burst) {
        if (--mostSteps < 0) throw Fault{"does not end"};
        step(*t);
      }
      last = seed_ >= 2 && random_() % 3 == 0 ? nullptr : t;
    }
    for (const Thread& t : threads_)
      if (t.at != At::Done) throw Fault{"stuck"};
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> buffers() const {
    std::vector<std::vector<std::byte>> out(launch_.arguments.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto at = global_.find((k + 1) * kEach);
      if (at == global_.end()) continue;
      for (const std::uint8_t b : at->second.bytes) out[k].push_back(static_cast<std::byte>(b));
    }
    return out;
  }

  [[nodiscard]] std::vector<std::vector<int>> lines() const {
    std::vector<std::vector<int>> out;
    for (const Thread& t : threads_) out.push_back(t.lines);
    return out;
  }

 private:
  void addGlobal(u64 at, const std::vector<std::byte>& bytes) {
    ByteHistory& m = global_[at];
    m.resize(bytes.size(), true);
    for (std::size_t k = 0; k < bytes.size(); ++k) m.bytes[k] = static_cast<std::uint8_t>(bytes[k]);
  }

  void start() {
    const auto &g = launch_.grid, &b = launch_.block;
    const std::uint32_t each = b[0] * b[1] * b[2], blocks = g[0] * g[1] * g[2], warps = (each + 31) / 32;
    threads_.resize(std::size_t{each} * blocks);
    for (std::uint32_t k = 0; k < threads_.size(); ++k) {
      Thread& t = threads_[k];
      const std::uint32_t in = k % each;
      t.number = k;
      t.block = k / each;
      t.warp = t.block * warps + in / 32;
      t.lane = in % 32;
      t.tid = {in % b[0], in / b[0] % b[1], in / b[0] / b[1]};
      t.ctaid = {t.block % g[0], t.block / g[0] % g[1], t.block / g[0] / g[1]};
      t.registers.resize(static_cast<std::size_t>(f_->registerCount));
      for (std::size_t r = 0; r < t.registers.size(); ++r)
        t.registers[r] = masked(random_(), ptx::bitsOf(f_->declaration(static_cast<int>(r)).type));
      t.known.threads.assign(threads_.size(), 0);
      t.known.copies.assign(threads_.size(), 0);
      t.known.threads[k] = 1;
    }
  }

  // ---- operands

  [[nodiscard]] u64 special(const Thread& t, const Operand& o) const {
    const auto c = static_cast<std::size_t>(std::max(o.component, 0));
    if (o.name == "%tid") return t.tid[c];
    if (o.name == "%ntid") return launch_.block[c];
    if (o.name == "%ctaid") return t.ctaid[c];
    if (o.name == "%nctaid") return launch_.grid[c];
    if (o.name == "%laneid") return t.lane;
    throw NoMeaning{o.name};
  }
  [[nodiscard]] u64 value(const Thread& t, const Operand& o, Type type) const {
    switch (o.kind) {
      case Operand::Kind::Register: {
        const u64 x = t.registers[static_cast<std::size_t>(o.index)];
        return type == Type::Pred && o.negated ? x ^ 1 : x;
      }
      case Operand::Kind::Special:
        return special(t, o);
      case Operand::Kind::Integer:
        return masked(o.bits, type == Type::None ? 64 : ptx::bitsOf(type));
      case Operand::Kind::Float:
        if (o.type == Type::F32 || type == Type::F64) return o.bits;
        {
          double x = 0;
          std::memcpy(&x, &o.bits, 8);
          return bitsOfFloat(static_cast<float>(x));
        }
      case Operand::Kind::Symbol: {
        const auto at = symbols_.find(o.name);
        if (at == symbols_.end()) throw NoMeaning{o.name};
        return at->second + static_cast<u64>(o.offset);
      }
      default:
        throw NoMeaning{"an operand"};
    }
  }
  [[nodiscard]] u64 address(const Thread& t, const Operand& o, Space space) const {
    const u64 at = value(t, o.parts[0], Type::None) + static_cast<u64>(o.offset);
    return space == Space::Shared ? masked(at, 32) : at;
  }
  void put(Thread& t, const Operand& o, u64 x) const {
    if (o.kind == Operand::Kind::Sink) return;
    if (o.kind != Operand::Kind::Register) throw NoMeaning{"a result"};
    t.registers[static_cast<std::size_t>(o.index)] = masked(x, ptx::bitsOf(f_->declaration(o.index).type));
  }

  // ---- memory

  ByteHistory& memoryAt(const Thread& t, Space space, u64 address, int width, u64& offset) {
    ByteHistory* m = nullptr;
    if (space == Space::Shared) {
      m = &shared_[t.block];
      offset = address;
    } else {
      const auto at = global_.find(address / kEach * kEach);
      if (at == global_.end()) throw Fault{"bounds"};
      m = &at->second;
      offset = address % kEach;
    }
    if (offset > m->bytes.size() || static_cast<u64>(width) > m->bytes.size() - offset) throw Fault{"bounds"};
    if (offset % static_cast<u64>(width) != 0) throw Fault{"misaligned"};
    return *m;
  }
  // `written`: the bytes of a write, or null.
  static void note(const Thread& t, ByteHistory& m, u64 offset, int width, std::uint32_t copy, bool strong,
                   const std::uint8_t* written) {
    m.note({t.number, copy, strong, &t.known}, offset, width, written);
  }

  static Space spaceOf(const ptx::Opcode& o) {
    if (o.has("shared")) return Space::Shared;
    if (o.has("global")) return Space::Global;
    if (o.has("param")) return Space::Param;
    throw NoMeaning{o.text};
  }
  void load(Thread& t, const ptx::Instruction& i) {
    const Space space = spaceOf(i.opcode);
    const Type type = i.opcode.type();
    if (space == Space::Param) {
      put(t, i.operands[0], value(t, i.operands[1].parts[0], Type::None));
      return;
    }
    const bool vector = i.operands[0].kind == Operand::Kind::Vector;
    const int each = ptx::bitsOf(type) / 8, count = vector ? static_cast<int>(i.operands[0].parts.size()) : 1;
    u64 offset = 0;
    ByteHistory& m = memoryAt(t, space, address(t, i.operands[1], space), each * count, offset);
    note(t, m, offset, each * count, 0, i.opcode.has("volatile"), nullptr);
    std::array<std::uint8_t, 16> bytes{};
    m.read(offset, each * count, bytes.data());
    for (int k = 0; k < count; ++k) {
      u64 x = 0;
      std::memcpy(&x, bytes.data() + k * each, static_cast<std::size_t>(each));
      if (isSigned(type)) x = static_cast<u64>(extended(x, each * 8));
      put(t, vector ? i.operands[0].parts[static_cast<std::size_t>(k)] : i.operands[0], x);
    }
  }
  void store(Thread& t, const ptx::Instruction& i) {
    const Space space = spaceOf(i.opcode);
    const Type type = i.opcode.type();
    const bool vector = i.operands[1].kind == Operand::Kind::Vector;
    const int each = ptx::bitsOf(type) / 8, count = vector ? static_cast<int>(i.operands[1].parts.size()) : 1;
    u64 offset = 0;
    ByteHistory& m = memoryAt(t, space, address(t, i.operands[0], space), each * count, offset);
    std::array<std::uint8_t, 16> bytes{};
    for (int k = 0; k < count; ++k) {
      const u64 x = value(t, vector ? i.operands[1].parts[static_cast<std::size_t>(k)] : i.operands[1], type);
      std::memcpy(bytes.data() + k * each, &x, static_cast<std::size_t>(each));
    }
    note(t, m, offset, each * count, 0, i.opcode.has("volatile"), bytes.data());
    m.write(offset, each * count, bytes.data());
  }
  void atomic(Thread& t, const ptx::Instruction& i) {
    const Space space = spaceOf(i.opcode);
    const int width = ptx::bitsOf(i.opcode.type()) / 8;
    u64 offset = 0, old = 0;
    ByteHistory& m = memoryAt(t, space, address(t, i.operands[1], space), width, offset);
    std::array<std::uint8_t, 8> bytes{};
    note(t, m, offset, width, 0, true, bytes.data());
    m.read(offset, width, bytes.data());
    std::memcpy(&old, bytes.data(), static_cast<std::size_t>(width));
    const u64 x = value(t, i.operands[2], i.opcode.type());
    u64 next = x;
    if (i.opcode.has("add"))
      next = old + x;
    else if (i.opcode.has("inc"))
      next = old >= x ? 0 : old + 1;
    else if (!i.opcode.has("exch"))
      throw NoMeaning{i.opcode.text};
    std::memcpy(bytes.data(), &next, static_cast<std::size_t>(width));
    m.write(offset, width, bytes.data());
    put(t, i.operands[0], old);
    Clocks& here = m.handed[offset];
    t.observed.join(here);
    here.join(t.fenced);
  }

  // ---- copies

  void copy(Thread& t, const ptx::Instruction& i) {
    PendingCopy c;
    c.bytes = static_cast<int>(i.operands[2].bits);
    c.given = i.operands.size() > 3 ? static_cast<int>(value(t, i.operands[3], Type::U32)) : c.bytes;
    if (c.given != c.bytes) throw NoMeaning{"a copy with zeros"};
    const auto number = static_cast<std::uint32_t>(t.copies.size() + 1);
    c.from = &memoryAt(t, Space::Global, address(t, i.operands[1], Space::Global), c.bytes, c.fromOffset);
    note(t, *c.from, c.fromOffset, c.bytes, number, false, nullptr);
    c.to = &memoryAt(t, Space::Shared, address(t, i.operands[0], Space::Shared), c.bytes, c.toOffset);
    std::array<std::uint8_t, 16> bytes{};
    c.from->read(c.fromOffset, c.bytes, bytes.data());
    note(t, *c.to, c.toOffset, c.bytes, number, false, bytes.data());
    t.copies.push_back(c);
    if (seed_ == 0 || (seed_ > 1 && random_() % 2 == 0)) t.copies.back().make();
  }
  static void wait(Thread& t, std::size_t pending) {
    if (t.groups.size() <= pending) return;
    const std::size_t over = t.groups[t.groups.size() - 1 - pending];
    for (std::size_t k = 0; k < over; ++k) t.copies[k].make();
    std::uint32_t& known = t.known.copies[t.number];
    known = std::max(known, static_cast<std::uint32_t>(over));
  }

  // ---- meetings

  template <class Visit>
  void inWarp(const Thread& t, const Visit& visit) {
    for (std::uint32_t k = t.number - t.lane; k < threads_.size() && threads_[k].warp == t.warp; ++k)
      visit(threads_[k]);
  }
  static void meet(const std::vector<Thread*>& all, const Clocks& more) {
    Clocks known = more;
    for (const Thread* t : all) known.join(t->known);
    for (Thread* t : all) {
      t->known.join(known);
      ++t->known.threads[t->number];
    }
  }

  // The last lane of a warp has come to bar.sync or bar.arrive, or all lanes that can have.
  void barrier(Thread& t) {
    bool all = true;
    std::vector<Thread*> warp;
    std::uint32_t gone = 0;
    inWarp(t, [&](Thread& u) {
      if (u.at == At::Done)
        ++gone;
      else if (u.at != t.at)
        all = false;
      else
        warp.push_back(&u);
    });
    if (!all) return;
    for (const Thread* u : warp)
      if (u->pc != t.pc) throw Fault{"divergence"};
    if (gone > 0) throw Fault{"divergence"};
    const ptx::Instruction& i = instruction(t);
    const bool votes = i.opcode.has("red"), arrives = t.at == At::Arrive;
    const std::size_t first = votes ? 1 : 0, count = i.operands.size() - (votes ? 2 : 0);
    const u64 number = value(t, i.operands[first], Type::U32);
    const std::uint32_t threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
    const i64 expected =
        count > 1 ? static_cast<i64>(value(t, i.operands[first + 1], Type::U32)) : (i64{threads} + 31) / 32 * 32;
    if (number > 15 || expected % 32 != 0 || expected == 0) throw Fault{"a barrier that is none"};
    Rendezvous& r = rendezvous_[t.block][number];
    if (r.expected >= 0 && r.expected != expected) throw Fault{"different counts"};
    r.expected = expected;
    r.arrived += 32;
    for (Thread* u : warp) {
      u->counted = true;
      if (!arrives) {
        r.waiting.push_back(u);
        continue;
      }
      r.handed.join(u->known);
      ++u->known.threads[u->number];
      u->at = At::Running;
      ++u->pc;
    }
    if (r.arrived >= expected) release(r);
  }
  void release(Rendezvous& r) {
    const Rendezvous over = std::move(r);
    r = {};
    meet(over.waiting, over.handed);
    bool any = false, all = true;
    for (Thread* u : over.waiting) {
      const ptx::Instruction& i = instruction(*u);
      if (!i.opcode.has("red")) continue;
      const bool vote = value(*u, i.operands.back(), Type::Pred) != 0;
      any = any || vote;
      all = all && vote;
    }
    for (Thread* u : over.waiting) {
      const ptx::Instruction& i = instruction(*u);
      if (i.opcode.has("red")) put(*u, i.operands[0], i.opcode.has("and") ? all : any);
      u->at = At::Running;
      ++u->pc;
    }
  }

  // bar.warp.sync and instructions that lanes execute together.
  void together(Thread& t) {
    const ptx::Instruction& i = instruction(t);
    const auto members = static_cast<std::uint32_t>(value(t, i.operands.back(), Type::U32));
    if ((members >> t.lane & 1) == 0) throw Fault{"not a member"};
    bool all = true;
    std::vector<Thread*> lanes;
    inWarp(t, [&](Thread& u) {
      if ((members >> u.lane & 1) == 0 || u.at == At::Done) return;
      const bool here = u.at == t.at && (t.at == At::Warp || u.pc == t.pc) &&
                        value(u, instruction(u).operands.back(), Type::U32) == members;
      all = all && here;
      lanes.push_back(&u);
    });
    if (!all) return;
    if (t.at == At::Warp)
      meet(lanes, {});
    else if (i.opcode.base() == "shfl")
      shuffle(i, lanes);
    else
      vote(i, lanes);
    for (Thread* u : lanes) {
      u->at = At::Running;
      ++u->pc;
    }
  }
  void shuffle(const ptx::Instruction& i, const std::vector<Thread*>& lanes) {
    if (!i.opcode.has("down")) throw NoMeaning{i.opcode.text};
    std::vector<std::pair<u64, bool>> results;
    for (const Thread* u : lanes) {
      const u64 by = value(*u, i.operands[2], Type::U32) & 31, c = value(*u, i.operands[3], Type::U32);
      const u64 segment = c >> 8 & 31, most = (u->lane & segment) | (c & 31 & ~segment), from = u->lane + by;
      const bool inside = from <= most;
      const Thread* source = u;
      if (inside) {
        source = nullptr;
        for (const Thread* v : lanes)
          if (v->lane == from) source = v;
      }
      results.emplace_back(source != nullptr ? value(*source, i.operands[1], Type::B32) : random_(), inside);
    }
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const Operand& o = i.operands[0];
      const bool pair = o.kind == Operand::Kind::Pair;
      put(*lanes[k], pair ? o.parts[0] : o, results[k].first);
      if (pair) put(*lanes[k], o.parts[1], results[k].second ? 1 : 0);
    }
  }
  void vote(const ptx::Instruction& i, const std::vector<Thread*>& lanes) {
    if (!i.opcode.has("all")) throw NoMeaning{i.opcode.text};
    bool all = true;
    for (const Thread* u : lanes) all = all && value(*u, i.operands[1], Type::Pred) != 0;
    for (Thread* u : lanes) put(*u, i.operands[0], all ? 1 : 0);
  }

  // ---- steps

  [[nodiscard]] const ptx::Instruction& instruction(const Thread& t) const {
    return f_->instructions[static_cast<std::size_t>(t.pc)];
  }

  void end(Thread& t) {
    t.at = At::Done;
    for (PendingCopy& c : t.copies) c.make();
    // Lanes that wait for this one.
    std::vector<Thread*> waiting;
    inWarp(t, [&](Thread& u) { waiting.push_back(&u); });
    for (Thread* u : waiting) {
      if ((u->at == At::Barrier || u->at == At::Arrive) && !u->counted) barrier(*u);
      if (u->at == At::Warp || u->at == At::Together) together(*u);
    }
  }

  void step(Thread& t) {
    if (static_cast<std::size_t>(t.pc) >= f_->instructions.size()) return end(t);
    const ptx::Instruction& i = instruction(t);
    const std::string_view base = i.opcode.base();
    const bool holds =
        i.guard.index < 0 || (t.registers[static_cast<std::size_t>(i.guard.index)] != 0) != i.guard.negated;
    t.lines.push_back(holds ? i.line : -i.line);
    if (!holds) {
      ++t.pc;
      return;
    }
    if (base == "ret" || base == "exit") return end(t);
    if (base == "bra") {
      const auto at = labels_.find(i.operands[0].name);
      if (at == labels_.end()) throw NoMeaning{"a label"};
      t.pc = at->second;
      return;
    }
    if (base == "bar" && i.opcode.has("warp")) {
      t.at = At::Warp;
      return together(t);
    }
    if (base == "bar") {
      t.at = i.opcode.has("arrive") ? At::Arrive : At::Barrier;
      t.counted = false;
      return barrier(t);
    }
    if (base == "shfl" || base == "vote") {
      t.at = At::Together;
      return together(t);
    }
    if (base == "ld")
      load(t, i);
    else if (base == "st")
      store(t, i);
    else if (base == "atom")
      atomic(t, i);
    else if (base == "membar" || base == "fence")
      fence(t);
    else if (base == "cp" && i.opcode.has("commit_group"))
      t.groups.push_back(t.copies.size());
    else if (base == "cp" && i.opcode.has("wait_group"))
      wait(t, i.operands[0].bits);
    else if (base == "cp")
      copy(t, i);
    else
      compute(t, i);
    ++t.pc;
  }

  static void fence(Thread& t) {
    t.known.join(t.observed);
    t.observed = {};
    t.fenced = t.known;
    ++t.known.threads[t.number];
  }

  void compute(Thread& t, const ptx::Instruction& i) {
    put(t, i.operands[0], computed(i.opcode, [&](std::size_t k, Type type) { return value(t, i.operands[k], type); }));
  }

  const kernel::Launch& launch_;
  u64 seed_;
  const ptx::Function* f_ = nullptr;
  std::mt19937_64 random_;
  std::map<std::string, int> labels_;
  std::map<std::string, u64> symbols_;
  std::map<u64, ByteHistory> global_;
  std::vector<ByteHistory> shared_;
  std::vector<std::array<Rendezvous, 16>> rendezvous_;
  std::vector<Thread> threads_;
};

}  // namespace

OneByOne runOneByOne(const ptx::Module& module, const kernel::Launch& launch, u64 seed, i64 mostSteps) {
  OneByOne out;
  Threads threads(module, launch, seed);
  try {
    threads.run(mostSteps);
  } catch (const Fault& fault) {
    out.fault = fault.what;
  } catch (const NoMeaning& what) {
    out.unsupported = what.what;
  }
  out.buffers = threads.buffers();
  out.lines = threads.lines();
  return out;
}

}  // namespace tessera::test
