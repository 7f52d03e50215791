// Gradient and naive-twin cases, one function for each op; see verify/op_case.h.
#pragma once

#include "ssm/verify/op_case.h"

namespace ssm {

std::vector<OpCase> LinearCases();
std::vector<OpCase> PointwiseCases();
std::vector<OpCase> GatedCases();
std::vector<OpCase> LayerNormCases();
std::vector<OpCase> RmsNormCases();
std::vector<OpCase> EmbeddingCases();
std::vector<OpCase> SquaredErrorCases();
std::vector<OpCase> BinaryCrossEntropyCases();
std::vector<OpCase> SoftmaxCrossEntropyCases();
std::vector<OpCase> DropoutCases();
std::vector<OpCase> ObserveCases();
std::vector<OpCase> DeltaRuleCases();
std::vector<OpCase> LogDecayCases();
std::vector<OpCase> UnitNormCases();
std::vector<OpCase> DenseChannelScanCases();
std::vector<OpCase> DenseKernelCases();
std::vector<OpCase> DenseScanCases();
std::vector<OpCase> DiscretizeDenseCases();
std::vector<OpCase> DiscretizeDiagonalCases();
std::vector<OpCase> DiscretizeDplrCases();
std::vector<OpCase> DiscretizeDplrZohCases();
std::vector<OpCase> CauchyKernelCases();
std::vector<OpCase> DplrScanCases();
std::vector<OpCase> DiagonalScanCases();
std::vector<OpCase> ComplexWeightCases();
std::vector<OpCase> IrregularModesCases();
std::vector<OpCase> RepeatCases();
std::vector<OpCase> SkipCases();
std::vector<OpCase> TapCases();
std::vector<OpCase> S4dScanCases();
std::vector<OpCase> S4dScanIrregularCases();
std::vector<OpCase> S4dKernelCases();
std::vector<OpCase> FftConvCases();
std::vector<OpCase> DiagonalResponseCases();
std::vector<OpCase> DiagonalFinalStateCases();
std::vector<OpCase> DiscretizeMemoryCases();
std::vector<OpCase> MemoryScanCases();
std::vector<OpCase> MemoryCellScanCases();
std::vector<OpCase> RecurrentScanCases();
std::vector<OpCase> FeatureMapCases();
std::vector<OpCase> MatrixStateCases();
std::vector<OpCase> SsdCases();
std::vector<OpCase> AttentionCases();
std::vector<OpCase> RelativeAttentionCases();
std::vector<OpCase> UnitHeadsCases();
std::vector<OpCase> RoundHeadsCases();
std::vector<OpCase> ScaleHeadsCases();
std::vector<OpCase> BlockRecurrenceCases();
std::vector<OpCase> FarAttentionCases();
std::vector<OpCase> PoolTokensCases();
std::vector<OpCase> TopkAttentionCases();
std::vector<OpCase> RotaryCases();
std::vector<OpCase> CacheWriteCases();
std::vector<OpCase> CausalConvCases();
std::vector<OpCase> ColumnsCases();
std::vector<OpCase> SelectiveScanCases();
std::vector<OpCase> StepSizesCases();
std::vector<OpCase> TokenShiftCases();
std::vector<OpCase> WkvCases();

}  // namespace ssm
