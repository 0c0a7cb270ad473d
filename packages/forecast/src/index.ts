export * from './estimate/belief.ts'
export * from './estimate/belief-bytes.ts'
export * from './estimate/class-of.ts'
export * from './estimate/counting.ts'
export * from './estimate/errors.ts'
export * from './estimate/last-modified.ts'
export * from './estimate/likelihood.ts'
export * from './estimate/online.ts'
export { packedBeliefs, rateAt, setWeightsAt, type Rate } from './estimate/packed.ts'
export * from './estimate/prior-tree.ts'
export { integratedSeason } from './estimate/season.ts'
export * from './estimate/train.ts'
export type { RateEstimate, Visit } from './estimate/visits.ts'
export { calibrationOf, type DrawerTally } from './groups/calibration.ts'
export * from './groups/compare.ts'
export { lostByDay, sumDays, type DayTally } from './groups/days.ts'
export { frequencyOf, groupOf } from './groups/frequency.ts'
export * from './groups/group-table.ts'
export { projectGrowth } from './groups/growth.ts'
export { compareVisited, type SeenVisit, type VisitedUrl } from './groups/impute.ts'
export * from './groups/site-metrics.ts'
export { choosePolicy, type Choice } from './policy/choose.ts'
export * from './policy/errors.ts'
export * from './policy/explain.ts'
export * from './policy/exponential-gap.ts'
export { eligibility, type Gate, type Observation } from './policy/gate.ts'
export * from './policy/names.ts'
export * from './policy/plug-in.ts'
export type {
  Known,
  LeastShown,
  Plan,
  PlanContext,
  Policy,
  Price,
  RateSet,
  Seen,
  Why,
} from './policy/policy.ts'
export { priced } from './policy/priced.ts'
export { versionsAt } from './policy/objectives.ts'
export { isBulkPolicy, scarcePrices, withBytes, type ScarcePrices } from './policy/scarce.ts'
export { solveHostPrices, solvePrice, type HostCaps } from './policy/solve.ts'
export { DAY_MS, GRID_POINTS } from './estimate/grid.ts'
export * from './detect/compare.ts'
export * from './detect/diff-pages.ts'
export * from './detect/diff-views.ts'
export * from './detect/errors.ts'
export * from './detect/judge-page.ts'
export * from './detect/judge-visit.ts'
export {
  decodeNoise,
  encodeNoise,
  expiresAt,
  forgetNoise,
  isMasked,
  maskAt,
  restoreRegion,
  TWIN_WITHIN_MS,
  warnedRegions,
  type LearntNoise,
  type NoiseRegion,
} from './detect/learn-noise.ts'
export type { NoiseMask } from './detect/noise-mask.ts'
export type { PageBody } from './detect/page-body.ts'
export * from './detect/page-text.ts'
export { checkSelectors, type Selectors } from './detect/selectors.ts'
export * from './detect/sketch-format.ts'
export { sketchOf, type Sketch } from './detect/sketch.ts'
export { STILL_TWIN, twinEvidence, type TwinEvidence } from './detect/twin-evidence.ts'
