// Goal: an import of a dump that is killed −9 again and again ends with the same store as one that was never
// disturbed. Method: the real command, killed at its named points and at random moments; judged by the
// XML export, the totals and the check of everything at rest.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  corpusSite,
  faultsEnv,
  historyCorpus,
  killAt,
  seededRandom,
  type FaultPointName,
  type SeededRandom,
} from '@minga/testkit'
import { writeDump } from '@minga/wiki'
import { LONG, newFolder, startMinga } from './crash-fixture.ts'

const KILLS = LONG ? 20 : 2
const SEED = Number(process.env['MINGA_SEED'] ?? 61)
/** Large enough that a quick machine does not end it between two kills. */
const SIZE = LONG
  ? { pages: 80, revisions: 15_000, rawBytes: 150_000_000 }
  : { pages: 40, revisions: 2_400, rawBytes: 24_000_000 }
/** So small that an import has many rounds, of which every second run ends one. */
const ROUND_BYTES = 1_200_000
const PATIENCE_MS = 180_000

test('an import that is killed −9 again and again ends with the same store as an undisturbed one', async (t) => {
  t.diagnostic(`MINGA_SEED=${SEED}`)
  const folder = newFolder()
  const dump = path.join(folder, 'corpus.xml')
  await writeCorpus(dump)
  const [calm, disturbed] = [path.join(folder, 'calm'), path.join(folder, 'disturbed')]
  assert.equal(await importInto(calm, dump), 0)

  const random = seededRandom(SEED)
  let killed = 0
  for (let i = 0; i < KILLS; i++) if (await killedImport(disturbed, dump, i, random)) killed += 1
  assert.equal(killed, KILLS, 'every run was killed before its end')
  assert.equal(await importInto(disturbed, dump), 0)

  assert.deepEqual(await totalsOf(disturbed), await totalsOf(calm))
  assert.equal(
    await output(['wiki', 'verify', '--data', disturbed]),
    await output(['wiki', 'verify', '--data', calm]),
  )
  const exports = await Promise.all([calm, disturbed].map(exportOf))
  assert.ok(exports[0]!.length > SIZE.rawBytes / 2)
  assert.equal(exports[1], exports[0])
})

async function writeCorpus(file: string): Promise<void> {
  function* pages() {
    for (const { page, revisions } of historyCorpus({ seed: SEED, ...SIZE })) {
      yield { page, revisions: revisions() }
    }
  }
  const attribution = { source: 'a generated corpus', at: 0, licence: null }
  const handle = fs.openSync(file, 'w')
  for await (const piece of writeDump({ site: corpusSite(), pages: pages(), attribution })) {
    fs.writeSync(handle, piece)
  }
  fs.closeSync(handle)
}

const importArgs = (data: string, dump: string): string[] => [
  'wiki',
  'import',
  dump,
  '--data',
  data,
  '--round-bytes',
  String(ROUND_BYTES),
  '--json',
]

async function importInto(data: string, dump: string): Promise<number | null> {
  const child = await startMinga(importArgs(data, dump))
  const { code } = await child.waitExit(PATIENCE_MS)
  if (code !== 0) process.stderr.write(child.stderr())
  return code
}

const POINTS: readonly FaultPointName[] = ['wiki:import:after-rename', 'wiki:import:after-commit']

/** At a named point, or after a while that may end anywhere, start-up included. */
async function killedImport(
  data: string,
  dump: string,
  run: number,
  random: SeededRandom,
): Promise<boolean> {
  const point = POINTS[run % 3]
  const faults = point === undefined ? [] : [killAt(point)]
  const marks = path.join(path.dirname(data), `faults-${run}`)
  const child = await startMinga(importArgs(data, dump), faultsEnv(faults, marks))
  if (point === undefined) {
    await sleep(300 + random.next() * 1_500)
    child.kill9()
  }
  const { signal } = await child.waitExit(PATIENCE_MS)
  return signal === 'SIGKILL'
}

async function output(args: string[]): Promise<string> {
  const child = await startMinga(args)
  const { code } = await child.waitExit(PATIENCE_MS)
  assert.equal(code, 0, child.stderr())
  return child.stdout()
}

async function totalsOf(data: string): Promise<object> {
  const { wikis } = JSON.parse(await output(['wiki', 'stats', '--json', '--data', data])) as {
    wikis: Record<string, unknown>[]
  }
  // How small it lies there depends on where rounds were cut.
  return wikis.map(({ storedBytes: _storedBytes, ...same }) => same)
}

async function exportOf(data: string): Promise<string> {
  const file = `${data}.xml`
  await output(['wiki', 'export', 'corpus.example', '--data', data, '--out', file])
  return fs.readFileSync(file, 'utf8').replace(/<!-- .* -->/, '')
}
