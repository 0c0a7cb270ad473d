/** The frontier's operations by name, as the store runs them: each is one transaction. */
import { joinOperations } from '@minga/store'
import { beat, forgiveAbsence, goodbye, sweep } from './lease/agents.ts'
import { collectionStatus } from './collections/collections.ts'
import { federationOperations } from './federation/federation-operations.ts'
import { changeState } from './federation/shared-changes.ts'
import { factsOfHost, heardSince, recallFiltered } from './filters/filter-operations.ts'
import { endClosed } from './hosts/host-rules.ts'
import { findHostRules, listHostRules } from './hosts/host-rules-read.ts'
import {
  abandonedBatches,
  cancelBatch,
  findBatches,
  quotaOf,
  sealBatch,
  setQuota,
  unclosedBatches,
} from './requests/batches.ts'
import {
  answeredRequest,
  batchStatus,
  endedBatches,
  findResults,
  listResults,
} from './requests/results.ts'
import { endOverdue } from './requests/end-requests.ts'
import { mapOperations } from './placement/map-operations.ts'
import { findExisting, startCollection } from './collections/open-collection.ts'
import { noteResolutions } from './hosts/resolution.ts'
import { resetHost } from './hosts/reset-host.ts'
import { findHostTarget } from './hosts/hold-host.ts'
import { followDelay } from './requests/station-collection.ts'
import {
  changeCollection,
  collectionTrail,
  undoCollection,
} from './collections/scope-change/change-collection.ts'
import { sweepScopes } from './collections/scope-change/sweep-scopes.ts'
import { changeSettings, findSettingChanges, settingChanges } from './station-settings.ts'
import { storedSettings } from './stored-settings.ts'

export const frontierOperations = joinOperations(federationOperations, mapOperations, {
  abandonedBatches,
  answeredRequest,
  batchStatus,
  beat,
  cancelBatch,
  changeCollection,
  changeSettings,
  collectionStatus,
  collectionTrail,
  endClosed,
  endOverdue,
  endedBatches,
  factsOfHost,
  findBatches,
  findExisting,
  findHostRules,
  findResults,
  findSettingChanges,
  followDelay,
  forgiveAbsence,
  goodbye,
  heardSince,
  listHostRules,
  listResults,
  noteResolutions,
  findHostTarget,
  quotaOf,
  recallFiltered,
  resetHost,
  sealBatch,
  setCollectionState: changeState,
  setQuota,
  settingChanges,
  startCollection,
  storedSettings,
  sweep,
  sweepScopes,
  unclosedBatches,
  undoCollection,
})

export type FrontierOperations = typeof frontierOperations
