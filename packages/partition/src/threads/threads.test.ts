// Goal: threads change the time, never the parts. Method: the same problem with and without threads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gridOf } from '../../test/graph-fixture.ts'
import { partition } from '../partition.ts'
import { communitiesOf, partsNamed } from '../../test/plan/plan-fixture.ts'
import { planPlacement } from '../plan/plan.ts'
import { partitionInThreads } from './partition-in-threads.ts'
import { planInThread } from './plan-in-thread.ts'

test('two or three threads find the same parts as none', async () => {
  const graph = gridOf(30, 30)
  const costs = Float64Array.from({ length: 3_600 }, (_, i) => i % 7)
  const options = { k: 4, preset: 'strong' as const, costs, seed: 3 }
  const alone = partition(graph, options)
  for (const threads of [1, 2, 3]) {
    assert.deepEqual((await partitionInThreads(graph, options, threads)).parts, alone.parts)
  }
})

test('a plan made in a thread is the plan made here, and can be given up', async () => {
  const graph = communitiesOf(200, 4)
  const parts = partsNamed('a', 'b', 'c')
  const previous = new Map(graph.names.map((name, host) => [name, parts[host % 3]!.name]))
  const input = { graph, parts, previous, seed: 4 }
  assert.deepEqual(await planInThread(input), planPlacement(input))
  const abort = new AbortController()
  const given = planInThread(input, abort.signal)
  abort.abort(new Error('the station stops'))
  await assert.rejects(given, /the station stops/)
})
