/** The frontier's operations by name, as the store runs them: each is one transaction. */
import { beat, forgiveAbsence, goodbye, hello, removeDevice, sweep } from './agents.ts'
import { collectionStatus, finishCollections } from './collections.ts'
import { discover } from './discover.ts'
import { federationOperations } from './federation/federation-operations.ts'
import { changeState } from './federation/shared-changes.ts'
import { factsOfHost, heardSince, recallFiltered } from './filters/filter-operations.ts'
import { closeHosts, endClosed, exemptHosts, openHosts, slowHosts } from './host-rules.ts'
import { findHostRules, hostRuleFor, listHostRules } from './host-rules-read.ts'
import { lease } from './lease.ts'
import { addRequests } from './requests/add-requests.ts'
import {
  abandonedBatches,
  cancelBatch,
  closeBatch,
  openBatch,
  quotaOf,
  sealBatch,
  setQuota,
  unclosedBatches,
} from './requests/batches.ts'
import { findBatches } from './requests/find-batches.ts'
import { findResults } from './requests/find-results.ts'
import { endOverdue } from './requests/overdue-requests.ts'
import { dropExpired } from './requests/reserved.ts'
import {
  answeredRequest,
  batchStatus,
  endedBatches,
  listBatches,
  listResults,
} from './requests/results.ts'
import { mapOperations } from './placement/map-operations.ts'
import { findExisting, openCollection } from './open-collection.ts'
import { noteResolutions } from './resolution.ts'
import { resetHost } from './reset-host.ts'
import { placeOfHost, restHost } from './rest-host.ts'
import { followDelay } from './requests/station-collection.ts'
import {
  changeCollection,
  collectionTrail,
  undoCollection,
} from './scope-change/change-collection.ts'
import { sweepScopes } from './scope-change/sweep-scopes.ts'
import { startCollection } from './start-collection.ts'
import { changeSettings, findSettingChanges, settingChanges } from './station-settings.ts'
import { storedSettings } from './stored-settings.ts'

export const frontierOperations = {
  ...federationOperations,
  ...mapOperations,
  abandonedBatches,
  addRequests,
  answeredRequest,
  batchStatus,
  beat,
  cancelBatch,
  changeCollection,
  changeSettings,
  closeBatch,
  closeHosts,
  collectionStatus,
  collectionTrail,
  discover,
  dropExpired,
  endClosed,
  endOverdue,
  endedBatches,
  exemptHosts,
  factsOfHost,
  findBatches,
  findExisting,
  findHostRules,
  findResults,
  findSettingChanges,
  finishCollections,
  followDelay,
  forgiveAbsence,
  goodbye,
  heardSince,
  hello,
  hostRuleFor,
  lease,
  listBatches,
  listHostRules,
  listResults,
  noteResolutions,
  openBatch,
  openCollection,
  openHosts,
  placeOfHost,
  quotaOf,
  recallFiltered,
  removeDevice,
  resetHost,
  restHost,
  sealBatch,
  setCollectionState: changeState,
  setQuota,
  settingChanges,
  slowHosts,
  startCollection,
  storedSettings,
  sweep,
  sweepScopes,
  unclosedBatches,
  undoCollection,
}
