#include "ssm/tasks/relocate_law.h"

#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {

double StillThere(int64_t places, int64_t moves) {
  SSM_CHECK(places >= 2 && moves >= 0, "a move needs another place");
  const double m = static_cast<double>(places);
  return 1 / m + (1 - 1 / m) * std::pow(-1 / (m - 1), static_cast<double>(moves));
}

double LastSeenAccuracy(const RelocateLaw& law) {
  const double n = static_cast<double>(law.objects);
  const double put = law.containers > 0 ? law.p_put / n : 0;
  const double take = law.p_take / n;
  const double carry = law.containers > 0 ? law.p_carry / static_cast<double>(law.containers) : 0;
  const double back = carry / static_cast<double>(law.places - 1);
  double here = 0;   // hidden where it was last seen
  double there = 0;  // hidden elsewhere
  double right = 0;
  double asked = 0;
  for (int64_t slot = law.setup(); slot < law.slots; ++slot) {
    const double weight = slot == law.slots - 1 ? 1 : law.p_ask;
    right += weight * (1 - there);
    asked += weight;
    const double visible = 1 - here - there;
    const double away = carry * here - back * there;
    here += put * visible - take * here - away;
    there += away - take * there;
  }
  return right / asked;
}

}  // namespace ssm
