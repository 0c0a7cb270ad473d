export { acceptResults, isRedirect, type Accepted, type Decision } from './accept.ts'
export { hello, removeDevice } from './agents.ts'
export {
  adoptSeeds,
  cancelQueued,
  collectionStatus,
  openCollection,
  parseSpec,
  setCollectionState,
} from './collections.ts'
export { discover, type Candidate } from './discover.ts'
export { NoSuchCollection } from './errors.ts'
export { addressOf } from './host-queue.ts'
export { hostIdsOf } from './host-directory.ts'
export { hostNameOf, literalAddress } from './host-key.ts'
export {
  closeHosts,
  endClosed,
  exemptHosts,
  openHosts,
  slowHosts,
  type RulesChanged,
} from './host-rules.ts'
export { OWNER_SOURCE, parseHostRule, type HostEffect, type HostRule } from './host-rules-match.ts'
export { hostRuleFor, listHostRules, refusalOf } from './host-rules-read.ts'
export { lease, type LeaseAnswer, type LeaseArgs } from './lease.ts'
export { frontierOperations } from './operations.ts'
export { holdBack } from './placement/connections.ts'
export { noteOutcomes } from './placement/outcomes.ts'
export { PLACEMENT_DEFAULTS, STRATEGIES, type Strategy } from './placement/settings.ts'
export { SLOW_FACTOR } from './placement/stragglers.ts'
export { fetchAgain } from './requests/fetch-again.ts'
export { answerRequests } from './requests/answer-requests.ts'
export { addRequests, type AddRequests, type NewRequest } from './requests/add-requests.ts'
export {
  closeBatch,
  openBatch,
  requireWithinDay,
  type BatchState,
  type BatchStatus,
  type EndedBatch,
  type NewBatch,
  type QuotaLimits,
} from './requests/batches.ts'
export { endWaiting, type DocumentEnd, type EndedRequest } from './requests/end-requests.ts'
export {
  dropExpired,
  reserveDocuments,
  tagsOf,
  type ReservedDocument,
} from './requests/reserved.ts'
export { unfetchedEnds, type UnfetchedEnd } from './requests/reserved-ends.ts'
export type { AnsweredRequest, RequestResult } from './requests/results.ts'
export type { HostResolution } from './resolution.ts'
export { neighboursOf, placeOfHost, restHost, type HostPlace } from './rest-host.ts'
export { awaitRobots, noteRobots, robotsOwner } from './robots-memory.ts'
export { nextIds } from './sequences.ts'
export { hasCapture, settle } from './settle.ts'
export type { NewSetting, SettingChange, StoredSetting } from './station-settings.ts'
export { urlHash } from './url-hash.ts'
export { queueVisits, startHarvest } from './watch-queue.ts'
export type { DocumentPlace, WantedDocument } from './requests/queue-documents.ts'
