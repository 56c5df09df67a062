#include "solver/kernel/prove/prove_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/work_budget.h"
#include "solver/kernel/prove/two_threads.h"

namespace tessera::kernel {

namespace {

using Answer = TwoThreads::Answer;

struct Proof {
  bool clean = false, benign = false;
  std::string reason;                                         // why not clean
  std::vector<std::vector<std::pair<Term, u64>>> suspicions;  // arguments of possible conflicts
  std::vector<std::string> assumed;
  std::optional<Finding> race;  // real
  std::string values;           // of the arguments in it
};

class Prover {
 public:
  Prover(const Program& program, const Launch& launch)
      : program_(program), launch_(launch), budget_(workOf(20), nullptr), threads_(terms_, launch, budget_) {}

  Proof prove() {
    SymbolicThread thread(program_, launch_, terms_,
                          {[this](Term c) { return threads_.possible(c) != Answer::No; },
                           [this](Term c, Term v) { return threads_.sameInBlock(c, v) == Answer::Yes; }});
    behaviour_ = thread.explore();
    proof_.assumed = behaviour_.assumed;
    proof_.reason = behaviour_.reason;
    if (!proof_.reason.empty()) return proof_;
    for (const Meeting& m : behaviour_.meetings) {
      if (!proof_.reason.empty()) break;
      settle(threads_.differ(m, behaviour_.traps), [&] {
        return fmt::format("line {}: not all threads of a {} may reach this {}", lineOf(m.step),
                           m.warp ? "warp" : "block",
                           program_.steps[static_cast<std::size_t>(m.step)].source->opcode.text);
      });
    }
    races();
    proof_.clean = proof_.reason.empty();
    return proof_;
  }

  [[nodiscard]] const Terms& terms() const { return terms_; }

 private:
  [[nodiscard]] int lineOf(int step) const {
    const ptx::Instruction* source = program_.steps[static_cast<std::size_t>(step)].source;
    return source != nullptr ? source->line : 0;
  }

  // A possible fault is kept with its arguments.
  template <class Text>
  void settle(Answer answer, Text text) {
    if (answer == Answer::No) return;
    if (answer == Answer::Yes && proof_.suspicions.size() < 4) proof_.suspicions.push_back(threads_.arguments());
    if (proof_.reason.empty()) proof_.reason = answer == Answer::Yes ? text() : text() + " (not decided)";
  }

  [[nodiscard]] int classOf(int interval) const {
    while (behaviour_.sameAs[static_cast<std::size_t>(interval)] != interval)
      interval = behaviour_.sameAs[static_cast<std::size_t>(interval)];
    return interval;
  }

  static bool mayConflict(const SymbolicAccess& a, const SymbolicAccess& b) {
    if (a.kind == SymbolicAccess::Kind::Load && b.kind == SymbolicAccess::Kind::Load) return false;
    if (a.kind == SymbolicAccess::Kind::Atomic && b.kind == SymbolicAccess::Kind::Atomic) return false;
    return a.object == b.object || a.object.kind == Object::Kind::Unknown || b.object.kind == Object::Kind::Unknown;
  }

  void races() {
    const auto& all = behaviour_.accesses;
    const bool blocks = u64{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2] > 1;
    const bool threads = u64{launch_.block[0]} * launch_.block[1] * launch_.block[2] > 1;
    for (std::size_t i = 0; i < all.size() && proof_.suspicions.size() < 4 && !proof_.race; ++i) {
      const SymbolicAccess& a = all[i];
      std::vector<const SymbolicAccess*> here, elsewhere;
      for (std::size_t j = i; j < all.size(); ++j) {
        if (!mayConflict(a, all[j])) continue;
        if (classOf(a.interval) == classOf(all[j].interval)) here.push_back(&all[j]);
        if (a.object.kind != Object::Kind::Shared) elsewhere.push_back(&all[j]);
      }
      if (threads) compare(a, here, {});
      if (blocks) {
        std::erase_if(elsewhere, [](const SymbolicAccess* b) { return b->object.kind == Object::Kind::Shared; });
        compare(a, elsewhere, {.otherBlock = true});
      }
      for (const Behaviour::Next& next : behaviour_.next) {
        if (!threads || classOf(a.interval) != classOf(next.interval)) continue;
        std::vector<const SymbolicAccess*> later;
        for (const SymbolicAccess& b : all)
          if (mayConflict(a, b) && classOf(b.interval) == classOf(next.begins)) later.push_back(&b);
        compare(a, later, {false, next.loop, next.trip});
      }
    }
  }

  using Equal = TwoThreads::EqualWrites;

  void compare(const SymbolicAccess& a, const std::vector<const SymbolicAccess*>& others,
               const TwoThreads::Pairing& pairing) {
    if (others.empty()) return;
    const Answer answer = threads_.conflict(a, others, pairing, Equal::AgreeUnlessRead);
    if (answer == Answer::Yes) witness(a, others, pairing);
    settle(answer,
           [&] { return fmt::format("line {}: this access may conflict with one of another thread", lineOf(a.step)); });
    if (answer == Answer::No && !proof_.benign && a.kind == SymbolicAccess::Kind::Store)
      proof_.benign = threads_.conflict(a, others, pairing, Equal::Conflict) != Answer::No;
  }

  // A term of indices, arguments and constants: its value in the model is its value in a run. `memory`: also of
  // contents that the kernel never writes, and of what was never written.
  [[nodiscard]] bool isExact(Term root, bool memory) const {
    return !terms_.any(root, [memory](const TermNode& n) {
      const bool unwritten = n.name.starts_with("local#") || n.name.starts_with("undefined#");
      const bool contents =
          n.name.starts_with("@") && !n.name.starts_with("@2") && std::count(n.name.begin(), n.name.end(), '/') == 1;
      if (n.op == TermNode::Op::Variable) return n.name.find('#') != std::string::npos && !(memory && unwritten);
      return n.op == TermNode::Op::Apply && !(memory && contents);
    });
  }

  // A conflict that no unknown takes part in is real.
  void witness(const SymbolicAccess& a, const std::vector<const SymbolicAccess*>& others,
               const TwoThreads::Pairing& pairing) {
    if (!isExact(a.condition, false) || !isExact(a.address, false) || pairing.nextTripOf != 0) return;
    std::vector<const SymbolicAccess*> exact;
    for (const SymbolicAccess* b : others) {
      const bool stores = a.kind == SymbolicAccess::Kind::Store && b->kind == SymbolicAccess::Kind::Store;
      if (b->object.kind != Object::Kind::Unknown && isExact(b->condition, false) && isExact(b->address, false) &&
          (!stores || (isExact(a.value, true) && isExact(b->value, true))))
        exact.push_back(b);
    }
    if (a.object.kind == Object::Kind::Unknown || exact.empty() ||
        threads_.conflict(a, exact, pairing, Equal::Agree) != Answer::Yes || threads_.other() == nullptr)
      return;
    const SymbolicAccess& b = *threads_.other();
    Finding f;
    f.kind = Verdict::Race;
    const auto point = [&](const SymbolicAccess& access, std::size_t k) {
      Point p = threads_.threads()[k];
      const ptx::Instruction* source = program_.steps[static_cast<std::size_t>(access.step)].source;
      p.line = source->line;
      p.location = source->location;
      return p;
    };
    f.at = point(a, 0);
    f.other = point(b, 1);
    const auto text = [](const Point& p) {
      return fmt::format("thread ({},{},{}) of block ({},{},{})", p.thread[0], p.thread[1], p.thread[2], p.block[0],
                         p.block[1], p.block[2]);
    };
    f.message = fmt::format("{} {} what {} {}: no synchronization orders them", text(f.at),
                            a.kind == SymbolicAccess::Kind::Load ? "reads" : "writes", text(*f.other),
                            b.kind == SymbolicAccess::Kind::Load ? "reads" : "writes");
    f.space = a.object.kind == Object::Kind::Shared ? ptx::Space::Shared : ptx::Space::Global;
    f.bytes = a.bytes;
    for (const auto& [t, value] : threads_.arguments())
      for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
        const Program::Parameter& p = program_.parameters[k];
        const bool pointer = p.type == ptx::Type::U64 || p.type == ptx::Type::B64 || p.type == ptx::Type::None;
        if (!pointer && terms_[t].name.starts_with(fmt::format("param+{}.", p.offset)))
          proof_.values += fmt::format("{}argument {} = {}", proof_.values.empty() ? "" : ", ", k, value);
      }
    proof_.race = std::move(f);
  }

  const Program& program_;
  const Launch& launch_;
  prover::Budget budget_;
  Terms terms_;
  TwoThreads threads_;
  Behaviour behaviour_;
  Proof proof_;
};

bool isFault(Verdict v) { return v <= Verdict::Wrong; }

// Small values and the values of models for the arguments that were not given, one after the other.
class Search {
 public:
  Search(const ptx::Module& module, const Program& program, const Launch& launch)
      : module_(module), program_(program), launch_(launch) {
    launch_.maxSteps = std::min<i64>(launch_.maxSteps, i64{1} << 23);
    launch_.arguments.resize(program.parameters.size());
  }

  // A run with a fault, or nothing.
  std::optional<Report> find(const Prover& prover, const Proof& proof) {
    for (const auto& values : proof.suspicions)
      if (auto r = with(values, prover.terms(), module_)) return r;
    for (const u64 small : {u64{0}, u64{1}, u64{2}, u64{64}, u64{256}})
      if (auto r = withScalars(small, module_)) return r;
    if (auto r = withSmallContents()) return r;
    ptx::Module changed = module_;
    for (ptx::Variable& v : changed.variables) {
      if (v.space != ptx::Space::Global && v.space != ptx::Space::Const) continue;
      const i64 each = std::max(1, ptx::bitsOf(v.type) / 8);
      if (v.bytes() <= 0 || v.bytes() > 65536) continue;
      if (std::any_of(v.initial.begin(), v.initial.end(), [](const auto& x) { return !x.symbol.empty(); })) continue;
      v.initial.assign(static_cast<std::size_t>(v.bytes() / each), {});
      for (std::size_t k = 0; k < v.initial.size(); ++k) v.initial[k].bits = (k * 7 + 3) % 5;
    }
    values_ = "variables of the module as another host may set them";
    return withScalars(1, changed);
  }

  [[nodiscard]] const std::string& values() const { return values_; }

 private:
  [[nodiscard]] bool isScalar(std::size_t k) const {
    const Program::Parameter& p = program_.parameters[k];
    return launch_.arguments[k].kind == Argument::Kind::Arbitrary && p.bytes > 0 && p.bytes <= 8 &&
           p.type != ptx::Type::None && p.type != ptx::Type::U64 && p.type != ptx::Type::B64 &&
           p.type != ptx::Type::S64;
  }

  std::optional<Report> attempt(const Launch& launch, const ptx::Module& module) {
    auto report = run(module, launch);
    if (!report || !isFault(report->verdict)) return std::nullopt;
    // What is read outside of a buffer is not what the kernel would read.
    const bool outside = std::any_of(report->findings.begin(), report->findings.end(), [](const Finding& f) {
      return f.kind == Verdict::Bounds || f.kind == Verdict::Misaligned;
    });
    const bool asked = std::any_of(report->findings.begin(), report->findings.end(), [](const Finding& f) {
      return f.kind == Verdict::Race || f.kind == Verdict::Divergence || f.kind == Verdict::Deadlock;
    });
    if (!asked || outside) return std::nullopt;
    return std::move(*report);
  }

  std::optional<Report> with(const std::vector<std::pair<Term, u64>>& values, const Terms& terms,
                             const ptx::Module& module) {
    Launch launch = launch_;
    std::string text;
    for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
      if (!isScalar(k)) continue;
      u64 value = 0;
      for (const auto& [t, v] : values)
        if (terms[t].name.starts_with(fmt::format("param+{}.", program_.parameters[k].offset))) value = v;
      set(launch, k, value, text);
    }
    values_ = text;
    return attempt(launch, module);
  }

  std::optional<Report> withScalars(u64 value, const ptx::Module& module) {
    Launch launch = launch_;
    std::string text;
    for (std::size_t k = 0; k < program_.parameters.size(); ++k)
      if (isScalar(k)) set(launch, k, value, text);
    if (!text.empty()) values_ = text;
    return attempt(launch, module);
  }

  // Buffers of small numbers: indices that are read from memory meet.
  std::optional<Report> withSmallContents() {
    Launch launch = launch_;
    for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
      Argument& a = launch.arguments[k];
      if (a.kind != Argument::Kind::Arbitrary) continue;
      std::string text;
      if (isScalar(k)) {
        set(launch, k, 4, text);
      } else if (program_.parameters[k].bytes == 8) {
        a.kind = Argument::Kind::Buffer;
        a.bytes.assign(std::size_t{1} << 16, std::byte{0});
        for (std::size_t at = 0; at < a.bytes.size(); at += 4) a.bytes[at] = static_cast<std::byte>(at / 4 * 7 % 13);
      }
    }
    values_ = "buffers of small integers";
    return attempt(launch, module_);
  }

  void set(Launch& launch, std::size_t k, u64 value, std::string& text) const {
    const auto bytes = static_cast<std::size_t>(program_.parameters[k].bytes);
    Argument& a = launch.arguments[k];
    a.kind = Argument::Kind::Scalar;
    a.bytes.resize(bytes);
    for (std::size_t b = 0; b < bytes; ++b) a.bytes[b] = static_cast<std::byte>(value >> (8 * b) & 255);
    text += fmt::format("{}argument {} = {}", text.empty() ? "" : ", ", k, value);
  }

  const ptx::Module& module_;
  const Program& program_;
  Launch launch_;
  std::string values_;
};

}  // namespace

Result<Report> proveForAll(const ptx::Module& module, const Launch& launch) {
  TESSERA_TRY(Report report, run(module, launch));
  const bool declared = report.reason.find("is only declared in this module") != std::string::npos;
  if (report.verdict != Verdict::Unknown || (!report.arbitrary && !declared)) return report;
  // Two symbolic threads know nothing of clusters.
  if (u64{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2] > 1) return report;
  TESSERA_TRY(const ptx::Function* entry, entryOf(module, launch.entry));
  TESSERA_TRY(const Program program, decode(module, *entry));
  Prover prover(program, launch);
  const Proof proof = prover.prove();
  if (proof.clean) {
    report.verdict = proof.benign ? Verdict::Benign : Verdict::Clean;
    report.reason.clear();
    report.covers = "every value of the arguments that were not given, in every schedule";
    std::string names;
    for (const std::string& name : proof.assumed) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) report.covers += fmt::format(", if {} access no memory and meet no barrier", names);
    return report;
  }
  if (proof.race && proof.assumed.empty()) {
    report.verdict = Verdict::Race;
    report.findings.insert(report.findings.begin(), *proof.race);
    std::erase_if(report.findings, [](const Finding& f) { return f.kind == Verdict::Unknown; });
    report.reason.clear();
    report.covers =
        proof.values.empty() ? "every value of the arguments that were not given, in every schedule" : proof.values;
    return report;
  }
  if (proof.assumed.empty()) {
    Search search(module, program, launch);
    if (auto found = search.find(prover, proof)) {
      found->covers = search.values().empty() ? "some values of the arguments" : search.values();
      return std::move(*found);
    }
  }
  // What the run could not execute says more than what two threads could not.
  if (!proof.reason.empty() && (!report.stopped || declared)) report.reason = proof.reason;
  return report;
}

}  // namespace tessera::kernel
