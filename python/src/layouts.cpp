// Layouts, expressions, banks and the search for a swizzle.
#include "support.h"

namespace tessera_python {
namespace {

// One number for one axis, else a tuple.
nb::object placeOf(const ts::Numbers& place) {
  if (place.size() == 1) return nb::int_(place[0]);
  nb::list out;
  for (const std::int64_t x : place) out.append(x);
  return nb::tuple(out);
}

nb::tuple tupleOf(const ts::Numbers& numbers) {
  nb::list out;
  for (const std::int64_t x : numbers) out.append(x);
  return nb::tuple(out);
}

nb::list tuplesOf(const std::vector<ts::Numbers>& all) {
  nb::list out;
  for (const ts::Numbers& one : all) out.append(tupleOf(one));
  return out;
}

// The engine's buffer as an array of the layout's shape: table[c] is the layout at c.
nb::ndarray<nb::numpy, std::int64_t> tableOf(const ts::Layout& layout, std::size_t axis, bool flat, double seconds) {
  auto* const numbers = new ts::Numbers(unlocked([&] { return layout.table(axis, {seconds, nullptr}); }));
  const nb::capsule owner(numbers, [](void* p) noexcept { delete static_cast<ts::Numbers*>(p); });
  std::vector<std::size_t> shape;
  for (const std::int64_t extent : layout.shape()) shape.push_back(static_cast<std::size_t>(extent));
  if (flat || shape.empty()) shape = {numbers->size()};
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t mode = layout.firstModeFastest() ? k : shape.size() - 1 - k;
    strides[mode] = step;
    step *= static_cast<std::int64_t>(shape[mode]);
  }
  return nb::ndarray<nb::numpy, std::int64_t>(numbers->data(), shape.size(), shape.data(), owner, strides.data());
}

nb::object objectOf(const ts::Computed& value) {
  if (value.layout) return nb::cast(*value.layout);
  if (value.kind == "bool") return nb::bool_(value.number == 1);
  if (value.number) return nb::int_(*value.number);
  return nb::str(value.text.data(), value.text.size());
}

// An argument of a function of the language: a layout, a number, nested tuples, None for `_`, any other text.
ts::Term termOf(nb::handle argument) {
  if (nb::isinstance<ts::Layout>(argument)) return nb::cast<const ts::Layout&>(argument);
  if (nb::isinstance<nb::str>(argument)) return ts::Term::written(nb::cast<std::string>(argument));
  if (argument.is_none()) return ts::Term::written("_");
  if (PyTuple_Check(argument.ptr()) != 0 || PyList_Check(argument.ptr()) != 0) {
    if (Py_EnterRecursiveCall(" in an argument") != 0) throw nb::python_error();
    std::vector<ts::Term> parts;
    try {
      for (const nb::handle one : nb::borrow<nb::sequence>(argument)) parts.push_back(termOf(one));
    } catch (...) {
      Py_LeaveRecursiveCall();
      throw;
    }
    Py_LeaveRecursiveCall();
    return parts;
  }
  if (PyIndex_Check(argument.ptr()) == 0)
    throw nb::type_error("an argument is a layout, an integer, a tuple of these, or a text");
  const nb::object index = nb::steal(PyNumber_Index(argument.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return std::int64_t{value};
}

nb::object call(const std::string& function, const nb::args& args, double seconds) {
  std::vector<ts::Term> terms;
  terms.reserve(args.size());
  for (const nb::handle one : args) terms.push_back(termOf(one));
  return objectOf(unlocked([&] { return ts::apply(function, terms, {seconds, nullptr}); }));
}

void addReports(nb::module_& m) {
  nb::class_<ts::BankReport>(m, "BankReport", "The cost of an access to shared memory, in wavefronts.")
      .def_ro("instructions", &ts::BankReport::instructions)
      .def_ro("wavefronts", &ts::BankReport::wavefronts)
      .def_ro("ideal", &ts::BankReport::ideal)
      .def_ro("excess", &ts::BankReport::excess)
      .def_ro("degree", &ts::BankReport::degree)
      .def_ro("phases", &ts::BankReport::phases)
      .def_ro("conflict", &ts::BankReport::conflict)
      .def_prop_ro("conflict_free", &ts::BankReport::conflictFree)
      .def("__repr__", [](const ts::BankReport& r) {
        std::string out = "<" + std::to_string(r.wavefronts) + " wavefronts, " + std::to_string(r.ideal) + " at best";
        return out + (r.conflict.empty() ? ">" : ": " + r.conflict + ">");
      });
  nb::class_<ts::SectorReport>(m, "SectorReport", "The cost of an access to global memory, in sectors of 32 bytes.")
      .def_ro("instructions", &ts::SectorReport::instructions)
      .def_ro("sectors", &ts::SectorReport::sectors)
      .def_ro("ideal", &ts::SectorReport::ideal)
      .def_ro("lines", &ts::SectorReport::lines)
      .def_prop_ro("coalesced", &ts::SectorReport::coalesced)
      .def("__repr__", [](const ts::SectorReport& r) {
        return "<" + std::to_string(r.sectors) + " sectors, " + std::to_string(r.ideal) + " at best>";
      });
  m.def("banks", [](const ts::Layout& layout, const std::string& access, const std::string& type, double seconds) {
    return unlocked([&] { return ts::bankReport(layout, access, type, {seconds, nullptr}); });
  });
  m.def("banks_of_addresses", [](const ts::Numbers& addresses, int width, const std::string& kind) {
    return unlocked([&] { return ts::bankReport(addresses, width, kind); });
  });
  m.def("sectors", [](const ts::Layout& layout, const std::string& access, const std::string& type, double seconds) {
    return unlocked([&] { return ts::sectorReport(layout, access, type, {seconds, nullptr}); });
  });
}

void addSearch(nb::module_& m) {
  nb::class_<ts::SwizzleChoice>(m, "SwizzleChoice", "A layout without bank conflicts, and how other tools write it.")
      .def_ro("layout", &ts::SwizzleChoice::layout)
      .def_ro("padding", &ts::SwizzleChoice::padding)
      .def_ro("bytes", &ts::SwizzleChoice::bytes)
      .def_ro("cuda", &ts::SwizzleChoice::cuda)
      .def_ro("tma", &ts::SwizzleChoice::tma)
      .def_ro("triton", &ts::SwizzleChoice::triton)
      .def("__repr__", [](const ts::SwizzleChoice& c) { return "<" + c.layout.text() + ">"; });
  nb::class_<ts::SwizzleSearch>(m, "SwizzleSearch", "The answer of find_swizzle.")
      .def_ro("swizzles", &ts::SwizzleSearch::swizzles)
      .def_ro("paddings", &ts::SwizzleSearch::paddings)
      .def_ro("candidates", &ts::SwizzleSearch::candidates)
      .def_ro("clash", &ts::SwizzleSearch::clash)
      .def("__bool__", [](const ts::SwizzleSearch& s) { return !s.swizzles.empty(); })
      .def("__len__", [](const ts::SwizzleSearch& s) { return s.swizzles.size(); })
      .def_prop_ro("layout", [](const ts::SwizzleSearch& s) -> nb::object {
        return s.swizzles.empty() ? nb::none() : nb::cast(s.swizzles.front().layout);
      });
  m.def("find_swizzle", [](const ts::Layout& layout, const std::vector<std::string>& accesses, const std::string& type,
                           double seconds) {
    return budgeted(seconds, [&](const ts::Options& o) { return ts::findSwizzle(layout, accesses, type, o); });
  });
}

}  // namespace

void addLayouts(nb::module_& m) {
  nb::class_<ts::Layout>(m, "Layout",
                         "A layout of any notation: an immutable function from coordinates to places.\n\n"
                         "Make one with tessera.layout().")
      .def_prop_ro("kind", &ts::Layout::kind, "The notation: 'layout' (CuTe), 'axe', 'linear', 'triton', 'xla' ...")
      .def_prop_ro("text", &ts::Layout::text, "The canonical text; tessera.layout(text) reads it back.")
      .def_prop_ro("size", &ts::Layout::size, "The number of coordinates; None: unknown or above 2^63-1.")
      .def_prop_ro(
          "shape", [](const ts::Layout& l) { return tupleOf(l.shape()); }, "The extent of each mode.")
      .def_prop_ro("rank", &ts::Layout::rank, "The number of modes.")
      .def_prop_ro("axes", &ts::Layout::axes, "The components of a place: ['offset'], ['lane', 'reg'] ...")
      .def_prop_ro("first_mode_fastest", &ts::Layout::firstModeFastest,
                   "Whether the first mode of a linear index varies fastest.")
      .def("__call__",
           [](const ts::Layout& l, const nb::args& coordinate) {
             // Without releasing the lock: a point costs less than the release.
             return placeOf(valueOf(l.at(numbersOf(coordinate))));
           })
      .def("places",
           [](const ts::Layout& l, const nb::args& at) {
             const ts::Numbers coordinate = numbersOf(at);
             return tuplesOf(unlocked([&] { return l.places(coordinate); }));
           })
      .def("_backward",
           [](const ts::Layout& l, const ts::Numbers& place, double seconds) {
             return tuplesOf(unlocked([&] { return l.backward(place, {seconds, nullptr}); }));
           })
      .def("_table", &tableOf)
      .def("_to",
           [](const ts::Layout& l, const std::string& notation, double seconds) {
             return unlocked([&] { return l.to(notation, {seconds, nullptr}); });
           })
      .def("_inverse",
           [](const ts::Layout& l, double seconds) { return unlocked([&] {
                                                       return l.inverse({seconds, nullptr});
                                                     }); })
      .def("_identical", [](const ts::Layout& a, const ts::Layout& b) { return a == b; });
  m.def("layout", [](const std::string& text, const nb::dict& names, double seconds) {
    const ts::Names given = namesOf(names);
    return unlocked([&] { return ts::layout(text, given, {seconds, nullptr}); });
  });
  m.def("evaluate", [](const std::string& text, const nb::dict& names, double seconds) {
    const ts::Names given = namesOf(names);
    return objectOf(unlocked([&] { return ts::compute(text, given, {seconds, nullptr}); }));
  });
  m.def("call", &call, nb::arg("function"), nb::arg("arguments"), nb::kw_only(), nb::arg("seconds"));
  m.def("notations", [] { return ts::notations(); });
  addReports(m);
  addSearch(m);
}

}  // namespace tessera_python
