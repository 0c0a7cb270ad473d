/** The frontier's operations by name, as the store runs them: each is one transaction. */
import { beat, forgiveAbsence, goodbye, hello, removeDevice, sweep } from './agents.ts'
import {
  collectionStatus,
  finishCollections,
  openCollection,
  setCollectionState,
} from './collections.ts'
import { discover } from './discover.ts'
import { lease } from './lease.ts'
import { placementSettings, setBlockMax, setInHandMax, setStrategy } from './placement/settings.ts'
import { addRequests } from './requests/add-requests.ts'
import {
  abandonedBatches,
  cancelBatch,
  closeBatch,
  openBatch,
  sealBatch,
  setQuota,
  unclosedBatches,
} from './requests/batches.ts'
import { dropExpired } from './requests/reserved.ts'
import {
  answeredRequest,
  batchStatus,
  endedBatches,
  listBatches,
  listResults,
} from './requests/results.ts'
import { noteResolutions } from './resolution.ts'
import { startCollection } from './start-collection.ts'

export const frontierOperations = {
  abandonedBatches,
  addRequests,
  answeredRequest,
  batchStatus,
  beat,
  cancelBatch,
  closeBatch,
  collectionStatus,
  discover,
  dropExpired,
  endedBatches,
  finishCollections,
  forgiveAbsence,
  goodbye,
  hello,
  lease,
  listBatches,
  listResults,
  noteResolutions,
  openBatch,
  openCollection,
  placementSettings,
  removeDevice,
  sealBatch,
  setBlockMax,
  setCollectionState,
  setInHandMax,
  setQuota,
  setStrategy,
  startCollection,
  sweep,
  unclosedBatches,
}
