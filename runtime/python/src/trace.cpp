#include "runtime/python/src/trace.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <utility>

#include "compiler/ir/error_text.h"
#include "runtime/api/decoder_base.h"
#include "runtime/api/spec_request.h"
#include "runtime/cli/room.h"
#include "runtime/cli/trace_line.h"
#include "runtime/python/src/errors.h"
#include "runtime/python/src/input.h"
#include "runtime/python/src/module.h"
#include "runtime/python/src/spec_options.h"

namespace sluice::python {
namespace {

// Fields that the thread may be ahead, and that are handed over together: a lock for each would cost more than a field.
constexpr std::size_t kAhead = 4096, kTogether = 256;

const char* kind_name(interp::TraceEvent::Kind kind) {
  using Kind = interp::TraceEvent::Kind;
  switch (kind) {
    case Kind::Field: return "field";
    case Kind::Let: return "let";
    case Kind::Emit: return "emit";
    case Kind::Literals: return "literals";
    case Kind::Run: return "run";
    case Kind::Copy: return "copy";
    case Kind::Build: return "build";
    case Kind::Align: return "align";
    case Kind::Skip: return "skip";
    case Kind::Region: return "within";
    case Kind::Producing: return "producing";
    case Kind::Into: return "into";
    case Kind::Filled: return "filled";
    case Kind::Stage: return "stage";
    case Kind::Buffer: return "emit_all";
    case Kind::Symbol: return "symbol";
    case Kind::Enter: return "rule";
    case Kind::Leave: return "return";
    case Kind::Accept: return "accept";
    case Kind::Error: return "error";
  }
  return "";
}

// trace_line without its columns of numbers: the heading tells where the last column begins.
std::string what(std::string line) {
  const std::size_t column = cli::trace_heading().find("what");
  if (line.size() <= column) return {};
  const std::size_t text = line.find_first_not_of(' ', column);
  return text == std::string::npos ? std::string() : line.substr(text);
}

}  // namespace

Trace::Trace(driver::Compiled compiled, std::vector<std::uint8_t> input, std::unique_ptr<Memory> output)
    : shared_(std::make_shared<Shared>()) {
  shared_->compiled = std::move(compiled);
  shared_->input = std::move(input);
  shared_->output = std::move(output);
  thread_ = std::thread([shared = shared_] { run(*shared); });
}

Trace::~Trace() {
  if (getpid() != process_) {
    // In a child process the thread is not, so that it can be neither joined nor detached, and its mutex may be locked for
    // ever: both are left where they are.
    static_cast<void>(new std::thread(std::move(thread_)));
    static_cast<void>(new std::shared_ptr<Shared>(std::move(shared_)));
    return;
  }
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->changed.notify_all();
  thread_.join();
}

void Trace::run(Shared& shared) {
  const ir::Module& module = *shared.compiled.module;
  const auto output = shared.output->bytes();
  std::optional<interp::TraceEvent> waiting;
  std::vector<TraceField> ready;
  bool stop = false;
  const auto hand_over = [&] {
    std::unique_lock lock(shared.mutex);
    shared.changed.wait(lock, [&] { return shared.queue.size() < kAhead || shared.stop; });
    stop = shared.stop;
    for (TraceField& field : ready) shared.queue.push_back(std::move(field));
    ready.clear();
    shared.changed.notify_all();
  };
  // One event late: the interpreter tells of a statement before its outputs stand in the buffer.
  const auto tell_waiting = [&] {
    if (!waiting) return;
    const interp::TraceEvent& e = *waiting;
    std::string line = cli::trace_line(module, e, output);
    if (!line.empty()) {
      const bool rule = e.kind == interp::TraceEvent::Kind::Enter;
      ready.push_back({kind_name(e.kind), std::string(rule && e.rule == 0 ? std::string_view(module.name) : e.name),
                       what(std::move(line)), e.bit, e.bits, e.output, e.value, e.count, e.type.is_signed, e.depth});
    }
    waiting.reset();
    if (ready.size() >= kTogether) hand_over();
  };
  const auto further = cli::FurtherRooms::make(module, output.size());
  interp::Job job;
  if (further) job.further = further->rooms();  // else: no room for them
  job.in = shared.input;
  job.out = output;
  job.capacity_elements = output.size() / (module.output.bits / 8u);
  job.stop = &stop;
  const interp::Result result = interp::interpret(module, job, [&](const interp::TraceEvent& event) {
    tell_waiting();
    waiting = event;
  });
  tell_waiting();
  hand_over();
  const std::lock_guard lock(shared.mutex);
  shared.result = result;
  shared.done = true;
  shared.changed.notify_all();
}

std::optional<TraceField> Trace::next() {
  if (taken_.empty() && getpid() == process_) {
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait(lock, [&] { return !shared_->queue.empty() || shared_->done; });
    taken_.swap(shared_->queue);
    shared_->changed.notify_all();
  }
  if (taken_.empty()) return std::nullopt;
  TraceField field = std::move(taken_.front());
  taken_.pop_front();
  return field;
}

std::string Trace::describe() const { return ir::describe(*shared_->compiled.module, shared_->compiled.sources, error(), 0); }

ErrorPlace Trace::place() const { return place_of(*shared_->compiled.module, shared_->compiled.sources, error()); }

void bind_trace(nb::module_& module) {
  nb::class_<Trace>(module, "Trace")
      .def("next", [](Trace& trace) -> nb::object {
        std::optional<TraceField> field;
        {
          const nb::gil_scoped_release release;
          field = trace.next();
        }
        if (!field) return nb::none();
        const nb::object value = field->is_signed ? nb::object(nb::int_(static_cast<std::int64_t>(field->value))) : nb::object(nb::int_(field->value));
        return nb::make_tuple(field->kind, field->name, field->bit, field->bits, value, field->count, field->output, field->depth, field->text);
      })
      .def("error", [](const Trace& trace) -> nb::object {
        if (trace.error() == 0) return nb::none();
        return decode_error(trace.describe(), trace.place(), trace.error(), 0, trace.produced(), Room{});
      });
  module.def("trace", [](const std::string& source, bool is_text, const std::string& name, nb::handle data,
                         const Settings& settings, const std::vector<std::string>& search) {
    driver::Compiled compiled = driver::compile_spec(request_of(source, is_text, name, settings, search, false));
    if (!compiled.ok()) raise_error(error_of(compiled, false));
    const Input input(data);
    auto memory = Memory::make(cli::available_memory(), false);
    if (!memory) throw std::bad_alloc();
    return new Trace(std::move(compiled), {input.bytes().begin(), input.bytes().end()}, std::move(memory));
  });
}

}  // namespace sluice::python
