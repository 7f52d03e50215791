#include <iterator>

#include "ssm/verify/naive/cases.h"

namespace ssm {

std::vector<OpCase> AllOpCases() {
  std::vector<OpCase> all;
  for (auto* cases : {LinearCases,
                      PointwiseCases,
                      GatedCases,
                      LayerNormCases,
                      RmsNormCases,
                      EmbeddingCases,
                      SquaredErrorCases,
                      BinaryCrossEntropyCases,
                      SoftmaxCrossEntropyCases,
                      DropoutCases,
                      ObserveCases,
                      DeltaRuleCases,
                      LogDecayCases,
                      UnitNormCases,
                      DenseChannelScanCases,
                      DenseKernelCases,
                      DenseScanCases,
                      DiscretizeDenseCases,
                      DiscretizeDiagonalCases,
                      DiscretizeDplrCases,
                      DiscretizeDplrZohCases,
                      CauchyKernelCases,
                      DplrScanCases,
                      DiagonalScanCases,
                      ComplexWeightCases,
                      IrregularModesCases,
                      RepeatCases,
                      SkipCases,
                      TapCases,
                      S4dScanCases,
                      S4dScanIrregularCases,
                      S4dKernelCases,
                      FftConvCases,
                      DiagonalResponseCases,
                      DiagonalFinalStateCases,
                      DiscretizeMemoryCases,
                      MemoryScanCases,
                      MemoryCellScanCases,
                      RecurrentScanCases,
                      FeatureMapCases,
                      MatrixStateCases,
                      SsdCases,
                      AttentionCases,
                      RelativeAttentionCases,
                      UnitHeadsCases,
                      RoundHeadsCases,
                      ScaleHeadsCases,
                      BlockRecurrenceCases,
                      FarAttentionCases,
                      PoolTokensCases,
                      TopkAttentionCases,
                      RotaryCases,
                      CacheWriteCases,
                      CausalConvCases,
                      ColumnsCases,
                      SelectiveScanCases,
                      StepSizesCases,
                      TokenShiftCases,
                      WkvCases}) {
    std::vector<OpCase> some = cases();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace ssm
