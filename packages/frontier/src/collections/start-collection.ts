/**
 * Opens a collection and queues its seeds in one transaction: between two of them it would have
 * nothing queued, and a cleanup would end it.
 */
import type { CollectionSpec, Visibility } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { openCollection, type OpenedCollection, type OpenExisting } from './open-collection.ts'
import { discover, type Candidate } from '../queue/discover.ts'
import { shareCollection } from '../federation/shared-collections.ts'

export async function startCollection(
  sql: Sql,
  args: {
    identity: string
    spec: CollectionSpec
    seeds: readonly Candidate[]
    allowPrivateAddresses: boolean
    owner?: string | null
    existing?: OpenExisting
    visibility?: Visibility
    now: number
  },
): Promise<Pick<OpenedCollection, 'id' | 'recalled'>> {
  const { seeds, ...opening } = args
  const { id, recalled } = await openCollection(sql, opening)
  await shareCollection(sql, id)
  await discover(sql, { collectionId: id, candidates: seeds, trapBudget: false })
  return { id, recalled }
}
