/** What the store does for the pages of collections and of the whole station. */
import type { OperationTable } from '@minga/store'
import { collectionCaptures, collectionFacets, collectionList } from './collection-list.ts'
import {
  collectionCurve,
  sampleCollections,
  sampleStation,
  stationThroughput,
} from './collection-samples.ts'
import { discardCollection } from './discard-captures.ts'
import { collectionHosts } from './collection-hosts.ts'
import { checkRobots } from './robots-check.ts'
import { livePicture, runningSample } from './station-figures.ts'

export const collectionsOperations = {
  collectionCaptures,
  checkRobots,
  collectionCurve,
  collectionFacets,
  collectionList,
  discardCollection,
  collectionHosts,
  livePicture,
  runningSample,
  sampleCollections,
  sampleStation,
  stationThroughput,
} satisfies OperationTable
