export {
  chanceOfChange,
  isBursting,
  newBelief,
  observeChanges,
  observeVisit,
  rateOf,
  type Belief,
  type ChangesSeen,
  type Prior,
  type VisitSeen,
} from './estimate/belief.ts'
export {
  BELIEF_BYTES,
  decodeBelief,
  decodeWeightsInto,
  encodeBelief,
  hasRhythm,
  RHYTHM_BYTE,
} from './estimate/belief-bytes.ts'
export { classOf, kindOf, type PageClass } from './estimate/class-of.ts'
export { choRatio, completeObservation, naive } from './estimate/counting.ts'
export { UnreadableBelief, UnreadablePriors } from './estimate/errors.ts'
export { lastModified } from './estimate/last-modified.ts'
export { maximumLikelihood, momentMatching } from './estimate/likelihood.ts'
export { lawOfLargeNumbers, stochasticApproximation } from './estimate/online.ts'
export { packedBeliefs, rateAt, setWeightsAt, type Rate } from './estimate/packed.ts'
export {
  decodePriorTree,
  encodePriorTree,
  isRipe,
  learnPrior,
  newPriorTree,
  toPriorKey,
  priorFor,
  type PriorKey,
  type PriorTree,
} from './estimate/prior-tree.ts'
export { integratedSeason } from './estimate/season.ts'
export { trainBelief, trainFromCaptures, type CaptureSeen } from './estimate/train.ts'
export type { RateEstimate, Visit } from './estimate/visits.ts'
export { calibrationOf, type Calibration, type DrawerTally } from './groups/calibration.ts'
export { compareWithFixed, type SiteHistory } from './groups/compare.ts'
export { lostByDay, sumDays, type DayTally } from './groups/days.ts'
export { frequencyOf, groupOf } from './groups/frequency.ts'
export { groupTable, type GroupSite } from './groups/group-table.ts'
export { projectGrowth } from './groups/growth.ts'
export { compareVisited, type SeenVisit, type VisitedUrl } from './groups/impute.ts'
export {
  observationOf,
  siteMetrics,
  sumObservations,
  type SiteObservation,
} from './groups/site-metrics.ts'
export { choosePolicy, type Choice } from './policy/choose.ts'
export { BadPolicyFile, PolicyAbsent, PolicyFailed, UnknownPolicy } from './policy/errors.ts'
export { explain } from './policy/explain.ts'
export {
  exponentialGap,
  isRevisitDue,
  sampleSize,
  type ChangeSample,
} from './policy/exponential-gap.ts'
export { eligibility, type Gate, type Observation } from './policy/gate.ts'
export { isPolicyName, POLICY_NAMES, policyNamed } from './policy/names.ts'
export { guardedPolicy, policyIn } from './policy/plug-in.ts'
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
export {
  compareSketches,
  type Change,
  type ChangeReason,
  type CompareOptions,
} from './detect/compare.ts'
export { diffPages, type DiffBlock, type DiffOptions, type PageDiff } from './detect/diff-pages.ts'
export {
  diffAsHtml,
  diffAsText,
  diffSideBySide,
  type HtmlDiffOptions,
} from './detect/diff-views.ts'
export { BadSelector, BadSketch } from './detect/errors.ts'
export { judgePage, type PageJudgement, type UncountedReason } from './detect/judge-page.ts'
export {
  isKnownState,
  stateKey,
  type StateKey,
  firstVisit,
  judgeVisit,
  learnTwin,
  type PageMemory,
} from './detect/judge-visit.ts'
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
export { pageText } from './detect/page-text.ts'
export { checkSelectors, type Selectors } from './detect/selectors.ts'
export { decodeSketch, encodeSketch } from './detect/sketch-format.ts'
export { sketchOf, type Sketch } from './detect/sketch.ts'
export { STILL_TWIN, twinEvidence, type TwinEvidence } from './detect/twin-evidence.ts'
