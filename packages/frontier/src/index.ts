export * from './settle/accept.ts'
export { isRedirect, nextRedirect } from './settle/redirects.ts'
export { hello, removeDevice } from './lease/agents.ts'
export {
  cancelQueued,
  collectionStatus,
  parseSpec,
  readStatuses,
  setCollectionState,
  finishCollections,
} from './collections/collections.ts'
export { outcomeOf, outcomeSql, problemOf, WANTED_ENDS } from './collections/collection-outcome.ts'
export { openCollection, type OpenExisting } from './collections/open-collection.ts'
export { discover, type Candidate } from './queue/discover.ts'
export * from './federation/announce-done.ts'
export * from './federation/apply-map.ts'
export type { CollectionPayload, OutboxKind } from './federation/entries.ts'
export { noteStations, type FederationView } from './federation/membership.ts'
export type { NextBatch, ShippedRow, WaitingStation } from './federation/outbox.ts'
export { Owners } from './federation/owners.ts'
export type { ReceiveAnswer, ReceivedRow } from './federation/receive-batch.ts'
export type { FederationReport } from './federation/report.ts'
export { ELSEWHERE } from './federation/route-found.ts'
export * from './federation/shared-changes.ts'
export { FixedCollection, ForeignCollection, NoSuchCollection } from './errors.ts'
export { isHostWanted } from './filters/gate.ts'
export { factsOfKey, type WhereFacts } from './filters/host-facts.ts'
export * from './filters/read-filter.ts'
export { addressOf, isAllowedBy } from './hosts/host-queue.ts'
export { findOriginal, type Original } from './queue/originals.ts'
export { hostIdsOf } from './hosts/host-directory.ts'
export * from './hosts/host-key.ts'
export { collectionDelayMs, type PaceRow } from './hosts/host-pace.ts'
export * from './hosts/host-rules.ts'
export {
  OWNER_SOURCE,
  parseHostRule,
  type HostEffect,
  type HostRule,
} from './hosts/host-rules-match.ts'
export { HOST_RULE_ORDERS, hostRuleFor, listHostRules } from './hosts/host-rules-read.ts'
export * from './lease/leased-to.ts'
export * from './lease/lease.ts'
export * from './operations.ts'
export { holdBack } from './placement/connections.ts'
export { positionOf as countryPosition } from './placement/country-distance.ts'
export { type MapFacts } from './placement/agent-map.ts'
export * from './placement/map-operations.ts'
export { EPOCH_ORDER_NAMES, type MapView } from './placement/map-reading.ts'
export { noteOutcomes } from './placement/outcomes.ts'
export { PLACEMENT_DEFAULTS, STRATEGIES, type Strategy } from './placement/settings.ts'
export {
  BATCH_ORDERS,
  type FindBatchesArgs,
  closeBatch,
  openBatch,
  requireWithinDay,
  type BatchState,
  type BatchStatus,
  type EndedBatch,
  type NewBatch,
  type QuotaLimits,
} from './requests/batches.ts'
export {
  RESULT_ORDERS,
  type FindResultsArgs,
  batchStatus,
  type AnsweredRequest,
  type RequestResult,
} from './requests/results.ts'
export * from './requests/fetch-again.ts'
export { answerRequests } from './requests/answer-requests.ts'
export * from './requests/add-requests.ts'
export {
  endWaiting,
  NOTHING_FETCHED,
  type DocumentEnd,
  type EndedRequest,
} from './requests/end-requests.ts'
export {
  dropExpired,
  reserveDocuments,
  tagsOf,
  type ReservedDocument,
} from './requests/reserved.ts'
export * from './requests/reserved-ends.ts'
export { noteDomain, type HostResolution } from './hosts/resolution.ts'
export * from './hosts/hold-host.ts'
export * from './hosts/politeness.ts'
export { awaitRobots, noteRobots, readRobots, robotsOwner } from './hosts/robots-memory.ts'
export { forUpdate } from './row-locks.ts'
export { isStillWanted, OUT_OF_SCOPE } from './collections/scope-change/still-wanted.ts'
export * from './sequences.ts'
export * from './settle/settle.ts'
export {
  SETTING_CHANGE_ORDERS,
  type ChangeSettings,
  type FindSettingChangesArgs,
  type NewSetting,
  type SettingChange,
  type SettingsChanged,
} from './station-settings.ts'
export type { StoredSetting } from './stored-settings.ts'
export type { UnresolvedHost } from './lease/take-hosts.ts'
export * from './queue/url-hash.ts'
export * from './queue/watch-queue.ts'
export * from './requests/queue-documents.ts'
export { stationCollection } from './requests/station-collection.ts'
export type { ForeignLimits } from './federation/limit-foreign.ts'
