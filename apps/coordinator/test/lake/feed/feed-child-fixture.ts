/** A process in which things happen and are written to the station's tables, to be killed anywhere. */
import path from 'node:path'
import { LakeFiles, Tables } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../../../packages/store/test/open-store-fixture.ts'
import { isPurged, type FeedFixtureOperations } from './feed-fixture-operations.ts'
import { Feeds } from '../../../src/lake/feed/feeds.ts'

export interface FeedWork {
  options: StoreOptions
  rounds: number
}

export async function openFeeds(options: StoreOptions) {
  const store = await openStoreHere<FeedFixtureOperations>(options)
  const files = new LakeFiles(path.join(options.data, 'lake'))
  const shared = { store, files, clock: systemClock }
  const tables = new Tables({ ...shared, newId: () => crypto.randomUUID() })
  const feeds = new Feeds({
    ...shared,
    tables,
    revisions: { writeRows: async () => 0 },
    limits: () => ({ everyMs: 1_000, isOn: () => true }),
    closing: new AbortController().signal,
    log: () => {},
    mayLead: () => true,
    ownRows: async () => [],
  })
  return { store, files, tables, feeds }
}

if (import.meta.main) {
  const { options, rounds } = JSON.parse(process.argv[2] ?? '') as FeedWork
  const { store, feeds } = await openFeeds(options)
  for (let round = 0; round < rounds;) {
    round = await store.call('happen', {})
    await feeds.flush()
    // Those of before a kill, too: taken down again nothing happens.
    for (let past = 0; past < round; past++) {
      if (isPurged(past)) await store.call('takeDownRound', { round: past })
    }
    await feeds.purge()
  }
  await feeds.close()
  await store.close()
}
