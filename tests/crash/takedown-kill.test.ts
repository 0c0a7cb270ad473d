// Goal: a takedown that was asked for happens, whatever dies: afterwards the capture is in no file and no list,
// and the archive is whole. Method: the real command is killed at each named point, and so are those that
// go on with it; the next command on the folder, whichever it is, finishes the work. MINGA_LONG=1: each point alone.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { recordExchange } from '@minga/archive'
import { FAULT_POINTS, faultsEnv, killAt, startProcess } from '@minga/testkit'
import { filesWith } from '../../apps/coordinator/test/archive/takedown/traces-fixture.ts'
import {
  countingIds,
  sampleExchange,
  sampleWarcinfo,
} from '../../packages/archive/test/sample-exchange.ts'
import { LONG, newFolder } from './crash-fixture.ts'

const MINGA = path.resolve(import.meta.dirname, '../../apps/minga/bin/minga.mjs')
const PATIENCE_MS = 60_000
const SECRET = 'the street where Ana lives'
const ANA = 'http://paper.test/ana'
const POINTS = FAULT_POINTS.filter((point) => point.startsWith('takedown:'))

async function minga(args: string[], env: Record<string, string> = {}) {
  const child = await startProcess(process.execPath, [MINGA, ...args], { env })
  const { code, signal } = await child.waitExit(PATIENCE_MS)
  return { code, signal, out: child.stdout(), err: child.stderr() }
}

/** Two versions of a page among others; made once. */
async function makeArchive(data: string): Promise<string> {
  const newId = countingIds()
  const captures: [url: string, text: string, minute: number][] = [
    ['http://paper.test/', 'Nothing of interest', 0],
    [ANA, `First, ${SECRET}`, 1],
    [ANA, `Then, ${SECRET}`, 2],
    ['http://paper.test/other', 'Something else', 3],
  ]
  const members = captures.flatMap(([url, text, minute]) => {
    const capturedAt = Date.UTC(2026, 0, 1, 0, minute)
    return recordExchange(sampleExchange({ url, body: Buffer.from(text), capturedAt }), newId)
      .members
  })
  const file = path.join(data, 'theirs.warc.gz')
  fs.writeFileSync(file, Buffer.concat([sampleWarcinfo(), ...members]))
  const imported = await minga(['archive', 'import', file, '--data', data])
  assert.equal(imported.code, 0, imported.err)
  fs.rmSync(file)
  return data
}

const made = await makeArchive(newFolder())

function copyOfArchive(): string {
  const data = newFolder()
  fs.cpSync(made, data, { recursive: true })
  return data
}

async function assertGone(data: string): Promise<void> {
  const listed = await minga(['archive', 'list', '--jsonl', '--data', data])
  assert.equal(listed.code, 0, listed.err)
  assert.deepEqual(await filesWith(data, SECRET), [])
  const urls = listed.out
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { url: string }).url)
  assert.deepEqual(urls, ['http://paper.test/', 'http://paper.test/other'])
  const verified = await minga(['archive', 'verify', '--json', '--data', data])
  const { ok, tombstones } = JSON.parse(verified.out) as { ok: boolean; tombstones: number }
  assert.ok(ok, verified.out)
  assert.equal(tombstones, 6)
  const stones = await minga(['takedown', '--list', '--json', '--data', data])
  const { takedowns } = JSON.parse(stones.out) as { takedowns: { state: string; url: string }[] }
  assert.deepEqual(
    takedowns.map(({ state, url }) => `${state} ${url}`),
    [`done ${ANA}`, `done ${ANA}`],
  )
}

/** In the middle of what is overwritten, not before its first byte. */
const passageOf = (point: string): number => (point === 'takedown:one-written' ? 2 : 1)

const ASK = ['takedown', ANA, '--all-versions', '--reason', 'Ana asked', '--data']

test('a takedown killed at every point of its way, each time by another start, is finished by the next', async () => {
  const data = copyOfArchive()
  for (const [i, point] of POINTS.entries()) {
    const args = i === 0 ? [...ASK, data] : ['archive', 'list', '--data', data]
    const killed = await minga(args, faultsEnv([killAt(point, { passage: passageOf(point) })]))
    assert.equal(killed.signal, 'SIGKILL', `${point}: ${killed.err}`)
  }
  await assertGone(data)
})

for (const point of POINTS) {
  test(
    `a takedown killed at ${point} is finished by the next start, even if that is killed too`,
    { skip: !LONG && 'only with MINGA_LONG=1' },
    async () => {
      const data = copyOfArchive()
      const faults = faultsEnv([killAt(point, { passage: passageOf(point) })])
      const killed = await minga([...ASK, data], faults)
      assert.equal(killed.signal, 'SIGKILL', killed.err)
      const again = faultsEnv([killAt('takedown:one-written', { passage: 3 })])
      const next = await minga(['archive', 'list', '--data', data], again)
      assert.ok(next.signal === 'SIGKILL' || next.code === 0, next.err)
      await assertGone(data)
    },
  )
}
