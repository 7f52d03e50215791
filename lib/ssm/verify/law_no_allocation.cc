#include <fmt/core.h>

#include "ssm/verify/allocation_count.h"
#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// A training pass that can be made again on the same tapes.
template <Scalar T>
class Pass {
 public:
  Pass(LawCase<T>& c, ParamView<T> view)
      : case_(c), subject_(*c.run.subject), tape_(Mode::kTrain, view) {
    cotangents_ = DrawCotangents(c.batch, c.run.Whole(c.batch, c.initial), 0);
  }
  void Run() {
    tape_.Reset();
    const Prepared<T> prepared = tape_.NewVars(subject_.PreparedCount());
    subject_.Prepare(tape_, case_.batch.steps, case_.run.dt_scale, prepared);
    const TapeState<T> state = Watch(tape_, case_.initial);
    const LawOutputs<T> out = subject_.Forward(tape_, case_.batch, state, prepared,
                                               case_.run.dt_scale, Want::kOutputAndState);
    tape_.Seed(out.y, cotangents_.y.data());
    for (size_t i = 0; i < cotangents_.state.size(); ++i) {
      tape_.Seed(out.next.slots[i], cotangents_.state[i].data());
    }
    tape_.Backward();
  }

 private:
  LawCase<T>& case_;
  const LawSubject<T>& subject_;
  Tape<T> tape_;
  Cotangents<T> cotangents_;
};

template <Scalar T>
int64_t AllocationsOfSteps(LawCase<T>& c, int64_t steps) {
  const auto stepper =
      c.run.subject->MakeStepper(c.batch.rows, c.run.params->View(), c.run.dt_scale);
  const LawBatch<T> token = c.batch.Slice(0, 1);
  State<T> state = c.initial.Clone();
  std::vector<T> y(static_cast<size_t>(c.batch.rows * c.run.subject->io().outputs));
  int64_t allocations = 0;
  for (int64_t t = 0; t < steps; ++t) {
    state.Reserve(1);  // the owner's business
    const StepInputs<T> in{token.x.data(), token.tokens.data(),
                           token.dt.size() > 0 ? token.dt.data() : nullptr, state.steps.data()};
    const int64_t before = AllocationCount();
    stepper->Step(in, state.slots, y.data());
    allocations += AllocationCount() - before;
    for (int64_t& n : state.steps) ++n;
  }
  return allocations;
}

}  // namespace

template <Scalar T>
LawResult NoAllocationLaw(const LawSubject<T>& subject, const LawRequest& request) {
  std::vector<int64_t> lengths = {33};
  if (request.T > 0) lengths = {request.T};
  return ForCases<T>(
      "no_allocation", 0, subject, request, lengths, {}, [&](LawCase<T>& c, LawReport& report) {
        if (AllocationCount() < 0) {
          return report.Require(false,
                                "this program does not count its allocations; call "
                                "CountAllocationsWithNew() first");
        }
        Array<T> grads(Shape{subject.store().flat_size()});
        Pass<T> pass(c, c.run.params->View(grads.data()));
        pass.Run();
        const int64_t before = AllocationCount();
        pass.Run();
        const int64_t again = AllocationCount() - before;
        report.Require(again == 0, fmt::format("{} allocations in a second pass", again));
        const int64_t stepping = AllocationsOfSteps(c, 100);
        report.Require(stepping == 0, fmt::format("{} allocations in 100 steps", stepping));
      });
}

template LawResult NoAllocationLaw(const LawSubject<float>&, const LawRequest&);
template LawResult NoAllocationLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
