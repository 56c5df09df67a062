#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {
namespace {

using xla::Dim;
using xla::Shape;

class Inference {
 public:
  Inference(const Instruction& i, const std::vector<const Shape*>& operands, const Shape* called)
      : i_(i), in_(operands), called_(called) {}

  Result<Shape> run() const {
    const std::string_view op = i_.opcode;
    if (op == "tuple" || (op == "sort" && in_.size() > 1)) {
      auto elements = mapped<Shape>(in_, [](const Shape* s) { return *s; });
      return Shape::tuple(std::move(elements));
    }
    if (op == "after-all") return Shape::token();
    if (op == "partition-id" || op == "replica-id") return Shape::array("u32", std::vector<Dim>{});
    if (op == "call" && called_ != nullptr) return *called_;
    if (op == "get-tuple-element") return element();
    if (in_.empty()) return unknown();
    for (const std::string_view same :
         {"copy", "reverse", "domain", "add-dependency", "cholesky", "select-and-scatter", "sort"})
      if (op == same) return *in_[0];
    if (op == "triangular-solve" && in_.size() == 2) return *in_[1];
    for (const Shape* s : in_)
      if (!s->isArray()) return mismatch("arrays");
    if (op == "get-dimension-size") return Shape::array("s32", std::vector<Dim>{});
    return ofArrays();
  }

 private:
  const Instruction& i_;
  const std::vector<const Shape*>& in_;
  const Shape* called_;

  [[nodiscard]] Diag unknown() const {
    return Diag{fmt::format("the shape of {} is left out, and {} does not determine it", i_.name, i_.opcode),
                fmt::format("`NAME = shape {}(...)`", i_.opcode)};
  }
  [[nodiscard]] Diag mismatch(const std::string& expected) const {
    const auto list = mapped<std::string>(in_, [](const Shape* s) { return xla::print(*s); });
    return Diag{fmt::format("the shape of {} is left out, and does not follow from {}({})", i_.name, i_.opcode,
                            fmt::join(list, ", ")),
                expected};
  }

  Result<Ints> ints(std::string_view name) const { return numbers(i_.value(name)); }
  // The only number; -1: there is not exactly one.
  Result<i64> number(std::string_view name) const {
    TESSERA_TRY(const Ints all, ints(name));
    return all.size() == 1 ? all[0] : -1;
  }
  // dimensions={k}: one dimension of an array of that rank.
  Result<std::size_t> dimension(std::size_t rank) const {
    TESSERA_TRY(const Ints all, dimensions("dimensions", rank));
    if (all.size() != 1) return mismatch("dimensions={0}, one of them");
    return n(all[0]);
  }
  // Distinct dimensions of an array of that rank.
  Result<Ints> dimensions(std::string_view name, std::size_t rank) const {
    TESSERA_TRY(const Ints dims, ints(name));
    if (!areDimensions(dims, rank))
      return mismatch(std::string(name) + " that are different dimensions of the operand");
    return dims;
  }

  Result<Shape> element() const {
    TESSERA_TRY(const i64 index, number("index"));
    if (in_.size() != 1 || in_[0]->kind() != Shape::Kind::Tuple || index < 0 || n(index) >= in_[0]->elements().size())
      return mismatch("a tuple, and index= one of its elements");
    return in_[0]->elements()[n(index)];
  }

  static Result<Shape> typed(std::string_view type, const Shape& like) {
    return Shape::array(type, like.dims(), like.layout());
  }

  static bool isFloat(const Shape& s) {
    const std::string_view type = s.type().name;
    return type[0] == 'f' || type == "bf16";
  }
  // The common type; of two floating-point types the wider one; empty: incompatible.
  std::string_view joinedType(const Shape& a, const Shape& b) const {
    if (a.type().name == b.type().name) return a.type().name;
    if (!isFloat(a) || !isFloat(b)) return {};
    return a.type().bits >= b.type().bits ? a.type().name : b.type().name;
  }
  static std::string_view partOf(std::string_view type) {
    return type == "c64" ? "f32" : type == "c128" ? "f64" : type;
  }

  Result<Shape> ofArrays() const {
    const std::string_view op = i_.opcode;
    const Shape& first = *in_[0];
    if (op == "is-finite") return typed("pred", first);
    if (op == "real" || op == "imag" || op == "abs") return typed(partOf(first.type().name), first);
    if (op.starts_with("batch-norm-")) return normalised();
    if (op == "set-dimension-size") return bounded();
    if (op == "transpose") return transposed();
    if (op == "concatenate") return concatenated();
    if (op == "pad") return padded();
    if (op == "reduce") return reduced();
    if (op == "reduce-window") return windowed();
    if (op == "dot") return product();
    if (op == "convolution") return convolved();
    if (op == "gather") return gathered();
    if (op == "fft") return transformed();
    if (op == "topk") return largest();
    if (op == "map" && called_ != nullptr && called_->isArray())
      return Shape::array(called_->type().name, first.dims());
    if (op == "convert" || op == "map" || op == "stochastic-convert" || op == "reduce-precision" || !isElementwise(op))
      return unknown();
    return elementwise();
  }

  Result<Shape> elementwise() const {
    const std::string_view op = i_.opcode;
    if (in_.size() == 1) return *in_[0];
    if (op == "select" && in_.size() == 3) {
      if (in_[0]->sizes() != in_[1]->sizes() || in_[1]->sizes() != in_[2]->sizes())
        return mismatch("three operands of the same sizes");
      return typed(in_[1]->type().name, *in_[0]);
    }
    if (op == "clamp" && in_.size() == 3) return *in_[1];
    if (in_.size() != 2) return unknown();
    const std::string_view joined = joinedType(*in_[0], *in_[1]);
    if (joined.empty()) return mismatch("operands of one type");
    const std::string_view type = op == "compare"                      ? "pred"
                                  : op == "complex" && joined == "f64" ? "c128"
                                  : op == "complex"                    ? "c64"
                                                                       : joined;
    const Shape &a = *in_[0], &b = *in_[1];
    if (a.dims() == b.dims()) return typed(type, a);
    std::vector<Dim> dims = a.rank() < b.rank() ? b.dims() : a.dims();  // scalars and sizes of 1 are broadcast
    if (a.rank() != 0 && b.rank() != 0) {
      if (a.rank() != b.rank()) return mismatch("operands of the same sizes");
      for (std::size_t k = 0; k < dims.size(); ++k) {
        if (a.sizes()[k] != b.sizes()[k] && a.sizes()[k] != 1 && b.sizes()[k] != 1)
          return mismatch("operands of the same sizes");
        dims[k] = a.sizes()[k] == 1 ? b.dims()[k] : a.dims()[k];
        dims[k].dynamic = a.dims()[k].dynamic || b.dims()[k].dynamic;
      }
    }
    return Shape::array(type, std::move(dims));
  }

  Result<Shape> bounded() const {
    std::vector<Dim> dims = in_[0]->dims();
    TESSERA_TRY(const std::size_t at, dimension(dims.size()));
    dims[at].dynamic = true;
    return Shape::array(in_[0]->type().name, std::move(dims), in_[0]->layout());
  }

  Result<Shape> transposed() const {
    const Shape& a = *in_[0];
    TESSERA_TRY(const Ints order, dimensions("dimensions", a.rank()));
    if (order.size() != a.rank()) return mismatch("dimensions={...}, each dimension once");
    auto dims = mapped<Dim>(order, [&](i64 k) { return a.dims()[n(k)]; });
    xla::Layout layout;
    for (const i64 k : a.layout().minorToMajor)
      layout.minorToMajor.push_back(std::ranges::find(order, k) - order.begin());
    return Shape::array(a.type().name, std::move(dims), std::move(layout));
  }

  Result<Shape> concatenated() const {
    std::vector<Dim> dims = in_[0]->dims();
    TESSERA_TRY(const std::size_t along, dimension(dims.size()));
    std::string_view type = in_[0]->type().name;
    for (std::size_t k = 1; k < in_.size(); ++k) {
      type = type.empty() ? type : joinedType(*in_[0], *in_[k]);
      std::vector<i64> other = in_[k]->sizes(), expected = in_[0]->sizes();
      if (other.size() != expected.size()) return mismatch("arrays of one rank");
      const auto sum = checkedAdd(dims[along].size, other[along]);
      other[along] = expected[along];
      if (other != expected || !sum) return mismatch("sizes that are equal except in the joined dimension");
      dims[along].size = *sum;
    }
    if (type.empty()) return mismatch("operands of one type");
    return Shape::array(type, std::move(dims));
  }

  Result<Shape> padded() const {
    std::vector<Dim> dims = in_[0]->dims();
    TESSERA_TRY(const std::vector<Padding> p, paddings(i_.value("padding")));
    if (p.size() != dims.size()) return mismatch("padding=low_high for each dimension");
    for (std::size_t k = 0; k < dims.size(); ++k) {
      const auto spread = checkedMul(std::max<i64>(dims[k].size - 1, 0), p[k].interior);
      const auto sides = checkedAdd(p[k].low, p[k].high);
      const auto more = spread && sides ? checkedAdd(*spread, *sides) : std::nullopt;
      const auto size = more ? checkedAdd(dims[k].size, *more) : std::nullopt;
      if (!size || *size < 0) return mismatch("a padded size of at least 0");
      dims[k].size = *size;
    }
    return Shape::array(in_[0]->type().name, std::move(dims));
  }

  Result<Shape> reduced() const {
    const std::size_t inputs = in_.size() / 2;
    if (inputs == 0 || in_.size() % 2 != 0) return mismatch("inputs, then as many initial values");
    TESSERA_TRY(const Ints gone, dimensions("dimensions", in_[0]->rank()));
    std::vector<Dim> dims;
    for (std::size_t k = 0; k < in_[0]->rank(); ++k)
      if (!has(gone, k)) dims.push_back(in_[0]->dims()[k]);
    return each(inputs, dims);
  }

  // One array, or a tuple of arrays, with the inputs' types.
  Result<Shape> each(std::size_t inputs, const std::vector<Dim>& dims) const {
    std::vector<Shape> all;
    for (std::size_t k = 0; k < inputs; ++k) {
      TESSERA_TRY(Shape one, Shape::array(in_[k]->type().name, dims));
      all.push_back(std::move(one));
    }
    return inputs == 1 ? std::move(all[0]) : Shape::tuple(std::move(all));
  }

  Result<Shape> windowed() const {
    const std::size_t inputs = in_.size() / 2;
    TESSERA_TRY(const std::vector<WindowDim> w, windowOf(i_.value("window", "{}")));
    std::vector<Dim> dims = in_[0]->dims();
    if (inputs == 0 || in_.size() % 2 != 0 || w.size() != dims.size())
      return mismatch("inputs, as many initial values, and window={size=..} with a number for each dimension");
    for (std::size_t k = 0; k < dims.size(); ++k) {
      const auto size = windowedSize(w[k], dims[k].size);
      if (!size) return mismatch("a window whose size fits in 64 bits");
      dims[k] = {*size};
    }
    return each(inputs, dims);
  }

  Result<Shape> product() const {
    if (in_.size() != 2) return mismatch("two operands");
    const Shape &a = *in_[0], &b = *in_[1];
    TESSERA_TRY(const Ints aBatch, dimensions("lhs_batch_dims", a.rank()));
    TESSERA_TRY(const Ints bBatch, dimensions("rhs_batch_dims", b.rank()));
    TESSERA_TRY(const Ints aSum, dimensions("lhs_contracting_dims", a.rank()));
    TESSERA_TRY(const Ints bSum, dimensions("rhs_contracting_dims", b.rank()));
    const std::string_view type = joinedType(a, b);
    bool agree = !type.empty() && aBatch.size() == bBatch.size() && aSum.size() == bSum.size();
    agree = agree && sizesOf(a, aBatch) == sizesOf(b, bBatch) && sizesOf(a, aSum) == sizesOf(b, bSum);
    if (!agree) return mismatch("batch and contracted dimensions of equal size on both sides");
    auto dims = mapped<Dim>(aBatch, [&](i64 k) { return a.dims()[n(k)]; });
    const auto rest = [&](const Shape& s, const Ints& batch, const Ints& sum) {
      for (std::size_t k = 0; k < s.rank(); ++k)
        if (!has(batch, k) && !has(sum, k)) dims.push_back(s.dims()[k]);
    };
    rest(a, aBatch, aSum);
    rest(b, bBatch, bSum);
    return Shape::array(type, std::move(dims));
  }

  Result<Shape> convolved() const {
    if (in_.size() != 2) return mismatch("two operands");
    TESSERA_TRY(const DimLabels at, dimLabelsOf(i_.value("dim_labels")));
    TESSERA_TRY(const std::vector<WindowDim> w, windowOf(i_.value("window", "{}")));
    TESSERA_TRY(const Ints groups, ints("batch_group_count"));
    const std::size_t rank = at.spatial.size() + 2;
    const i64 batches = groups.empty() ? 1 : groups[0];
    const std::string_view type = joinedType(*in_[0], *in_[1]);
    if (in_[0]->rank() != rank || in_[1]->rank() != rank || w.size() + 2 != rank || batches < 1 || type.empty())
      return mismatch("an input, a kernel and a window that fit dim_labels");
    std::vector<Dim> dims(rank);
    dims[n(at.outputBatch)] = {in_[0]->sizes()[n(at.batch)] / batches};
    dims[n(at.outputFeature)] = {in_[1]->sizes()[n(at.kernelOutput)]};
    for (std::size_t k = 0; k < w.size(); ++k) {
      const auto size = windowedSize(w[k], in_[0]->sizes()[n(at.spatial[k])]);
      if (!size) return mismatch("a window whose size fits in 64 bits");
      dims[n(at.outputSpatial[k])] = {*size};
    }
    return Shape::array(type, std::move(dims));
  }

  Result<Shape> gathered() const {
    if (in_.size() != 2) return mismatch("an array and indices");
    TESSERA_TRY(const Ints collapsed, dimensions("collapsed_slice_dims", in_[0]->rank()));
    TESSERA_TRY(const Ints batching, dimensions("operand_batching_dims", in_[0]->rank()));
    TESSERA_TRY(const Ints slices, ints("slice_sizes"));
    TESSERA_TRY(const i64 vectorDim, number("index_vector_dim"));
    std::vector<Dim> batch, window;
    for (std::size_t k = 0; k < in_[1]->rank(); ++k)
      if (static_cast<i64>(k) != vectorDim) batch.push_back(in_[1]->dims()[k]);
    if (slices.size() != in_[0]->rank()) return mismatch("slice_sizes for each dimension of the array");
    for (std::size_t k = 0; k < slices.size(); ++k)
      if (!has(collapsed, k) && !has(batching, k)) window.push_back({slices[k]});
    TESSERA_TRY(const Ints offsets, dimensions("offset_dims", batch.size() + window.size()));
    if (offsets.size() != window.size()) return mismatch("offset_dims for each dimension of a slice that stays");
    std::vector<Dim> dims;
    std::size_t b = 0, o = 0;
    for (std::size_t k = 0; k < batch.size() + window.size(); ++k)
      dims.push_back(has(offsets, k) ? window[o++] : batch[b++]);
    return Shape::array(in_[0]->type().name, std::move(dims));
  }

  Result<Shape> transformed() const {
    const std::string_view type = i_.value("fft_type");
    TESSERA_TRY(const Ints lengths, ints("fft_length"));
    std::vector<Dim> dims = in_[0]->dims();
    if (type.empty() || lengths.empty() || lengths.size() > dims.size())
      return mismatch("fft_type= and fft_length={...}, at most the array's dimensions");
    const std::string_view element = in_[0]->type().name;
    if (type == "RFFT") {
      dims.back().size = lengths.back() / 2 + 1;
      return Shape::array(element == "f64" ? "c128" : "c64", std::move(dims), in_[0]->layout());
    }
    if (type == "IRFFT") {
      dims.back().size = lengths.back();
      return Shape::array(partOf(element), std::move(dims), in_[0]->layout());
    }
    return *in_[0];
  }

  Result<Shape> largest() const {
    TESSERA_TRY(const i64 k, number("k"));
    std::vector<Dim> dims = in_[0]->dims();
    if (in_.size() != 1 || dims.empty() || k < 0 || k > dims.back().size)
      return mismatch("k= at most the last dimension");
    dims.back() = {k};
    TESSERA_TRY(Shape values, Shape::array(in_[0]->type().name, dims));
    TESSERA_TRY(Shape indices, Shape::array("s32", dims));
    return Shape::tuple({std::move(values), std::move(indices)});
  }

  Result<Shape> normalised() const {
    if (i_.opcode == "batch-norm-inference") return *in_[0];
    TESSERA_TRY(const i64 feature, number("feature_index"));
    if (feature < 0 || n(feature) >= in_[0]->rank()) return mismatch("feature_index= a dimension of the first operand");
    TESSERA_TRY(const Shape one, Shape::array(in_[0]->type().name, std::vector<Dim>{in_[0]->dims()[n(feature)]}));
    return Shape::tuple({*in_[0], one, one});
  }
};

}  // namespace

Result<Shape> resultShape(const Instruction& instruction, const std::vector<const Shape*>& operands,
                          const Shape* called) {
  return Inference(instruction, operands, called).run();
}

}  // namespace tessera::hlo
