// An interpreter of HLO that traces elements instead of numbers: the origin of each element of a result. It is slow and
// obvious: every operation is the loop of its definition, and it uses only the parser of core/hlo.
//
//     the value of an element: the set of parameter elements it depends on, and an integer if it is an index
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "core/hlo/text/attributes.h"
#include "core/hlo/text/module.h"
#include "hlo/images.h"

namespace tessera::testing {

struct Traced {
  std::set<std::pair<int, Element>> from;  // parameter, element
  i64 number = 0;
};
struct Tensor {
  std::vector<i64> sizes;
  std::vector<Traced> elements;  // last dimension fastest
  std::vector<Tensor> tuple;
  [[nodiscard]] std::size_t at(const Element& c) const {
    std::size_t n = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      n = n * static_cast<std::size_t>(sizes[k]) + static_cast<std::size_t>(c[k]);
    return n;
  }
  [[nodiscard]] bool inside(const Element& c) const {
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (c[k] < 0 || c[k] >= sizes[k]) return false;
    return true;
  }
  [[nodiscard]] const Traced& operator[](const Element& c) const { return elements[at(c)]; }
  Traced& operator[](const Element& c) { return elements[at(c)]; }
};

inline Tensor emptyOf(const std::vector<i64>& sizes) {
  Tensor t;
  t.sizes = sizes;
  std::size_t n = 1;
  for (const i64 s : sizes) n *= static_cast<std::size_t>(s);
  t.elements.resize(n);
  return t;
}

class Interpreter {
 public:
  Interpreter(const hlo::Module& module, std::vector<Tensor> parameters)
      : m_(module), parameters_(std::move(parameters)) {}

  Tensor run(int computation, const std::vector<Tensor>& arguments) {
    const hlo::Computation& c = m_.computations.at(static_cast<std::size_t>(computation));
    std::vector<Tensor> values(c.instructions.size());
    for (std::size_t k = 0; k < c.instructions.size(); ++k) {
      const hlo::Instruction& i = c.instructions[k];
      std::vector<const Tensor*> in;
      for (const int o : i.operands) in.push_back(&values.at(static_cast<std::size_t>(o)));
      values[k] = i.opcode == "parameter" ? arguments.at(std::stoul(std::string(i.literal))) : step(i, in);
    }
    return values.at(static_cast<std::size_t>(c.root));
  }
  Tensor run() { return run(m_.entry, parameters_); }

 private:
  using In = std::vector<const Tensor*>;
  const hlo::Module& m_;
  std::vector<Tensor> parameters_;

  std::vector<i64> sizesOf(const hlo::Instruction& i) const { return m_.shapeOf(i).sizes(); }
  static std::vector<i64> list(const hlo::Instruction& i, const char* name) {
    const auto* a = i.find(name);
    return a == nullptr ? std::vector<i64>{} : *hlo::numbers(a->value);
  }
  static i64 number(const hlo::Instruction& i, const char* name, i64 otherwise) {
    const auto* a = i.find(name);
    return a == nullptr ? otherwise : *hlo::wholeNumber(a->value);
  }
  static void join(Traced& to, const Traced& from) { to.from.insert(from.from.begin(), from.from.end()); }
  static bool has(const std::vector<i64>& l, std::size_t k) {
    return std::count(l.begin(), l.end(), static_cast<i64>(k)) > 0;
  }

  Tensor step(const hlo::Instruction& i, const In& in) {
    const auto op = i.opcode;
    if (op == "tuple") {
      Tensor t;
      for (const Tensor* e : in) t.tuple.push_back(*e);
      return t;
    }
    if (op == "get-tuple-element") return in[0]->tuple.at(static_cast<std::size_t>(number(i, "index", 0)));
    if (op == "fusion" || op == "call") {
      std::vector<Tensor> arguments;
      for (const Tensor* e : in) arguments.push_back(*e);
      return run(hlo::calledBy(m_, i).at(0), arguments);
    }
    if (op == "scan") return scan(i, in);
    if (op == "while") return loop(i, *in[0]);
    if (op == "conditional") return branch(i, in);
    if (op == "async-start") {
      std::vector<Tensor> arguments;
      for (const Tensor* e : in) arguments.push_back(*e);
      Tensor t;
      t.tuple.resize(2);
      t.tuple[0].tuple = arguments;
      t.tuple[1] = run(hlo::calledBy(m_, i).at(0), arguments);
      return t;
    }
    if (op == "async-update" || op == "opt-barrier") return *in[0];
    if (op == "async-done") return in[0]->tuple.at(1);
    if (op == "custom-call") return custom(i, in);
    Tensor t = emptyOf(sizesOf(i));
    eachCoordinate(t.sizes, [&](const Element& c) { element(i, in, c, t[c]); });
    if (op == "dynamic-update-slice") update(i, in, t);
    return t;
  }

  void element(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto op = i.opcode;
    if (op == "constant") {
      to.number = hlo::wholeNumber(i.literal).value_or(0);
    } else if (op == "iota") {
      to.number = c[static_cast<std::size_t>(number(i, "iota_dimension", 0))];
    } else if (op == "broadcast") {
      Element e;
      for (const i64 d : list(i, "dimensions")) e.push_back(c[static_cast<std::size_t>(d)]);
      to = (*in[0])[e];
    } else if (op == "transpose") {
      Element e(c.size());
      const auto p = list(i, "dimensions");
      for (std::size_t k = 0; k < p.size(); ++k) e[static_cast<std::size_t>(p[k])] = c[k];
      to = (*in[0])[e];
    } else if (op == "reverse") {
      Element e = c;
      for (const i64 d : list(i, "dimensions"))
        e[static_cast<std::size_t>(d)] = in[0]->sizes[static_cast<std::size_t>(d)] - 1 - c[static_cast<std::size_t>(d)];
      to = (*in[0])[e];
    } else if (op == "reshape") {
      to = in[0]->elements[emptyShape(sizesOf(i)).at(c)];
    } else if (op == "bitcast") {
      bitcast(i, in, c, to);
    } else if (op == "slice") {
      Element e;
      const auto r = *hlo::slices(i.find("slice")->value);
      for (std::size_t k = 0; k < c.size(); ++k) e.push_back(r[k].start + c[k] * r[k].stride);
      to = (*in[0])[e];
    } else if (op == "concatenate") {
      const auto d = static_cast<std::size_t>(list(i, "dimensions")[0]);
      Element e = c;
      for (const Tensor* part : in) {
        if (e[d] >= 0 && e[d] < part->sizes[d]) to = (*part)[e];
        e[d] -= part->sizes[d];
      }
    } else if (op == "pad") {
      pad(i, in, c, to);
    } else if (op == "reduce") {
      reduce(i, in, c, to);
    } else if (op == "reduce-window") {
      window(i, in, c, to);
    } else if (op == "dot") {
      dot(i, in, c, to);
    } else if (op == "convolution") {
      convolution(i, in, c, to);
    } else if (op == "dynamic-slice") {
      Element e = c;
      for (std::size_t k = 0; k < c.size(); ++k)
        e[k] += std::clamp<i64>(startAt(in, 1, k), 0, in[0]->sizes[k] - sizesOf(i)[k]);
      to = (*in[0])[e];
      for (std::size_t k = 1; k < in.size(); ++k)
        for (const Traced& start : in[k]->elements) join(to, start);
    } else if (op == "dynamic-update-slice") {
      to = (*in[0])[c];
    } else if (op == "gather") {
      gather(i, in, c, to);
    } else if (op == "scatter") {
      scatter(i, in, c, to);
    } else if (op == "select-and-scatter") {
      selectAndScatter(i, in, c, to);
    } else if (op == "sort") {
      row(list(i, "dimensions"), in, c, to);
    } else if (op == "fft") {
      Element last;
      for (std::size_t k = c.size() - list(i, "fft_length").size(); k < c.size(); ++k)
        last.push_back(static_cast<i64>(k));
      row(last, in, c, to);
    } else if (op == "bitcast-convert") {
      Element e = c;
      if (in[0]->sizes.size() < c.size()) e.pop_back();
      if (in[0]->sizes.size() <= c.size()) {
        to = (*in[0])[e];
      } else {
        for (e.push_back(0); e.back() < in[0]->sizes.back(); ++e.back()) join(to, (*in[0])[e]);
      }
    } else {  // elementwise
      std::vector<i64> numbers;
      for (const Tensor* operand : in) {
        const Traced& one = operand->sizes.empty() ? operand->elements[0] : (*operand)[c];
        join(to, one);
        numbers.push_back(one.number);
      }
      to.number = arithmetic(i, numbers);
    }
  }

  // Of whole numbers, as indices are made; 0 for other operations.
  static i64 arithmetic(const hlo::Instruction& i, const std::vector<i64>& n) {
    const auto op = i.opcode;
    if (op == "copy" || op == "convert") return n.at(0);
    if (op == "negate") return -n.at(0);
    if (op == "add") return n.at(0) + n.at(1);
    if (op == "subtract") return n.at(0) - n.at(1);
    if (op == "multiply") return n.at(0) * n.at(1);
    if (op == "maximum") return std::max(n.at(0), n.at(1));
    if (op == "minimum") return std::min(n.at(0), n.at(1));
    if (op == "clamp") return std::min(std::max(n.at(1), n.at(0)), n.at(2));
    if (op == "select") return n.at(0) != 0 ? n.at(1) : n.at(2);
    if (op == "compare") return i.find("direction")->value == "LT" ? n.at(0) < n.at(1) : n.at(0) >= n.at(1);
    return 0;
  }

  int named(const hlo::Instruction& i, const char* attribute) const {
    std::string_view name = i.find(attribute)->value;
    if (name.starts_with('%')) name.remove_prefix(1);
    return m_.byName.at(name);
  }
  static void joinAll(Tensor& to, const Traced& from) {
    for (Traced& e : to.elements) join(e, from);
    for (Tensor& t : to.tuple) joinAll(t, from);
  }

  // What decides the number of trips reaches every result that a trip changes.
  Tensor loop(const hlo::Instruction& i, Tensor state) {
    Traced decides;
    for (int trip = 0; trip < 100; ++trip) {
      const Tensor more = run(named(i, "condition"), {state});
      join(decides, more.elements.at(0));
      if (more.elements.at(0).number == 0) break;
      state = run(named(i, "body"), {state});
    }
    joinAll(state, decides);
    return state;
  }

  Tensor branch(const hlo::Instruction& i, const In& in) {
    const Traced which = in[0]->elements.at(0);
    const auto branches = hlo::calledBy(m_, i);
    const hlo::Instruction* predicate = nullptr;
    for (const hlo::Computation& c : m_.computations)
      for (const hlo::Instruction& j : c.instructions)
        if (&j == &i) predicate = &c.instructions[static_cast<std::size_t>(i.operands[0])];
    std::size_t k = which.number < 0 || which.number >= static_cast<i64>(branches.size())
                        ? branches.size() - 1
                        : static_cast<std::size_t>(which.number);
    if (m_.shapeOf(*predicate).type().name == "pred") k = which.number != 0 ? 0 : 1;
    Tensor t = run(branches.at(k), {*in.at(k + 1)});
    joinAll(t, which);
    return t;
  }

  // Identities, rows, and products by the attributes of a dot, which the tests write beside the configuration.
  Tensor custom(const hlo::Instruction& i, const In& in) {
    const std::string_view target = i.find("custom_call_target")->value;
    if (target == "\"TopK\"") {
      Tensor t;
      for (const xla::Shape& s : m_.shapeOf(i).elements()) {
        t.tuple.push_back(emptyOf(s.sizes()));
        eachCoordinate(s.sizes(),
                       [&](const Element& c) { row({static_cast<i64>(c.size()) - 1}, in, c, t.tuple.back()[c]); });
      }
      return t;
    }
    if (target == "\"__cublas$gemm\"") {
      Tensor t;
      for (const xla::Shape& s : m_.shapeOf(i).elements()) t.tuple.push_back(emptyOf(s.sizes()));
      eachCoordinate(t.tuple[0].sizes, [&](const Element& c) {
        dot(i, in, c, t.tuple[0][c]);
        for (std::size_t k = 2; k < in.size(); ++k)
          join(t.tuple[0][c], in[k]->sizes.size() == c.size() ? (*in[k])[c] : (*in[k])[{c.back()}]);
      });
      return t;
    }
    if (target == "\"cu_threefry2x32_ffi\"") {
      Tensor t;
      for (const xla::Shape& s : m_.shapeOf(i).elements()) {
        t.tuple.push_back(emptyOf(s.sizes()));
        for (std::size_t e = 0; e < t.tuple.back().elements.size(); ++e)
          for (const Tensor* operand : in) join(t.tuple.back().elements[e], operand->elements[e]);
      }
      return t;
    }
    return *in[0];
  }

  // The body once a step, its carries handed on.
  Tensor scan(const hlo::Instruction& i, const In& in) {
    const auto carries = static_cast<std::size_t>(number(i, "num_carries", 1)), inputs = in.size() - carries;
    const auto d = static_cast<std::size_t>(list(i, "dimensions").at(0));
    const auto* direction = i.find("is_reverse");
    const bool reverse = direction != nullptr && direction->value == "true";
    Tensor results;
    for (const xla::Shape& s : m_.shapeOf(i).elements()) results.tuple.push_back(emptyOf(s.sizes()));
    const std::size_t stepped = results.tuple.size() - carries;
    const i64 steps = inputs > 0 ? in[0]->sizes.at(d) : results.tuple.at(0).sizes.at(d);
    std::vector<Tensor> state;
    for (std::size_t k = inputs; k < in.size(); ++k) state.push_back(*in[k]);
    for (i64 turn = 0; turn < steps; ++turn) {
      const i64 step = reverse ? steps - 1 - turn : turn;
      const auto whole = [&](Element part) {
        part.insert(part.begin() + static_cast<std::ptrdiff_t>(d), step);
        return part;
      };
      std::vector<Tensor> arguments;
      for (std::size_t k = 0; k < inputs; ++k) {
        std::vector<i64> sizes = in[k]->sizes;
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(d));
        Tensor part = emptyOf(sizes);
        eachCoordinate(sizes, [&](const Element& c) { part[c] = (*in[k])[whole(c)]; });
        arguments.push_back(std::move(part));
      }
      arguments.insert(arguments.end(), state.begin(), state.end());
      const Tensor outputs = run(hlo::calledBy(m_, i).at(0), arguments);
      for (std::size_t k = 0; k < stepped; ++k)
        eachCoordinate(outputs.tuple.at(k).sizes,
                       [&](const Element& c) { results.tuple[k][whole(c)] = outputs.tuple[k][c]; });
      state.assign(outputs.tuple.begin() + static_cast<std::ptrdiff_t>(stepped), outputs.tuple.end());
    }
    for (std::size_t k = 0; k < carries; ++k) results.tuple[stepped + k] = state[k];
    return results;
  }

  // One operand a dimension, or one vector.
  static i64 startAt(const In& in, std::size_t first, std::size_t k) {
    return in[first]->sizes.empty() ? in[first + k]->elements[0].number : in[first]->elements[k].number;
  }

  static Tensor emptyShape(const std::vector<i64>& sizes) {
    Tensor t;
    t.sizes = sizes;
    return t;
  }

  void bitcast(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto place = [](const xla::Shape& s, const Element& e) {
      i64 at = 0, stride = 1;
      for (const i64 d : s.layout().minorToMajor) {
        at += e[static_cast<std::size_t>(d)] * stride;
        stride *= s.sizes()[static_cast<std::size_t>(d)];
      }
      return at;
    };
    const xla::Shape& out = m_.shapeOf(i);
    for (const hlo::Computation& comp : m_.computations)
      for (const hlo::Instruction& j : comp.instructions)
        if (&j == &i) {
          const xla::Shape& from = m_.shapeOf(comp.instructions[static_cast<std::size_t>(i.operands[0])]);
          eachCoordinate(from.sizes(), [&](const Element& e) {
            if (place(from, e) == place(out, c)) to = (*in[0])[e];
          });
        }
  }

  static void pad(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto p = *hlo::paddings(i.find("padding")->value);
    to = in[1]->elements[0];
    eachCoordinate(in[0]->sizes, [&](const Element& e) {
      for (std::size_t k = 0; k < e.size(); ++k)
        if (p[k].low + e[k] * (p[k].interior + 1) != c[k]) return;
      to = (*in[0])[e];
    });
  }

  static void reduce(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto dims = list(i, "dimensions");
    join(to, in[1]->elements[0]);
    eachCoordinate(in[0]->sizes, [&](const Element& e) {
      Element kept;
      for (std::size_t k = 0; k < e.size(); ++k)
        if (!has(dims, k)) kept.push_back(e[k]);
      if (kept == c) join(to, (*in[0])[e]);
    });
  }

  // Every tap that lies on an element: low padding first, elements spread by the base dilation.
  template <class Visit>
  static void taps(const std::vector<hlo::WindowDim>& w, const Element& outer, const std::vector<i64>& sizes,
                   Visit visit) {
    std::vector<i64> counts;
    for (const auto& d : w) counts.push_back(d.size);
    eachCoordinate(counts, [&](const Element& tap) {
      Element e;
      for (std::size_t k = 0; k < w.size(); ++k) {
        const i64 at = outer[k] * w[k].stride + tap[k] * w[k].dilation - w[k].low;
        if (at < 0 || at % w[k].baseDilation != 0 || at / w[k].baseDilation >= sizes[k]) return;
        e.push_back(at / w[k].baseDilation);
      }
      visit(tap, e);
    });
  }

  static void window(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    join(to, in[1]->elements[0]);
    taps(*hlo::windowOf(i.find("window")->value), c, in[0]->sizes,
         [&](const Element&, const Element& e) { join(to, (*in[0])[e]); });
  }

  static void dot(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto lb = list(i, "lhs_batch_dims"), rb = list(i, "rhs_batch_dims"), lc = list(i, "lhs_contracting_dims"),
               rc = list(i, "rhs_contracting_dims");
    eachCoordinate(in[0]->sizes, [&](const Element& a) {
      eachCoordinate(in[1]->sizes, [&](const Element& b) {
        Element out;
        for (std::size_t k = 0; k < lb.size(); ++k) {
          if (a[static_cast<std::size_t>(lb[k])] != b[static_cast<std::size_t>(rb[k])]) return;
          out.push_back(a[static_cast<std::size_t>(lb[k])]);
        }
        for (std::size_t k = 0; k < lc.size(); ++k)
          if (a[static_cast<std::size_t>(lc[k])] != b[static_cast<std::size_t>(rc[k])]) return;
        for (std::size_t k = 0; k < a.size(); ++k)
          if (!has(lb, k) && !has(lc, k)) out.push_back(a[k]);
        for (std::size_t k = 0; k < b.size(); ++k)
          if (!has(rb, k) && !has(rc, k)) out.push_back(b[k]);
        if (out != c) return;
        join(to, (*in[0])[a]);
        join(to, (*in[1])[b]);
      });
    });
  }

  static void convolution(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto l = *hlo::dimLabelsOf(i.find("dim_labels")->value);
    const auto w = *hlo::windowOf(i.find("window")->value);
    const i64 features = number(i, "feature_group_count", 1), batches = number(i, "batch_group_count", 1);
    const auto at = [](const Element& e, i64 k) { return e[static_cast<std::size_t>(k)]; };
    Element outer;
    std::vector<i64> sizes;
    for (std::size_t k = 0; k < l.spatial.size(); ++k) {
      outer.push_back(at(c, l.outputSpatial[k]));
      sizes.push_back(at(in[0]->sizes, l.spatial[k]));
    }
    const i64 outputs = at(in[1]->sizes, l.kernelOutput), inputs = at(in[1]->sizes, l.kernelInput);
    const i64 o = at(c, l.outputFeature), group = o / (outputs / features), batchGroup = o / (outputs / batches);
    taps(w, outer, sizes, [&](const Element& tap, const Element& where) {
      for (i64 f = 0; f < inputs; ++f) {
        Element a(c.size()), b(c.size());
        a[static_cast<std::size_t>(l.batch)] =
            batchGroup * (at(in[0]->sizes, l.batch) / batches) + at(c, l.outputBatch);
        a[static_cast<std::size_t>(l.feature)] = group * inputs + f;
        b[static_cast<std::size_t>(l.kernelInput)] = f;
        b[static_cast<std::size_t>(l.kernelOutput)] = o;
        for (std::size_t k = 0; k < where.size(); ++k) {
          a[static_cast<std::size_t>(l.spatial[k])] = where[k];
          b[static_cast<std::size_t>(l.kernelSpatial[k])] = w[k].reversed ? w[k].size - 1 - tap[k] : tap[k];
        }
        join(to, (*in[0])[a]);
        join(to, (*in[1])[b]);
      }
    });
  }

  void update(const hlo::Instruction&, const In& in, Tensor& t) {
    eachCoordinate(in[1]->sizes, [&](const Element& e) {
      Element c = e;
      for (std::size_t k = 0; k < c.size(); ++k)
        c[k] += std::clamp<i64>(startAt(in, 2, k), 0, in[0]->sizes[k] - in[1]->sizes[k]);
      t[c] = (*in[1])[e];
    });
    for (Traced& value : t.elements)
      for (std::size_t k = 2; k < in.size(); ++k)
        for (const Traced& start : in[k]->elements) join(value, start);
  }

  static void gather(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto offsets = list(i, "offset_dims"), collapsed = list(i, "collapsed_slice_dims"),
               map = list(i, "start_index_map"), slices = list(i, "slice_sizes");
    const auto vectorDim = static_cast<std::size_t>(number(i, "index_vector_dim", 0));
    Element batch;
    for (std::size_t k = 0; k < c.size(); ++k)
      if (!has(offsets, k)) batch.push_back(c[k]);
    Element e(in[0]->sizes.size(), 0);
    Traced indices;
    for (std::size_t j = 0; j < map.size(); ++j) {
      Element where = batch;
      if (vectorDim < in[1]->sizes.size())
        where.insert(where.begin() + static_cast<std::ptrdiff_t>(vectorDim), static_cast<i64>(j));
      const auto k = static_cast<std::size_t>(map[j]);
      e[k] = std::clamp<i64>((*in[1])[where].number, 0, in[0]->sizes[k] - slices[k]);
      join(indices, (*in[1])[where]);
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < e.size(); ++k)
      if (!has(collapsed, k)) e[k] += c[static_cast<std::size_t>(offsets[next++])];
    to = (*in[0])[e];
    join(to, indices);
  }

  // Everything that differs from c in those dimensions only.
  static void row(const std::vector<i64>& along, const In& in, const Element& c, Traced& to) {
    for (const Tensor* operand : in)
      eachCoordinate(operand->sizes, [&](const Element& e) {
        for (std::size_t k = 0; k < e.size(); ++k)
          if (!has(along, k) && e[k] != c[k]) return;
        join(to, (*operand)[e]);
      });
  }

  // One array: the updates whose window lies inside it, each at its place; the indices say whether one does.
  static void scatter(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto window = list(i, "update_window_dims"), inserted = list(i, "inserted_window_dims"),
               map = list(i, "scatter_dims_to_operand_dims");
    const auto vectorDim = static_cast<std::size_t>(number(i, "index_vector_dim", 0));
    const Tensor &array = *in[0], &indices = *in[1], &updates = *in[2];
    to = array[c];
    for (const Traced& index : indices.elements) join(to, index);
    eachCoordinate(updates.sizes, [&](const Element& u) {
      Element place(c.size(), 0), batch;
      std::size_t next = 0;
      bool fits = true;
      for (std::size_t k = 0; k < u.size(); ++k)
        if (!has(window, k)) batch.push_back(u[k]);
      for (std::size_t k = 0; k < c.size(); ++k)
        if (!has(inserted, k)) place[k] = u[static_cast<std::size_t>(window[next++])];
      for (std::size_t j = 0; j < map.size(); ++j) {
        Element where = batch;
        if (vectorDim < indices.sizes.size())
          where.insert(where.begin() + static_cast<std::ptrdiff_t>(vectorDim), static_cast<i64>(j));
        const auto k = static_cast<std::size_t>(map[j]);
        const i64 size = has(inserted, k)
                             ? 1
                             : updates.sizes[static_cast<std::size_t>(window[static_cast<std::size_t>(std::count_if(
                                   place.begin(), place.begin() + static_cast<std::ptrdiff_t>(k), [&](const i64& p) {
                                     return !has(inserted, static_cast<std::size_t>(&p - place.data()));
                                   }))])];
        const i64 start = indices[where].number;
        fits = fits && start >= 0 && start + size <= array.sizes[k];
        place[k] += start;
      }
      if (fits && place == c) join(to, updates[u]);
    });
  }

  // Of each window its largest element is chosen (the first of them), and gets the window's number of the source.
  static void selectAndScatter(const hlo::Instruction& i, const In& in, const Element& c, Traced& to) {
    const auto w = *hlo::windowOf(i.find("window")->value);
    join(to, in[2]->elements[0]);
    eachCoordinate(in[1]->sizes, [&](const Element& outer) {
      Element best;
      Traced all;
      bool under = false;
      taps(w, outer, in[0]->sizes, [&](const Element&, const Element& e) {
        join(all, (*in[0])[e]);
        under = under || e == c;
        if (best.empty() || (*in[0])[e].number > (*in[0])[best].number) best = e;
      });
      if (under) join(to, all);
      if (best == c) join(to, (*in[1])[outer]);
    });
  }
};

}  // namespace tessera::testing
