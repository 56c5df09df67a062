#include "random_programs.h"

#include <fmt/format.h>

#include <random>

namespace tessera::host_check {
namespace {

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  Case run(unsigned seed) {
    half_ = below(2) == 0;
    threads_ = pick({32, 64, 96, 128});
    const int blocks = 1 + below(2);
    const std::string type = half_ ? "fp16" : "fp32";
    const std::string rows = half_
                                 ? pick({"[{0},8:8,1]", "[{0},8:16,1]", "Sw<1,3,2> o [{0},8:8,1]", "[8,8,{1}:8,1,64]"})
                                 : pick({"[{0},8:8,1]", "[{0},8:12,1]", "Sw<1,2,3> o [{0},8:8,1]", "[8,8,{1}:8,1,64]"});
    split_ = rows[1] == '8';
    text_ = fmt::format(
        "%in:[{0},{1},8:{2},8,1].{3}.GL  %out:[{0},{1},8:{2},8,1].{3}.GL  %n:[N:1].fp32.GL\n#b:[{0}].block  "
        "#t:[{1}:1].thread\n"
        "%out <- Spec<<<#b,#t>>>(%in) {{\n@b = #b.indices()  @t = #t.indices()\n",
        blocks, threads_, 8 * threads_, type);
    text_ += fmt::format("#d = #t.reshape(0,[{},8])  (@hi,@lo) = #d.indices()\n#w = #t.tile([32:1])[@t / 32]\n",
                         threads_ / 8);
    text_ += fmt::format(fmt::runtime("%s:" + rows + ".{2}.SH\n"), threads_, threads_ / 8, type);
    text_ += fmt::format("%r:[8:1].{0}.RF  %q:[8:1].{0}.RF  %f:[8:1].fp32.RF  %one:[].{0}.RF\n", type);
    load("r");
    load("q");
    each("k", "%e = %r[k]  %g = %f[k]\n%g <- Move(%e)\n");
    for (int n = 4 + below(5); n > 0; --n) statement(2, {});
    store();
    return {fmt::format("random {}", seed), text_ + "}\n", {{"N", 1 + below(4)}}};
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  T pick(std::initializer_list<T> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  std::string pick(std::initializer_list<const char*> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  std::string fresh(const char* base) { return fmt::format("{}{}", base, ++names_); }

  // Elements j of eight, one after another.
  void each(const std::string& loop, const std::string& body) {
    text_ += fmt::format("for ({0} = 0; {0} < 8; {0} += 1) {{\n{1}}}\n", loop, body);
  }

  // A permutation of the threads of a block.
  std::string row() {
    const int n = threads_;
    switch (below(7)) {
      case 0:
        return "@t";
      case 1:
        return fmt::format("{} - @t", n - 1);
      case 2:
        return fmt::format("(@t + {}) % {}", below(n), n);
      case 3:
        return fmt::format("(@t - {}) % {}", below(n), n);
      case 4:
        return fmt::format("{}*@lo + @hi", n / 8);
      case 5:
        return fmt::format("8*@hi + (@lo + {}) % 8", below(8));
      default:
        return fmt::format("8*(({} - @hi) % {}) + 7 - @lo", below(20), n / 8);
    }
  }
  // One of `count` chunks, all of them while `loop` runs.
  std::string chunk(const std::string& loop, int count) {
    switch (below(4)) {
      case 0:
        return fmt::format("({} + {}) % {}", loop, below(count), count);
      case 1:
        return fmt::format("{} - {}", count - 1, loop);
      case 2:
        return fmt::format("({} - @t) % {}", loop, count);
      default:
        return loop;
    }
  }
  // A chunk of a row in shared memory.
  std::string shared(int width, const std::string& where, const std::string& which) {
    const std::string v = fresh("%v");
    if (split_)
      text_ += fmt::format("%y{0} = %s.tile([1:1],[{1}:1],[1:1])  {2} = %y{0}[({3}) % 8, {4}, ({3}) / 8]\n", names_,
                           width, v, where, which);
    else
      text_ += fmt::format("%y{0} = %s.tile([1:1],[{1}:1])  {2} = %y{0}[{3}, {4}]\n", names_, width, v, where, which);
    return v;
  }
  std::string global(const std::string& tensor, int width, const std::string& where, const std::string& which) {
    const std::string v = fresh("%v");
    text_ += fmt::format("%y{0} = %{1}.tile([1:1],[1:1],[{2}:1])  {3} = %y{0}[@b, {4}, {5}]\n", names_, tensor, width,
                         v, where, which);
    return v;
  }
  std::string registers(const std::string& tensor, int width, const std::string& which) {
    const std::string v = fresh("%v");
    text_ += fmt::format("%y{0} = %{1}.tile([{2}:1])  {3} = %y{0}[{4}]\n", names_, tensor, width, v, which);
    return v;
  }
  int width() { return half_ ? pick({1, 2, 4, 8}) : pick({1, 2, 4}); }
  std::string open(int count) {
    const std::string j = fresh("j");
    text_ += fmt::format("for ({0} = 0; {0} < {1}; {0} += 1) {{\n", j, count);
    return j;
  }

  void load(const std::string& tensor) {
    const int w = width();
    const std::string where = row(), j = open(8 / w), from = global("in", w, where, chunk(j, 8 / w)),
                      to = registers(tensor, w, j);
    text_ += fmt::format("{} <- Move({})\n}}\n", to, from);
  }
  void store() {
    const int w = width();
    const std::string where = row(), j = open(8 / w), to = global("out", w, where, chunk(j, 8 / w)),
                      from = registers("r", w, j);
    text_ += fmt::format("{} <- Move({})\n}}\n", to, from);
    if (below(2) == 0) return;
    // What is in fp32 follows, rounded, for the threads of a condition.
    text_ += fmt::format("if ({}) {{\n", condition({}));
    each("k", fmt::format("%e = %f[k]  %o = %out[@b, {}, k]\n%o <- Move(%e)\n", where));
    text_ += "}\n";
  }

  // Through shared memory: everybody writes, everybody reads another's.
  void exchange() {
    const int w = width(), v = width();
    const bool async = w * (half_ ? 2 : 4) >= 4 && below(3) == 0;
    text_ += "sync\n";
    std::string where = row(), j = open(8 / w);
    std::string from = async ? global("in", w, row(), chunk(j, 8 / w)) : registers(pick({"r", "q"}), w, j);
    std::string to = shared(w, where, chunk(j, 8 / w));
    text_ += fmt::format("{} <- Move{}({})\n}}\n", to, async ? "<async>" : "", from);
    if (async) text_ += below(2) == 0 ? "commit\nwait 0\n" : "commit\ncommit\nwait 1\n";
    text_ += "sync\n";
    if (half_ && !split_ && below(2) == 0) {
      matrices();
    } else {
      where = row();
      j = open(8 / v);
      from = shared(v, where, chunk(j, 8 / v));
      to = registers(pick({"r", "q"}), v, j);
      text_ += fmt::format("{} <- Move({})\n}}\n", to, from);
    }
  }
  void matrices() {
    const std::string v = shared(8, row(), "0");
    text_ += fmt::format("%m{0} = %{1}.tile([2:1])\n%m{0} <- Move{2}<<<#b,#w>>>({3})\n", ++names_, pick({"r", "q"}),
                         pick({"", "<trans>"}), v);
  }

  // An element of eight: by a loop, or one of them.
  std::string element(const std::vector<std::string>& loops) {
    if (loops.empty() || below(3) == 0) return fmt::format("{}", below(8));
    const std::string& loop = loops[static_cast<std::size_t>(below(static_cast<int>(loops.size())))];
    switch (below(3)) {
      case 0:
        return fmt::format("({} + {}) % 8", loop, below(8));
      case 1:
        return fmt::format("({} - {}*{}) % 8", below(8), 1 + below(3), loop);
      default:
        return fmt::format("{} / 2 % 4 + {}", loop, below(5));
    }
  }
  std::string value(const std::string& tensor, const std::vector<std::string>& loops) {
    const std::string v = fresh("%v");
    text_ += fmt::format("{} = %{}[{}]\n", v, tensor, element(loops));
    return v;
  }
  void arithmetic(const std::vector<std::string>& loops) {
    const bool single = below(3) == 0;
    const std::string tensor = single ? "f" : pick({"r", "q"}), other = single ? "f" : pick({"r", "q"});
    const std::string to = value(tensor, loops), a = value(other, loops), b = value(tensor, loops);
    switch (below(6)) {
      case 0:
        text_ += fmt::format("{} <- UnaryPointwise<{}>({})\n", to, pick({"neg", "relu", "exp", "sqrt", "id"}), a);
        break;
      case 1:
        text_ += fmt::format("{} <- MatMul({},{})\n", to, a, b);
        break;
      case 2:
        text_ += fmt::format("{} <- Move({})\n", to, a);
        break;
      default:
        text_ += fmt::format("{} <- BinaryPointwise<{}>({},{})\n", to, pick({"+", "-", "*", "max", "min"}), a, b);
    }
  }
  void conversion(const std::vector<std::string>& loops) {
    const bool widen = below(2) == 0;
    const std::string to = value(widen ? "f" : "r", loops), from = value(widen ? "r" : "f", loops);
    text_ += fmt::format("{} <- Move({})\n", to, from);
  }
  void shuffle(const std::vector<std::string>& loops) {
    const std::string from = value("r", loops), to = value("r", loops);
    text_ += fmt::format("%one <- Shfl<{} {}><<<#b,#w>>>({})\n{} <- BinaryPointwise<+>({},%one)\n",
                         pick({"bfly", "up", "down", "idx"}), below(32), from, to, to);
  }
  std::string condition(const std::vector<std::string>& loops) {
    std::string out = below(2) == 0 ? fmt::format("@t {} {}", pick({"<", ">=", "!="}), below(threads_))
                                    : fmt::format("(@t - {}) / {} < {}", below(9), 2 + below(3), below(30));
    if (!loops.empty() && below(2) == 0) out += fmt::format(" && {} + @b {} {}", loops[0], pick({"<", "=="}), below(4));
    return out;
  }

  // `together`: every thread of the block is here, so barriers and warps may be.
  void statement(int depth, const std::vector<std::string>& loops, bool together = true) {
    const int what = below(10);
    if (what < 3) return arithmetic(loops);
    if (what == 3) return conversion(loops);
    if (what < 6 && together) return below(3) == 0 ? shuffle(loops) : exchange();
    if (depth == 0) return arithmetic(loops);
    std::vector<std::string> inner = loops;
    if (what < 8) {
      const std::string i = fresh("i"), last = loops.empty() ? "" : fmt::format(" + {}", loops.back());
      text_ += fmt::format("for ({0} = {1}; {0} < {2}; {0} += {3}) {{\n", i, below(3),
                           pick({"N", "N + 2", "3", "5"}) + (below(2) == 0 ? last : ""), 1 + below(3));
      inner.push_back(i);
    } else {
      text_ += fmt::format("if ({}) {{\n", condition(loops));
      together = false;
    }
    for (int n = 1 + below(3); n > 0; --n) statement(depth - 1, inner, together);
    text_ += "}\n";
  }

  std::mt19937 random_;
  std::string text_;
  int threads_ = 32, names_ = 0;
  bool half_ = false, split_ = false;
};

}  // namespace

Case randomProgram(unsigned seed) { return Writer(seed).run(seed); }

}  // namespace tessera::host_check
