#include "reference/reference_kinds.h"
#include "ssm/base/workers.h"
#include "ssm/training/adamw.h"
#include "ssm/training/flat_buffers.h"

namespace ssm::reference {

void RunAdamW(const ReferenceCase& c, Comparison& comparison) {
  RequireSettings(c, {"beta1", "beta2", "eps", "weight_decay", "clip"}, {});
  Require(c, "inputs", c.inputs, {{"p", "gradients_in", "lr"}, {}});
  Require(c, "outputs", c.outputs, {{"p_after"}, {}});
  const Array<double>& lr = c.inputs.at("lr");
  const int64_t steps = lr.size(), size = c.inputs.at("p").size();
  const Array<double>& gradients = Shaped(c, c.inputs, "gradients_in", {steps, size});

  Workers workers(2);
  // The rate of each step comes in as the schedule's factor of a peak of 1.
  AdamW<double> adamw({{0, size, 1, c.numbers.at("weight_decay")}}, size, c.numbers.at("beta1"),
                      c.numbers.at("beta2"), c.numbers.at("eps"));
  Reduction<double> reduction(size);
  Array<double> p = c.inputs.at("p").Clone();
  Array<double> summed(Shape{size});
  Array<double> after(Shape{steps, size});
  for (int64_t k = 1; k <= steps; ++k) {
    const double* gradient = gradients.data() + (k - 1) * size;
    const double norm = reduction.Sum(std::span(&gradient, 1), 1, summed.flat(), workers);
    adamw.Step(k, lr[k - 1], ClipFactor(norm, c.numbers.at("clip")), summed.flat(), p.flat(),
               workers);
    std::copy_n(p.data(), size, after.data() + (k - 1) * size);
  }
  comparison.Check("p_after", after.flat(), Shaped(c, c.outputs, "p_after", {steps, size}));
}

}  // namespace ssm::reference
