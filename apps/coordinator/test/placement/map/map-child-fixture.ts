/**
 * A process that writes one map after the other as fast as it can, each with one device for all hosts, until it is
 * killed. Only the test of restarts starts it.
 */
import { planPlacement, type PlanInput } from '@minga/partition'
import type { StoreOptions } from '@minga/store'
import { openStoreHere } from '../../../../../packages/store/test/open-store-fixture.ts'
import { writeMap } from '../../../src/placement/map/repartition-write.ts'
import type { ContractOperations } from '../../contract-operations.ts'

export interface WriterArgs {
  options: StoreOptions
  boot: number
}

export const HOSTS = 9_000

export const writerName = (boot: number): string => `writer ${boot}`

const NOW = 1_750_000_000_000

function inputFor(device: string): PlanInput {
  const names = Array.from({ length: HOSTS }, (_, n) => `h${n}.example`)
  return {
    graph: {
      names,
      pages: new Float64Array(HOSTS).fill(1),
      insideLinks: new Float64Array(HOSTS),
      tails: new Int32Array(0),
      heads: new Int32Array(0),
      links: new Float64Array(0),
    },
    parts: [{ name: device, capacity: 1 }],
  }
}

if (import.meta.main) {
  const { options, boot } = JSON.parse(process.argv[2] ?? '') as WriterArgs
  const store = await openStoreHere<ContractOperations>(options)
  const candidates = inputFor('').graph.names.map((name) => ({
    url: `http://${name}/`,
    kind: 'page' as const,
    depth: 0,
    hops: 0,
    via: null,
    refusal: null,
  }))
  if (boot === 1) await store.call('discover', { collectionId: 1, candidates, trapBudget: false })
  for (let n = 1; ; n++) {
    const mark = `${boot}.${n}`
    const input = inputFor(`device ${mark}`)
    const plan = planPlacement(input)
    // Later than any that a dead one began: a quarter of an hour lies between two boots.
    const now = NOW + boot * 1_000_000
    await writeMap(store, { writer: writerName(boot), now, input, plan, reason: 'test', why: mark })
  }
}
