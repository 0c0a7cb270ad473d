// Goal: kill −9 at any named point of folds, compactions and purges loses nothing, doubles nothing and leaves no
// file behind. Method: a real process is killed at each point, started again, and judged by what can be read.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@minga/protocol'
import { endAllProcesses, FAULT_POINTS, faultsEnv, killAt, startProcess } from '@minga/testkit'
import { ENGINES, skipRepeats, type Home } from '../../../store/test/contract-engines.ts'
import { roundOf, TAKEN_DOWN, type FoldWork } from '../../test/revisions/fold-child-fixture.ts'
import { openRevisions } from './revisions.ts'
import { everything, OPERATIONS, textsOf, WIKI } from '../../test/revisions/revisions-fixture.ts'
import type { FixtureOperations } from '../../test/revisions/fixture-operations.ts'

after(() => endAllProcesses())

const CHILD = fileURLToPath(new URL('../../test/revisions/fold-child-fixture.ts', import.meta.url))
const ROUNDS = 6
const PATIENCE_MS = 60_000
const LEASE_MS = 11 * 60_000

const pointsOf = (kind: string) => FAULT_POINTS.filter((point) => point.startsWith(`wiki:${kind}:`))

async function workTo(home: Home, env: Record<string, string>): Promise<string | null> {
  const options = { ...home.options, operations: OPERATIONS }
  const work: FoldWork = { options, rounds: ROUNDS }
  const child = await startProcess(process.execPath, [CHILD, JSON.stringify(work)], { env })
  const { code, signal } = await child.waitExit(PATIENCE_MS)
  assert.ok(code === 0 || signal === 'SIGKILL', child.stderr())
  return signal
}

async function assertWhole(home: Home): Promise<void> {
  const store = await home.openHere<FixtureOperations>({ operations: OPERATIONS })
  // Long after: what dead processes held is free, and no reader of a former state is left.
  const clock = { ...systemClock, now: () => systemClock.now() + 2 * LEASE_MS }
  const revisions = openRevisions({ data: home.options.data, store, clock })
  try {
    await revisions.tidy({ isOpening: true })
    const found = await everything(revisions)
    const expected = new Map(
      Array.from({ length: ROUNDS }, (_, round) => roundOf(round)).flatMap((own) =>
        own.map((one) => [one.revId, one] as const),
      ),
    )
    assert.deepEqual(
      found.map(({ revId }) => revId).toSorted((a, b) => a - b),
      [...expected.keys()],
    )
    for (const { revId, tags } of found) assert.deepEqual(tags, expected.get(revId)!.tags)
    for (const [revId, text] of await textsOf(revisions)) {
      const own = Buffer.from(expected.get(revId)!.slots[0]!.text!).toString()
      assert.equal(text, TAKEN_DOWN.includes(revId) ? null : own)
    }
    assert.deepEqual((await revisions.verify(WIKI)).damages, [])
    await assertNoStrays(home, await store.call('wikiManifest', { wikiId: 1 }))
  } finally {
    await revisions.close()
    await store.close()
  }
}

async function assertNoStrays(
  home: Home,
  { segments }: { segments: { pack: string; rows: string }[] },
): Promise<void> {
  const named = segments.flatMap(({ pack, rows }) => [pack, rows])
  const files = fs.readdirSync(path.join(home.options.data, 'wiki', '1'))
  assert.deepEqual(files.toSorted(), named.toSorted())
}

for (const engine of ENGINES) {
  describe(
    `histories of a process that is killed, on ${engine.name}`,
    { skip: skipRepeats(engine) },
    () => {
      for (const kind of ['fold', 'compact', 'purge']) {
        test(`killed at every point of a ${kind}, it goes on and ends the same`, async () => {
          const home = await engine.home()
          const faults = pointsOf(kind).map((point) => killAt(point))
          const env = faultsEnv(faults, path.join(home.options.data, 'faults'))
          let kills = 0
          while ((await workTo(home, env)) === 'SIGKILL') kills++
          assert.equal(kills, faults.length)
          await assertWhole(home)
        })
      }
    },
  )
}
