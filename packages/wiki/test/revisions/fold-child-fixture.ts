/**
 * A process that takes batches in, folds, compacts and purges until its list is done, to be killed
 * anywhere. What it has done it reads from the store, so started again it continues. Only the test
 * of kills starts it.
 */
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../store/test/open-store-fixture.ts'
import { encodeBatch } from '../../src/revisions/batch.ts'
import { openRevisions } from '../../src/revisions/revisions.ts'
import { revisionOf, siteOf, START, WIKI } from './revisions-fixture.ts'
import type { FixtureOperations } from './fixture-operations.ts'

export interface FoldWork {
  options: StoreOptions
  rounds: number
}

/** Revisions that round `n` brings: some are new, some come again with another tag. */
export function roundOf(round: number) {
  return Array.from({ length: 12 }, (_, index) => {
    const id = 1 + round * 8 + index
    return revisionOf(1 + (id % 3), id, { tags: [`round ${round}`] })
  })
}

export const TAKEN_DOWN = [5, 33]

if (import.meta.main) {
  const { options, rounds } = JSON.parse(process.argv[2] ?? '') as FoldWork
  const store = await openStoreHere<FixtureOperations>(options)
  const revisions = openRevisions({
    data: options.data,
    store,
    clock: systemClock,
  })
  await revisions.tidy({ isOpening: true })
  const site = siteOf(`https://${WIKI}/wiki/Main_Page`)
  const { wikiId } = await store.call('wikiRegister', {
    site,
    source: 'api',
    now: START,
  })
  const task = { wikiId, kind: 'extract', arguments: {}, now: START } as const
  const [known] = await store.call('wikiListTasks', { wikiId })
  const { id, run } = known ?? (await store.call('wikiAddTask', task))
  for (let round = run; round < rounds; round++) {
    const pages = Map.groupBy(roundOf(round), ({ pageId }) => pageId)
    const batches = [...pages.values()].map((own) =>
      encodeBatch(own, { source: 'api', seenAt: START + round }),
    )
    // What arrived twice because of a kill between the two calls is the same, and counts once.
    await store.call('wikiAddBatches', { wikiId, batches, now: START })
    await store.call('wikiChangeTask', { id, now: START, run: round + 1 })
    await revisions.fold()
    if (round === 2) await revisions.purge(WIKI, TAKEN_DOWN.slice(0, 1), { reason: 'asked' })
    await revisions.compact(WIKI, { isWhole: true })
  }
  await revisions.purge(WIKI, TAKEN_DOWN, { reason: 'asked' })
  await revisions.fold()
  await revisions.close()
  await store.close()
}
