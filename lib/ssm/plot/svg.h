// The same figures as standalone SVG files.
#pragma once

#include <string>

#include "ssm/plot/series.h"

namespace ssm {

/// A complete SVG document of 640 by 400 pixels: title, axes with grid lines, bands, curves, dashed
/// levels, uprights and circles, a legend on the right; dark where the viewer prefers it. Text is
/// escaped; numbers do not depend on the locale; the same figure gives the same bytes.
std::string RenderSvg(const Figure& figure);

}  // namespace ssm
