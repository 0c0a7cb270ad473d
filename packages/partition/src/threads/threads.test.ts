// Goal: threads change the time, never the parts. Method: the same problem with and without threads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gridOf } from '../graph-fixture.ts'
import { partition } from '../partition.ts'
import { partitionInThreads } from './partition-in-threads.ts'

test('two or three threads find the same parts as none', async () => {
  const graph = gridOf(30, 30)
  const costs = Float64Array.from({ length: 3_600 }, (_, i) => i % 7)
  const options = { k: 4, preset: 'strong' as const, costs, seed: 3 }
  const alone = partition(graph, options)
  for (const threads of [1, 2, 3]) {
    assert.deepEqual((await partitionInThreads(graph, options, threads)).parts, alone.parts)
  }
})
