// Claims, pictures, worksheets and pasted text.
#include <mutex>

#include "support.h"

namespace tessera_python {
namespace {

const char* nameOf(ts::Truth truth) {
  return truth == ts::Truth::Proved ? "proved" : truth == ts::Truth::Refuted ? "refuted" : "unknown";
}

nb::object counterexampleOf(const ts::Verdict& v) {
  return v.counterexample ? nb::cast(*v.counterexample) : nb::none();
}

ts::Picture pictureOf(const std::string& format, const std::string& view, const std::string& name, bool dark,
                      bool transparent, bool frame, double scale) {
  return {format, view, name, dark, transparent, frame, scale};
}

void addVerdicts(nb::module_& m) {
  nb::class_<ts::Witness>(m, "Witness").def_ro("name", &ts::Witness::name).def_ro("values", &ts::Witness::values);
  nb::class_<ts::Counterexample>(m, "Counterexample", "Points at which a claim is false.")
      .def_ro("text", &ts::Counterexample::text)
      .def_ro("witnesses", &ts::Counterexample::witnesses)
      .def("__str__", [](const ts::Counterexample& c) { return c.text; })
      .def("__repr__", [](const ts::Counterexample& c) { return "<" + c.text + ">"; });
  nb::class_<ts::Verdict>(m, "Verdict", "The answer to a claim. True only if the claim is proved.")
      .def_prop_ro("verdict", [](const ts::Verdict& v) { return nameOf(v.truth); })
      .def_prop_ro("proved", &ts::Verdict::proved)
      .def_prop_ro("refuted", &ts::Verdict::refuted)
      .def_ro("claim", &ts::Verdict::claim)
      .def_ro("method", &ts::Verdict::method)
      .def_ro("reason", &ts::Verdict::reason)
      .def_ro("milliseconds", &ts::Verdict::milliseconds)
      .def_prop_ro("counterexample", &counterexampleOf)
      .def_prop_ro("text", &ts::Verdict::text)
      .def("__bool__", &ts::Verdict::proved)
      .def("__str__", &ts::Verdict::text)
      .def("__repr__", [](const ts::Verdict& v) { return "<" + v.text() + ">"; });
  m.def("prove", [](const std::string& claim, const nb::dict& names, double seconds) {
    const ts::Names given = namesOf(names);
    return budgeted(seconds, [&](const ts::Options& o) { return ts::prove(claim, given, o); });
  });
  m.def("equal", [](const ts::Layout& a, const ts::Layout& b, double seconds) {
    return budgeted(seconds, [&](const ts::Options& o) { return ts::equal(a, b, o); });
  });
  m.def("have_solver", &ts::haveSolver);
}

void addPictures(nb::module_& m) {
  m.def("draw", [](const ts::Layout& layout, const std::string& format, const std::string& view,
                   const std::string& name, bool dark, bool transparent, bool frame, double scale, double seconds) {
    const ts::Picture picture = pictureOf(format, view, name, dark, transparent, frame, scale);
    const std::string file = unlocked([&] { return ts::draw(layout, picture, {seconds, nullptr}); });
    return nb::bytes(file.data(), file.size());
  });
  m.def("draw_sheet",
        [](const std::string& sheet, const std::string& format, const std::string& view, const std::string& name,
           bool dark, bool transparent, bool frame, double scale, double seconds) {
          const ts::Picture picture = pictureOf(format, view, name, dark, transparent, frame, scale);
          const std::string file = unlocked([&] { return ts::draw(sheet, picture, {seconds, nullptr}); });
          return nb::bytes(file.data(), file.size());
        });
  m.def("views_of", [](const ts::Layout& layout) {
    const nb::gil_scoped_release release;
    return ts::viewsOf(layout);
  });
}

// A worksheet belongs to one thread at a time: the lock of this class, not the interpreter's.
struct Sheet {
  ts::Worksheet sheet;
  std::mutex mutex;
};

void addSheets(nb::module_& m) {
  nb::class_<ts::Answer>(m, "Answer", "The answer to one statement of a worksheet. True if it holds.")
      .def_prop_ro("holds", &ts::Answer::holds)
      .def_prop_ro("kind", &ts::Answer::kind)
      .def_prop_ro("text", &ts::Answer::text)
      .def_prop_ro("json", &ts::Answer::json)
      .def_prop_ro("line", &ts::Answer::line)
      .def_prop_ro("statement", &ts::Answer::statement)
      .def_prop_ro("name", &ts::Answer::name)
      .def_prop_ro(
          "error",
          [](const ts::Answer& a) -> nb::object { return a.error() ? nb::cast(a.error()->marked()) : nb::none(); })
      .def_prop_ro("verdict", [](const ts::Answer& a) { return a.verdict(); })
      .def_prop_ro("layout", [](const ts::Answer& a) { return a.layout(); })
      .def_prop_ro("number", [](const ts::Answer& a) { return a.number(); })
      .def("__bool__", &ts::Answer::holds)
      .def("__str__", [](const ts::Answer& a) { return a.error() ? a.error()->marked() : a.text(); })
      .def("__repr__", [](const ts::Answer& a) { return "<" + a.statement() + ": " + a.text() + ">"; });
  nb::class_<Sheet>(m, "Worksheet", "The worksheet language. Names persist from one run to the next.")
      .def(nb::init<>())
      .def(
          "bind",
          [](Sheet& s, const nb::str& identifier, const ts::Layout& layout) {
            if (PyUnicode_IsIdentifier(identifier.ptr()) != 1) throw nb::value_error("the name is no identifier");
            const std::string name = nb::cast<std::string>(identifier);
            const nb::gil_scoped_release release;
            const std::lock_guard lock(s.mutex);
            s.sheet.bind(name, layout);
          },
          nb::arg("name"), nb::arg("layout"))
      .def(
          "run",
          [](Sheet& s, const std::string& text, double seconds) {
            return interruptible([&](const ts::CancelFlag& flag) {
              const std::lock_guard lock(s.mutex);
              return s.sheet.run(text, {seconds, &flag});
            });
          },
          nb::arg("text"), nb::arg("seconds") = 10.0);
  nb::class_<ts::Question>(m, "Question", "A name that a pasted text uses and does not define.")
      .def_ro("name", &ts::Question::name)
      .def_ro("asks", &ts::Question::asks)
      .def_ro("suggests", &ts::Question::suggests)
      .def_ro("line", &ts::Question::line)
      .def_ro("column", &ts::Question::column);
  nb::class_<ts::Pasted>(m, "Pasted", "A text of another tool as statements of a worksheet.")
      .def_ro("dialect", &ts::Pasted::dialect)
      .def_ro("statements", &ts::Pasted::statements)
      .def_ro("notes", &ts::Pasted::notes)
      .def_ro("questions", &ts::Pasted::questions)
      .def_ro("layout", &ts::Pasted::layout)
      .def_prop_ro("text", &ts::Pasted::text);
  m.def("paste",
        [](const std::string& text, const std::vector<std::pair<std::string, std::string>>& lets,
           const std::vector<std::pair<std::string, std::int64_t>>& over, const std::string& dialect, double seconds) {
          return unlocked([&] { return ts::paste(text, {{seconds, nullptr}, lets, over, dialect}); });
        });
}

}  // namespace

void addProofs(nb::module_& m) {
  addVerdicts(m);
  addPictures(m);
  addSheets(m);
}

}  // namespace tessera_python
