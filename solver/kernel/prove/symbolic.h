// What a kernel may do, for every value of its arbitrary arguments: one generic thread executes every path at once.
//
//     if (x == 0) s[tid.x] = 1;      SymbolicAccess{store, shared + 4 tid.x, condition x == 0, interval 0}
//     __syncthreads();               Meeting{condition true}: then interval 1
//     v = s[0];                      SymbolicAccess{load, shared + 0, interval 1}; v is an unknown function of both
//
// Registers and conditions are terms over the thread's indices, the arguments, and unknown functions for the contents
// of memory. Paths that meet are merged. A loop is unrolled while its trips are few; otherwise one iteration is
// executed with every value that it changes replaced by an unknown one: start + k step where each trip adds a constant.
//
// Law: for every launch whose threads end, each access of the execution is a SymbolicAccess under some value of the
// unknowns (tests/kernel).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "solver/kernel/addresses/integer_steps.h"
#include "solver/kernel/code/program.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

// A buffer, a variable of the module, shared memory, or memory that is not known.
struct Object {
  enum class Kind : unsigned char { Argument, Global, Shared, Unknown };
  Kind kind = Kind::Unknown;
  int index = 0;  // Argument: offset of the parameter; Global: of Program::globals
  auto operator<=>(const Object&) const = default;
};

struct SymbolicAccess {
  enum class Kind : unsigned char { Load, Store, Atomic };
  Kind kind = Kind::Load;
  int step = 0;
  Object object;
  Term address = 0;    // within the object, 64 bits
  Term condition = 0;  // under which the thread does it
  Term value = 0;      // Store
  int bytes = 0;
  int interval = 0;
};

// A barrier, or an instruction that the lanes of a warp execute together.
struct Meeting {
  int step = 0;
  bool warp = false;
  Term reached = 0;    // the condition without what is known at the ends of loops
  Term condition = 0;  // with it
};

struct Behaviour {
  std::vector<SymbolicAccess> accesses;
  std::vector<Meeting> meetings;
  std::vector<Term> traps;  // conditions under which a thread ends by a trap
  std::vector<int> sameAs;  // by interval: an interval that no barrier separates from it, or itself
  struct Next {
    int interval = 0, begins = 0;  // `interval` of a trip continues as `begins` of the next one
    int loop = 0;
    Term trip = 0;
  };
  std::vector<Next> next;
  std::set<Object> written;
  std::string reason;                // why it is not known; empty: it is
  std::vector<std::string> assumed;  // functions that are only declared
};

class SymbolicThread {
 public:
  struct Oracle {
    std::function<bool(Term condition)> possible;                 // for some thread; may say yes when unsure
    std::function<bool(Term condition, Term value)> sameInBlock;  // for all threads under the condition
  };
  SymbolicThread(const Program& program, const Launch& launch, Terms& terms, Oracle oracle);
  [[nodiscard]] Behaviour explore();

 private:
  struct Stored {
    Term address = 0, value = 0;
    int bytes = 0;
    bool operator==(const Stored&) const = default;
  };
  struct Active {  // a loop whose iterations are one
    int head = 0, id = 0, interval = 0;
    std::size_t depth = 0;
    Term reached = 0, trip = 0;
    std::vector<Term> first, registers;  // before the loop, at its head
    std::map<i64, std::pair<int, Term>> firstLocal, local;
  };
  struct State {
    std::vector<int> calls;
    int pc = 0;
    Term reached = 0, condition = 0;
    std::vector<Term> registers;                // -1: never written
    std::map<i64, std::pair<int, Term>> local;  // bytes and value by address
    int interval = 0;
    std::map<Object, int> version;
    std::map<Object, Stored> stored;  // the last store of this thread
    std::vector<Active> loops;
    std::map<int, int> trips;  // of unrolled loops, by head
  };
  struct Change {  // of a register or a local variable in a trip
    bool counts = false;
    u64 step = 0;
    int width = 64;
    bool differs = false;  // between the threads of a block
    bool falls = true;     // it never exceeds its first value, as an unsigned number
  };
  struct Loop {
    std::set<int> body;
    bool oneEnd = true;  // it ends at one place
    bool folded = false, meets = false;
    std::map<int, Change> registers;
    std::map<i64, Change> local;
  };

  void findLoops();
  bool attempt(Behaviour& out);  // false: what is known of loops changed
  void execute(State s, Behaviour& out);
  void go(State s, int to, Behaviour& out);
  void add(State s);
  static std::string placeOf(const State& s);
  void merge(State& into, const State& from);
  void enter(State& s);
  void closeTrip(const State& s, Loop& loop, Behaviour& out);
  struct Trip {  // of a value: before the loop, at its head, at the end of a trip
    Term first = 0, before = 0, after = 0;
  };
  void compareChange(const Change* known, const Trip& trip, const State& s, bool meets,
                     const std::function<void(Change)>& set);
  int newInterval(const State& s);
  std::vector<int> loopsOf(const State& s) const;

  Term read(State& s, Place p, int width);
  Term readRaw(State& s, Place p);
  void write(State& s, const Step& step, std::size_t k, Term value, Term guard);
  Term guardOf(State& s, const Step& step);
  void compute(State& s, const Step& step, Term guard);
  void writeAll(State& s, const Step& step, const std::vector<Term>& values, Term guard);
  void convert(State& s, const Step& step, Term guard);
  void memory(State& s, int pc, const Step& step, Term guard, Behaviour& out);
  void call(State& s, const Step& step);
  void leave(State s, Behaviour& out);
  Term parameter(i64 offset, int bytes);
  struct Place2 {
    Term condition = 0;
    bool local = false, parameter = false;
    Object object;
    Term address = 0;
  };
  void locate(ptx::Space space, Term address, Term condition, int depth, std::vector<Place2>& out);
  Term load(State& s, const Place2& at, int bytes, bool strong);
  void fail(const Step& step, const std::string& why);

  const Program& program_;
  const Launch& launch_;
  Terms& terms_;
  IntegerSteps integers_;
  Oracle oracle_;
  std::map<int, Loop> loops_;  // by head
  std::vector<State> waiting_;
  std::vector<std::vector<int>> intervalLoops_;
  std::set<Object> written_;  // of the attempt before
  std::string reason_;
  bool changed_ = false;
  i64 work_ = 0;
  int versions_ = 0, ids_ = 0;
};

}  // namespace tessera::kernel
