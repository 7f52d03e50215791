#include "ssm/experiment/apply_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "ssm/base/atomic_file.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/log.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/evaluation/model_walk.h"
#include "ssm/experiment/named_files.h"
#include "ssm/experiment/plan_parts.h"
#include "ssm/interop/array_input.h"
#include "ssm/interop/state_file.h"
#include "ssm/interop/state_samples.h"
#include "ssm/io/npy.h"

namespace ssm {
namespace {

/// Going on in place (--state-in and --state-out of one name) is fine.
void RefuseOverwriting(const ApplyRequest& request) {
  const bool in_place = SameFile(request.state_in, request.state_out);
  const NamedFile reads[] = {{"--input", request.input},
                             {"--state-in", in_place ? "" : request.state_in}};
  const NamedFile writes[] = {{"--output", request.output},
                              {"--state-out", request.state_out},
                              {"--states", request.states}};
  RefuseSameFiles(reads, writes);
}

/// One application: files opened, memory asked for, tokens walked, files committed.
template <Scalar T>
class Application {
 public:
  Application(const SequenceModel<T>& model, ParamView<T> params, const std::string& identity,
              const ApplyRequest& request)
      : model_(model),
        params_(params),
        identity_(identity),
        request_(request),
        input_(request.input, model.io()) {
    RefuseOverwriting(request);
    const int64_t bounded = SizeOfWalk(input_.steps(), input_.rows()).piece_steps;
    stepping_ = request.chunk == 1;
    piece_ = request.chunk == ApplyRequest::kBounded || stepping_ ? bounded
             : request.chunk == 0                                 ? input_.steps()
                                                                  : request.chunk;
    piece_ = std::min(piece_, input_.steps());
    if (request.every > input_.steps()) {
      Fail(ExitCode::kUsage,
           fmt::format("--every {} finds no state to keep: {} has {}", request.every,
                       QuotePath(request.input), FormatCount(input_.steps(), "token")));
    }
    if (request.every > 0) piece_ = std::min(piece_, request.every);
  }

  ApplyOutcome Run() {
    std::optional<State<T>> before;
    if (!request_.state_in.empty()) {
      before = ReadStateFile<T>(request_.state_in, identity_, model_.Slots());
      RequireRows(*before);
    }
    RefuseWhatDoesNotFit(before ? *std::ranges::max_element(before->steps) : 0);
    Open();
    std::optional<PreparedValues<T>> prepared;
    if (!stepping_) {
      prepared.emplace(model_, Mode::kInfer);
      prepared->Compute(params_, piece_, T{1});
    }
    ModelWalk<T> walk(model_, params_, prepared ? &*prepared : nullptr, T{1}, input_.rows());
    if (before) walk.state() = std::move(*before);
    Walk(walk);
    Commit(walk.state());
    return {input_.shape(), OutputShape(),          input_.rows(),
            input_.steps(), stepping_ ? 1 : piece_, walk.state().LiveBytes(),
            samples_.size()};
  }

 private:
  void RequireRows(const State<T>& state) const {
    if (state.rows() == input_.rows()) return;
    Fail(ExitCode::kBadData,
         fmt::format("{} is the state of {}, and {} has {}; a state goes on with as many as it was "
                     "left by.",
                     QuotePath(request_.state_in), FormatCount(state.rows(), "row"),
                     QuotePath(request_.input), FormatCount(input_.rows(), "row")));
  }

  Shape OutputShape() const {
    const Shape rows{input_.steps(), model_.io().outputs};
    return input_.batched() ? rows.Prepend(input_.rows()) : rows;
  }

  /// Bytes of a forward pass over one piece of `rows` rows, and of states and arrays beside it.
  RowCost Plan(const PreparedValues<T>* prepared, int64_t steps_before, int64_t rows) const {
    const double tokens = static_cast<double>(rows) * static_cast<double>(piece_);
    const double width = static_cast<double>(model_.io().reals + std::ssize(model_.io().tokens));
    const double room =
        static_cast<double>(rows) * StateRoom<T>(model_.Slots(), steps_before + input_.steps());
    const double kept =
        static_cast<double>(request_.every > 0 ? input_.steps() / request_.every : 0);
    // Room in growing slots doubles, and the file of a state stands beside it, as it does of all.
    const double beside =
        tokens * (8 * 3 * width + sizeof(T) * static_cast<double>(model_.io().outputs)) +
        room * (4 + 4 * kept);
    if (prepared == nullptr) return {0, beside};
    const State<T> state = model_.InitialState(rows);
    Array<T> reals(Shape{rows, piece_, model_.io().reals});
    IntArray ids(Shape{rows, piece_, std::ssize(model_.io().tokens)});
    Piece<T> piece;
    if (model_.io().reals > 0) piece.reals = &reals;
    if (!model_.io().tokens.empty()) piece.tokens = &ids;
    Tape<T> tape(Mode::kPlan);
    model_.Forward(tape, piece, BindConstant(tape, state), prepared->Bind(tape, nullptr), T{1}, {},
                   Want::kOutputAndState);
    return {static_cast<double>(tape.bytes()), beside};
  }

  void RefuseWhatDoesNotFit(int64_t steps_before) const {
    std::optional<PreparedValues<T>> prepared;
    double bytes = 0;
    if (!stepping_) {
      prepared.emplace(model_, Mode::kPlan);
      prepared->Compute({}, piece_, T{1});
      bytes += static_cast<double>(prepared->tape().bytes());
    }
    const double held = 8.0 * static_cast<double>(input_.rows()) * static_cast<double>(piece_) *
                        static_cast<double>(model_.io().reals + std::ssize(model_.io().tokens));
    const RowCost cost = CostOfRows(input_.rows(), held, [&](int64_t rows) {
      return Plan(prepared ? &*prepared : nullptr, steps_before, rows);
    });
    bytes += cost[0] + cost[1];
    const MemoryBound memory = FreeMemory();
    if (bytes <= static_cast<double>(memory.bytes)) return;
    Fail(ExitCode::kRefused,
         fmt::format("Applying the model to {} would take {} of memory and {} {}; {}.",
                     FormatCount(input_.rows() * piece_, "token") + " at once",
                     FormatBytes(Saturated(bytes)), FormatBytes(memory.bytes), memory.words,
                     request_.chunk == 0  ? "leave --chunk out, or name a small one"
                     : request_.every > 0 ? "lower --chunk or raise --every"
                                          : "lower --chunk"));
  }

  void Open() {
    output_.emplace(request_.output);
    if (!request_.states.empty()) states_.emplace(request_.states);
    if (!request_.state_out.empty()) state_out_.emplace(request_.state_out);
    const std::string header = NpyHeaderBytes(sizeof(T) == 4 ? "<f4" : "<f8", OutputShape());
    data_begin_ = std::ssize(header);
    output_->WriteAt(0, header);
  }

  void Walk(ModelWalk<T>& walk) {
    Tape<T> tape(Mode::kInfer, params_);
    Array<T> y;
    for (int64_t from = 0; from < input_.steps();) {
      int64_t to = std::min(from + piece_, input_.steps());
      if (request_.every > 0) to = std::min(to, (from / request_.every + 1) * request_.every);
      y.Resize(Shape{input_.rows(), to - from, model_.io().outputs});
      walk.Answer(tape, input_.Read(from, to - from), to - from, Want::kOutputAndState, y.data());
      Write(y, from, to - from);
      if (request_.every > 0 && to % request_.every == 0) samples_.Take(walk.state());
      from = to;
    }
  }

  void Write(const Array<T>& y, int64_t from, int64_t n) {
    const int64_t outputs = model_.io().outputs;
    for (int64_t b = 0; b < input_.rows(); ++b) {
      const T* row = y.data() + b * n * outputs;
      WarnOfNonFinite(row, n * outputs, b, from);
      const int64_t at = (b * input_.steps() + from) * outputs * int64_t{sizeof(T)};
      output_->WriteAt(data_begin_ + at, {reinterpret_cast<const char*>(row),
                                          static_cast<size_t>(n * outputs) * sizeof(T)});
    }
  }

  void WarnOfNonFinite(const T* row, int64_t n, int64_t b, int64_t from) {
    if (warned_) return;
    const T* found = std::find_if(row, row + n, [](T value) { return !std::isfinite(value); });
    if (found == row + n) return;
    warned_ = true;
    LogWarning(fmt::format("the model's answer is {} at token {} of row {}",
                           FormatNumber(static_cast<double>(*found)),
                           from + (found - row) / model_.io().outputs, b));
  }

  void Commit(const State<T>& state) {
    if (states_) states_->WriteAt(0, samples_.FileBytes(identity_, request_.every));
    if (state_out_) state_out_->WriteAt(0, StateFileBytes(state, identity_));
    const std::array<std::optional<AtomicFile>*, 3> files = {&output_, &states_, &state_out_};
    for (auto* file : files) {
      if (*file) (*file)->Stage();
    }
    for (auto* file : files) {
      if (*file) (*file)->Commit();
    }
  }

  const SequenceModel<T>& model_;
  ParamView<T> params_;
  const std::string& identity_;
  const ApplyRequest& request_;
  ArrayInput<T> input_;
  int64_t piece_ = 0;
  bool stepping_ = false, warned_ = false;
  StateSamples<T> samples_;
  std::optional<AtomicFile> output_, states_, state_out_;
  int64_t data_begin_ = 0;
};

}  // namespace

std::string ModelIdentity(const RunDirectory& run, const std::string& checkpoint) {
  constexpr int64_t kLargestText = int64_t{1} << 24;
  const std::string sums = ReadFile(JoinPath(checkpoint, "SHA256SUMS"), kLargestText);
  const nlohmann::json config =
      nlohmann::json::parse(ReadFile(run.config(), kLargestText), nullptr, false);
  if (!config.is_object()) {
    Fail(ExitCode::kBadData, fmt::format("{} is not JSON.", QuotePath(run.config())));
  }
  return Sha256(sums.substr(0, sums.find('\n')) + "\n" +
                config.value("model", nlohmann::json()).dump());
}

template <Scalar T>
ApplyOutcome ApplyModel(const SequenceModel<T>& model, ParamView<T> params,
                        const std::string& identity, const ApplyRequest& request) {
  return Application<T>(model, params, identity, request).Run();
}

template ApplyOutcome ApplyModel(const SequenceModel<float>&, ParamView<float>, const std::string&,
                                 const ApplyRequest&);
template ApplyOutcome ApplyModel(const SequenceModel<double>&, ParamView<double>,
                                 const std::string&, const ApplyRequest&);

}  // namespace ssm
