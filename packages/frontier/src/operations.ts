/** The frontier's operations by name, as the store runs them: each is one transaction. */
import { beat, forgiveAbsence, goodbye, hello, sweep } from './agents.ts'
import {
  collectionStatus,
  finishCollections,
  openCollection,
  setCollectionState,
} from './collections.ts'
import { discover } from './discover.ts'
import { lease } from './lease.ts'
import { noteResolutions } from './resolution.ts'

export const frontierOperations = {
  beat,
  collectionStatus,
  discover,
  finishCollections,
  forgiveAbsence,
  goodbye,
  hello,
  lease,
  noteResolutions,
  openCollection,
  setCollectionState,
  sweep,
}
