// Goal: kill −9 before or after a commit of the index loses no text and doubles none. Method: an archive whose pages
// take several commits, a real process that is killed at each named point and started again, and the tables judged
// from outside.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endAllProcesses, FAULT_POINTS, faultsEnv, killAt, startProcess } from '@minga/testkit'
import {
  ENGINES,
  skipRepeats,
  type Home,
  type TestEngine,
} from '../../../../../packages/store/test/contract-engines.ts'
import { textQuery } from './text-query.ts'
import { OPERATIONS, openTexts } from '../../../test/archive/search/texts-fixture.ts'
import type { TextsFixtureOperations } from '../../../test/archive/search/texts-fixture-operations.ts'

after(() => endAllProcesses())

const CHILD = fileURLToPath(
  new URL('../../../test/archive/search/texts-child-fixture.ts', import.meta.url),
)

const PATIENCE_MS = 120_000
const PAGES = 12
const POINTS = FAULT_POINTS.filter((point) => point.startsWith('texts:'))

const bodyOf = (number: number): string =>
  `<title>Page ${number}</title>${`word${number} filler `.repeat(6_000)}`

/** Long pages, five to a commit; the last is the first once more. */
async function fill(engine: TestEngine, home: Home): Promise<void> {
  const texts = await openTexts(engine, home)
  const pages = Array.from({ length: PAGES + 1 }, (_, i) => {
    return { url: `http://kill.test/${i}`, body: bodyOf(i % PAGES) }
  })
  await texts.keep(...pages)
  await texts.close()
}

async function index(home: Home, env: Record<string, string>): Promise<string | null> {
  const options = JSON.stringify({ ...home.options, operations: OPERATIONS })
  const child = await startProcess(process.execPath, [CHILD, options], { env })
  const { code, signal } = await child.waitExit(PATIENCE_MS)
  assert.ok(code === 0 || signal === 'SIGKILL', child.stderr())
  return signal
}

async function assertWhole(home: Home): Promise<void> {
  const store = await home.openHere<TextsFixtureOperations>({ operations: OPERATIONS })
  try {
    const { texts, payloads } = await store.call('indexedRows', {})
    assert.equal(payloads, PAGES)
    assert.deepEqual(
      texts,
      Array.from({ length: PAGES + 1 }, () => 1),
    )
    for (const [q, expected] of [
      ['filler', PAGES],
      ['word3', 1],
      ['"page 11"', 1],
    ] as const) {
      const found = await store.call('countTexts', { query: textQuery(q)!, most: 100 })
      assert.equal(found, expected, q)
    }
  } finally {
    await store.close()
  }
}

for (const engine of ENGINES) {
  describe(
    `An index of texts that is killed on ${engine.name}`,
    { skip: skipRepeats(engine) },
    () => {
      test('every capture is indexed exactly once after kills at every point', async () => {
        const home = await engine.home()
        await fill(engine, home)
        const faults = POINTS.flatMap((point) =>
          [1, 2].map((passage) => killAt(point, { passage })),
        )
        const env = faultsEnv(faults, fs.mkdtempSync(path.join(os.tmpdir(), 'minga-texts-faults-')))
        let kills = 0
        while ((await index(home, env)) === 'SIGKILL') kills++
        assert.ok(kills >= POINTS.length, `${kills} kills`)
        await assertWhole(home)
      })
    },
  )
}
