// Goal: a process that dies while a collection is being changed leaves it changed or unchanged, its counts true, and
// what was noted of its life readable. Method: a child changes without pause and is killed again and again.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES, type Home } from '../../../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../../../test/recount-fixture.ts'
import { TestStation } from '../../../test/station-fixture.ts'
import type { ContractOperations } from '../../../test/contract-operations.ts'

const KILLS = process.env['MINGA_LONG'] === '1' ? 40 : 2
const LONGEST_LIFE_MS = 200
const CHILD = fileURLToPath(
  new URL('../../../test/collections/scope-change/change-child-fixture.ts', import.meta.url),
)
const operations = new URL('../../../test/contract-operations.ts', import.meta.url).href
const SITE = 'http://a.test/'

async function changeAndDie(home: Home, id: number, from: number): Promise<number> {
  const args = JSON.stringify({ options: { ...home.options, operations }, id })
  const child = spawn(process.execPath, [CHILD, args, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let isDoomed = false
  for await (const chunk of child.stdout) {
    output += String(chunk)
    // Once it has gone round: a slow machine would else kill it before it did anything.
    if (isDoomed || !/\d\n/.test(output)) continue
    isDoomed = true
    setTimeout(() => child.kill('SIGKILL'), Math.random() * LONGEST_LIFE_MS)
  }
  assert.equal(child.exitCode, null, 'the child ended by itself')
  return output.split('\n').length
}

for (const engine of ENGINES) {
  describe(`kills during changes on ${engine.name}`, { skip: engine.skip }, () => {
    test('every URL has one outcome and the samples survive, whenever the process dies', async () => {
      const home = await engine.home()
      let station = new TestStation(await home.open<ContractOperations>({ operations }))
      const id = await station.open({ seeds: [SITE], trapBudget: false })
      const urls = Array.from({ length: 1_500 }, (_, i) => `${SITE}${i}/${i % 7}`)
      await station.discover(id, urls, { via: SITE, depth: 1 })
      let samples = 0
      for (let kill = 0; kill < KILLS; kill++) {
        await station.store.close()
        await changeAndDie(home, id, station.now + kill * 1_000_000)
        station = new TestStation(await home.open<ContractOperations>({ operations }))
        await assertCountsAddUp(station)
        const { points } = await station.store.call('collectionCurve', {
          id,
          now: station.now,
        })
        assert.ok(points.length >= samples, 'no sample is lost')
        samples = points.length
      }
      assert.ok(samples > 2)
      const status = await station.status(id)
      assert.equal(status.found, urls.length + 1)
      assert.equal(status.queued + status.denied, status.found)
      await station.store.close()
    })
  })
}
