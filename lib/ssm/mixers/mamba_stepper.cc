#include "ssm/mixers/mamba_stepper.h"

#include <optional>

#include "ssm/base/errors.h"
#include "ssm/kernels/causal_conv.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/kernels/rows.h"
#include "ssm/mixers/packed_weight.h"

namespace ssm {
namespace {

/// What tokens choose their steps, B and C by.
template <Scalar T>
struct ChoiceWeights {
  PackedWeight<T> x_proj, dt_proj;
  Array<T> chosen, raw;
};

template <Scalar T>
class MambaStepper final : public Stepper<T> {
 public:
  MambaStepper(const MambaForm<T>& form, Tape<T>& tape, int64_t batch, T dt_scale)
      : form_(form),
        version_(tape.params().version),
        seen_(version_ == nullptr ? 0 : *version_),
        batch_(batch),
        dt_scale_(dt_scale),
        in_proj_(tape, tape.Use(form.in_proj)),
        out_proj_(tape, tape.Use(form.out_proj)),
        taps_(Shape{form.taps, form.channels}),
        conv_bias_(CopyOf(tape, tape.Use(form.conv_bias))),
        dt_bias_(CopyOf(tape, tape.Use(form.dt_bias))),
        skip_(CopyOf(tape, tape.Use(form.d))),
        poles_(Shape{numbers() * form.channels}),
        xz_(Shape{batch, in_proj_.stride()}),
        x_(Shape{batch, form.channels}),
        dt_(Shape{batch, form.channels}),
        scanned_(Shape{batch, form.channels}),
        read_(Shape{batch, out_proj_.stride()}),
        tiles_(Shape{batch * kernels::TimeTiles::kInts}) {
    kernels::PackTaps(form.channels, form.taps, tape.value(tape.Use(form.conv_weight)),
                      taps_.data());
    kernels::PackPoles(form.channels, form.modes, tape.value(tape.Use(form.a_log)),
                       form.scan.complex ? tape.value(tape.Use(form.a_imag)) : nullptr,
                       poles_.data());
    if (form.scan.fixed) {
      b_ = Turned(tape.value(tape.Use(form.b)));
      c_ = Turned(tape.value(tape.Use(form.c)));
    } else {
      PackedWeight<T> x_proj(tape, tape.Use(form.x_proj)), dt_proj(tape, tape.Use(form.dt_weight));
      Array<T> chosen(Shape{batch, x_proj.stride()}), raw(Shape{batch, dt_proj.stride()});
      choice_.emplace(ChoiceWeights<T>{std::move(x_proj), std::move(dt_proj), std::move(chosen),
                                       std::move(raw)});
    }
    scratch_ = Array<T>(Shape{kernels::SelectiveScratch(System())});
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(version_ == nullptr || *version_ == seen_,
              "the parameters changed after this Mamba stepper was made: make a new one");
    in_proj_.Multiply(batch_, in.x, xz_.data());
    Convolve(in.pos, state[0].data.data());
    const kernels::SelectiveTokens<T> tokens = Choose(in.dt);
    kernels::FillTimeTiles(batch_, 1, in.pos, tiles_.data());
    T* h = state[1].data.data();
    const kernels::SelectiveBatch<T> token{
        batch_, 1, kernels::TimeTiles(tiles_.flat()), x_.data(), dt_.data(), tokens, h};
    kernels::SelectiveScan<T>(System(), token, scanned_.data(), h, nullptr, scratch_.data());
    const int64_t e = form_.channels;
    for (int64_t row = 0; row < batch_; ++row) {
      T* scanned = scanned_.data() + row * e;
      const T* z = xz_.data() + row * in_proj_.stride() + e;
      kernels::ApplyProduct(kernels::Activation::kSilu, e, z, scanned, scanned);
    }
    out_proj_.Multiply(batch_, scanned_.data(), read_.data());
    const int64_t d_model = form_.out_proj.shape[0];
    for (int64_t row = 0; row < batch_; ++row) {
      std::copy_n(read_.data() + row * out_proj_.stride(), d_model, y + row * d_model);
    }
  }

 private:
  int64_t numbers() const { return form_.modes * form_.scan.parts(); }
  kernels::SelectiveSystem<T> System() const {
    return {form_.channels, form_.modes, form_.scan, poles_.data(), skip_.data()};
  }
  /// [channels, numbers] to [numbers, channels].
  Array<T> Turned(const T* from) const {
    Array<T> turned(Shape{numbers(), form_.channels});
    for (int64_t i = 0; i < turned.size(); ++i) {
      turned[i % numbers() * form_.channels + i / numbers()] = from[i];
    }
    return turned;
  }

  void Convolve(const int64_t* pos, T* ring) {
    const int64_t e = form_.channels;
    for (int64_t row = 0; row < batch_; ++row) {
      T* x = x_.data() + row * e;
      kernels::CausalConvStep(e, form_.taps, pos[row], xz_.data() + row * in_proj_.stride(),
                              taps_.data(), conv_bias_.data(), ring + row * (form_.taps - 1) * e,
                              x);
      kernels::Apply(kernels::Activation::kSilu, e, x, x);
    }
  }

  /// Fills dt_; returns where the tokens' B and C lie.
  kernels::SelectiveTokens<T> Choose(const T* times) {
    const int64_t e = form_.channels;
    if (choice_) {
      choice_->x_proj.Multiply(batch_, x_.data(), choice_->chosen.data());
      choice_->dt_proj.Multiply(batch_, choice_->chosen.data(), choice_->x_proj.stride(),
                                choice_->raw.data());
    }
    for (int64_t row = 0; row < batch_; ++row) {
      T* raw = dt_bias_.data();
      if (choice_) {
        raw = choice_->raw.data() + row * choice_->dt_proj.stride();
        kernels::Axpy(e, T{1}, dt_bias_.data(), raw);
      }
      const T factor = times == nullptr ? dt_scale_ : dt_scale_ * times[row];
      kernels::StepSizes(e, raw, form_.limits, factor, dt_.data() + row * e);
    }
    if (!choice_) return {b_.data(), c_.data(), 0};
    const T* b = choice_->chosen.data() + form_.rank;
    return {b, b + numbers(), choice_->x_proj.stride()};
  }

  MambaForm<T> form_;
  const uint64_t* version_;
  uint64_t seen_;
  int64_t batch_;
  T dt_scale_;
  PackedWeight<T> in_proj_, out_proj_;
  Array<T> taps_, conv_bias_, dt_bias_, skip_, poles_;
  std::optional<ChoiceWeights<T>> choice_;
  Array<T> b_, c_;  // [numbers, channels] where they are fixed
  Array<T> xz_, x_, dt_, scanned_, read_, scratch_;
  IntArray tiles_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeMambaStepper(const MambaForm<T>& form, int64_t batch,
                                             ParamView<T> params, T dt_scale) {
  Tape<T> tape(Mode::kInfer, params);
  return std::make_unique<MambaStepper<T>>(form, tape, batch, dt_scale);
}

template std::unique_ptr<Stepper<float>> MakeMambaStepper(const MambaForm<float>&, int64_t,
                                                          ParamView<float>, float);
template std::unique_ptr<Stepper<double>> MakeMambaStepper(const MambaForm<double>&, int64_t,
                                                           ParamView<double>, double);

}  // namespace ssm
