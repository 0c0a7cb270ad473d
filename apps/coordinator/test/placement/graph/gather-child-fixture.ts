/**
 * A process that gathers made uploads and writes snapshots of coordinates as fast as it can, and prints how
 * many uploads are in the store, until it is killed. Only the test of restarts starts it.
 */
import type { CoordinateSnapshot } from '@minga/partition'
import { systemClock } from '@minga/protocol'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../../../packages/store/test/open-store-fixture.ts'
import { writeSnapshot } from '../../../src/placement/distance/distance-snapshot.ts'
import { madeUpload } from './gather-fixture.ts'
import { CrawlGraphCollector } from '../../../src/placement/graph/crawl-graph-collector.ts'
import type { Operations } from '../../../src/station/station-operations.ts'

export interface ChildArgs {
  options: StoreOptions
  boot: number
}

export const UPLOADS_PER_FLUSH = 5

/** Every upload of every boot is another. */
export const seedOf = (boot: number, upload: number): number => boot * 100_000 + upload

const NODES = 9_000

/** Whole if all of its numbers are the same. */
export function evenSnapshot(mark: number): CoordinateSnapshot {
  return {
    names: Array.from({ length: NODES }, (_, n) => `n${n}.example`),
    state: new Float64Array(7 * NODES).fill(mark),
    neighbours: new Int32Array(4 * NODES).fill(mark),
  }
}

if (import.meta.main) {
  const { options, boot } = JSON.parse(process.argv[2] ?? '') as ChildArgs
  const store = await openStoreHere<Operations>(options)
  const collector = new CrawlGraphCollector({ store, clock: systemClock, source: `boot ${boot}` })
  const gather = async (): Promise<never> => {
    for (let upload = 0; ; upload++) {
      collector.hear(madeUpload(seedOf(boot, upload)))
      if (upload % UPLOADS_PER_FLUSH !== UPLOADS_PER_FLUSH - 1) continue
      await collector.flush()
      process.stdout.write(`${upload + 1}\n`)
    }
  }
  const snap = async (): Promise<never> => {
    for (let mark = 1; ; mark++) await writeSnapshot(store, evenSnapshot(mark), boot * 1_000 + mark)
  }
  await Promise.all([gather(), snap()])
}
