export { acceptResults, isRedirect, type Accepted, type Decision } from './accept.ts'
export { hello, removeDevice } from './agents.ts'
export { adoptSeeds, collectionStatus } from './collections.ts'
export { discover, type Candidate } from './discover.ts'
export { NoSuchCollection } from './errors.ts'
export { addressOf } from './host-queue.ts'
export { hostIdsOf, hostNameOf, literalAddress } from './host-directory.ts'
export { lease, type LeaseAnswer, type LeaseArgs } from './lease.ts'
export { frontierOperations } from './operations.ts'
export { holdBack } from './placement/connections.ts'
export { noteOutcomes } from './placement/outcomes.ts'
export {
  placementSettings,
  STRATEGIES,
  type PlacementSettings,
  type Strategy,
} from './placement/settings.ts'
export { fetchAgain } from './requests/fetch-again.ts'
export { answerRequests } from './requests/answer-requests.ts'
export { addRequests, type AddRequests, type NewRequest } from './requests/add-requests.ts'
export {
  closeBatch,
  openBatch,
  type BatchState,
  type BatchStatus,
  type EndedBatch,
  type NewBatch,
} from './requests/batches.ts'
export { endWaiting, type DocumentEnd, type EndedRequest } from './requests/end-requests.ts'
export {
  dropExpired,
  reserveDocuments,
  tagsOf,
  type ReservedDocument,
} from './requests/reserved.ts'
export type { AnsweredRequest, RequestResult } from './requests/results.ts'
export type { HostResolution } from './resolution.ts'
export { awaitRobots, noteRobots, robotsOwner } from './robots-memory.ts'
export { hasCapture, settle } from './settle.ts'
export { urlHash } from './url-hash.ts'
