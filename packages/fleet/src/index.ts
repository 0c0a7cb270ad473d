export { FLAG_WORDS } from './abuse/abuse-errors.ts'
export { FLAG_KINDS, SEVERITIES } from './abuse/anomalies.ts'
export { noteAnswers, noteSubmission } from './abuse/client-days.ts'
export {
  checkRestrictions,
  FLAG_EFFECTS,
  FLAG_STATES,
  raiseFlags,
  type Flag,
  type FlagEffect,
  FLAG_ORDERS,
} from './abuse/flags.ts'
export { abuseIn } from './abuse/judge-url.ts'
export { describeSubmission, type JudgedUrl, type Submission } from './abuse/submission.ts'
export * from './accounts/account-errors.ts'
export {
  nameKey,
  OPERATOR,
  type Account,
  type Login,
  ACCOUNT_ORDERS,
} from './accounts/account-rows.ts'
export type { Caller } from './accounts/callers.ts'
export type { MailedAccount } from './accounts/emails.ts'
export {
  requireWithin,
  type ApiKey,
  type CreateKeyArgs,
  type RotateKeyArgs,
} from './accounts/keys.ts'
export * from './accounts/password.ts'
export * from './accounts/permissions.ts'
export type { CreateResetArgs } from './accounts/sessions.ts'
export type { StoredPasskey } from './accounts/passkeys.ts'
export type { StoredTotp } from './accounts/second-factors.ts'
export { findTotpStep, newTotpSecret, toBase32, totpUri } from './accounts/totp.ts'
export * from './accounts/secrets.ts'
export * from './errors.ts'
export {
  BadSignature,
  DeviceRevoked,
  DeviceTaken,
  NoSuchDevice,
  NoSuchToken,
  StaleChallenge,
  TokenExpired,
  TokenRefused,
  TokenRevoked,
  TokenUsed,
} from './devices/device-errors.ts'
export { type Contribution, type Contributions } from './devices/contributions.ts'
export * from './devices/device-operations.ts'
export { ratesOf, type Rates } from './devices/device-rates.ts'
export * from './devices/device-sessions.ts'
export { markDrained, ordersOf, type DeviceOrders } from './devices/drain.ts'
export type { EnrolDeviceArgs } from './devices/enrol.ts'
export {
  DEVICE_ORDERS,
  DOINGS,
  doingOf,
  findDevices,
  type AwayCount,
  type DeviceSpot,
  type Doing,
  type FindDevicesArgs,
} from './devices/find-devices.ts'
export type { CreateJoinTokenArgs, JoinTokenView, Owner } from './devices/join-tokens.ts'
export {
  eraseDevice,
  findDevice,
  listDevices,
  markRevoked,
  pauseDevice,
  type DevicePlace,
  type DeviceView,
  type ListDevicesArgs,
  type OwnDeviceArgs,
} from './devices/own-devices.ts'
export {
  noteResults,
  type Counters,
  type DetailView,
  type NoteResultsArgs,
  type RequestItem,
} from './devices/request-details.ts'
export {
  clientAccount,
  heldAccount,
  OUTSIDE,
  PLATFORM,
  reserveAccount,
  volunteerAccount,
  type AccountClass,
} from './ledger/accounts.ts'
export * from './ledger/budget.ts'
export * from './ledger/format-micros.ts'
export { leaderboard, type Leader, type LeaderboardArgs } from './ledger/leaderboard.ts'
export * from './ledger/pay.ts'
export {
  lockAccounts,
  post,
  POSTING_KINDS,
  type Entry,
  type Posted,
  type Posting,
} from './ledger/posting.ts'
export * from './ledger/split.ts'
export * from './ledger/statement-export.ts'
export * from './ledger/statement.ts'
export * from './ledger/trial-balance.ts'
export * from './load-tests/capacity.ts'
export { LoadCourse } from './load-tests/load-course.ts'
export * from './load-tests/load-test-errors.ts'
export {
  beatLoadTest,
  claimLoadTest,
  loadTestOf,
  type LoadResult,
  type LoadTestRow,
} from './load-tests/load-test-rows.ts'
export type { LoadPlan } from './load-tests/plan.ts'
export { summaryOf, type StepSummary } from './load-tests/step-figures.ts'
export type { UrlFinding } from './neutrality/compare-places.ts'
export { findingsText, flagsCsv, flagsOf, type PlaceFlag } from './neutrality/findings-text.ts'
export {
  endedRuns,
  type Monitor,
  type RunRow,
  type UrlObservation,
} from './neutrality/monitor-rows.ts'
export * from './neutrality/neutrality-errors.ts'
export {
  closeRun,
  MONITOR_PREFIX,
  listMonitorRequests,
  recordObservation,
  openRuns,
  openRunsNow,
  tagsOfRun,
  unseen,
} from './neutrality/runs.ts'
export type { MonitorObservation } from './neutrality/observation.ts'
export * from './operations.ts'
export * from './trust/audit-work.ts'
export type { Stopped } from './trust/convict.ts'
export {
  canaryCandidates,
  canaryId,
  chooseCanary,
  FRESH_MS as CANARY_FRESH_MS,
  type VerifiedPage,
} from './trust/canary.ts'
export {
  chooseAudits,
  openCanary,
  type ChooseAuditsArgs,
  type Delivery,
  type OpenCanaryArgs,
  type SentResult,
} from './trust/choose-audits.ts'
export {
  admitDevice,
  noteService,
  sweepBlocks,
  trustLog,
  trustOf,
  type AdmitDeviceArgs,
  type BlockDeviceArgs,
  type ExpelDeviceArgs,
  type NoteServiceArgs,
  type Quarantine,
  type QuarantineDeviceArgs,
  type ReleaseDeviceArgs,
  type TrustView,
} from './trust/devices-standing.ts'
export * from './site-owners/proof-errors.ts'
export type { AddressAnswer } from './site-owners/address-question.ts'
export * from './site-owners/proof-text.ts'
export {
  claimFiles,
  noteFile,
  provenProof,
  type ProofMethod,
  type ProofPurpose,
  type ProofView,
} from './site-owners/proofs.ts'
export { saveSigningKey } from './site-owners/signing-keys.ts'
export { unfitPatterns } from './trust/patterns.ts'
export { networkOf, type Party } from './trust/eligible.ts'
export type { ComplainArgs } from './trust/complain.ts'
export { contentFingerprint, headersFingerprint } from './trust/fingerprint.ts'
export * from './trust/refusal.ts'
export { AUDIT_FLOOR } from './trust/reputation.ts'
export type { Audit, AuditKind } from './trust/audit-rows.ts'
export { mayBePaid } from './trust/paid-opinions.ts'
export { isDrawn, isFailure, isUnfetched } from './trust/selection.ts'
export { sentenceOf, type Standing, type StandingReason } from './trust/standing.ts'
export { compare, NO_PAGE, type PageFacts } from './trust/verdict.ts'
export { openSession } from './accounts/sessions.ts'
