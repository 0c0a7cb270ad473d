/** Changes of a collection at one station that all of a federation receive. */
import type { Sql } from '@minga/store'
import { adoptSeeds, setCollectionState } from '../collections/collections.ts'
import { tellScope, tellState } from './shared-collections.ts'

export async function changeState(
  sql: Sql,
  args: Parameters<typeof setCollectionState>[1],
): Promise<void> {
  await setCollectionState(sql, args)
  await tellState(sql, args.id)
}

/** A seed's redirect is what the collector meant, wherever it was met. */
export async function growScope(
  sql: Sql,
  args: { collectionId: number; seeds: string[] },
): Promise<void> {
  await adoptSeeds(sql, args)
  await tellScope(sql, args.collectionId)
}
