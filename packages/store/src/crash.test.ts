/**
 * Goal: kill −9 at any moment loses nothing that was acknowledged and leaves nothing half done.
 * Method: a child process works on a store and is killed again and again; after each kill the files
 * are compared, byte by byte, with the rows and with the child's acknowledged calls.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES, readRows, type Home } from '../test/contract-engines.ts'
import { type Appended, type ContractOperations, blobSeries } from '../test/contract-operations.ts'
import { bytesOf, type CrashArgs } from '../test/crash-child.ts'

const KILLS = process.env['MINGA_LONG'] === '1' ? 100 : 6
/** Past the start of the child there are hundreds of commits in this time. */
const LONGEST_LIFE_MS = 150

const CHILD = fileURLToPath(new URL('../test/crash-child.ts', import.meta.url))

/** Runs the child until it is killed; returns the numbers it printed. */
async function workAndDie(
  args: CrashArgs,
  lifeMs: number,
  isKilledOpening: boolean,
): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(args)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = (): void => void setTimeout(() => child.kill('SIGKILL'), lifeMs)
  if (isKilledOpening) kill()
  let output = ''
  for await (const chunk of child.stdout) {
    if (output === '' && !isKilledOpening) kill()
    output += String(chunk)
  }
  assert.equal(child.exitCode, null, 'the child ended by itself')
  // The last line may be cut off by the kill.
  const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => /^\d+$/.test(line)).map(Number)
}

interface BlobFile {
  name: string
  series: string
  committed_bytes: number
}

/** Opens the store as a next start would, and compares everything. Returns the ids it holds. */
async function inspect(home: Home): Promise<Set<number>> {
  const store = await home.openHere<ContractOperations>()
  await store.call('setUp', undefined)
  const appended = await readRows<Appended>(store, 'SELECT * FROM appended')
  const files = await readRows<BlobFile>(store, 'SELECT * FROM blob_files')
  await store.close()
  for (const { name, series, committed_bytes: committedBytes } of files) {
    const content = fs.readFileSync(path.join(home.options.data, series, name))
    assert.equal(content.length, committedBytes, `${name} has exactly its committed bytes`)
    const head = Buffer.from(blobSeries[series]?.firstBytes?.(name) ?? [])
    const own = appended.filter((place) => place.file === name)
    own.sort((a, b) => a.offset_bytes - b.offset_bytes)
    const expected = Buffer.concat([head, ...own.map((place) => bytesOf(place.id))])
    assert.ok(content.equals(expected), `${name} holds its rows' bytes, one after another`)
  }
  const onDisk = ['pack', 'headed'].flatMap((series) =>
    fs.readdirSync(path.join(home.options.data, series)),
  )
  assert.deepEqual(onDisk.toSorted(), files.map((file) => file.name).toSorted())
  return new Set(appended.map((place) => place.id))
}

for (const engine of ENGINES) {
  describe(`A process killed while it uses ${engine.name}`, { skip: engine.skip }, () => {
    test(`loses nothing acknowledged and leaves nothing half, ${KILLS} times`, async () => {
      const home = await engine.home()
      const acknowledged = new Set<number>()
      for (let kill = 0; kill < KILLS; kill++) {
        const args = { options: home.options, firstId: 1 + kill * 1_000_000 }
        const isKilledOpening = kill % 5 === 0
        const lifeMs = Math.random() * LONGEST_LIFE_MS * (isKilledOpening ? 2 : 1)
        for (const id of await workAndDie(args, lifeMs, isKilledOpening)) acknowledged.add(id)
        const held = await inspect(home)
        for (const id of acknowledged) assert.ok(held.has(id), `${id} was acknowledged`)
        for (const id of held) assert.ok(id % 5 !== 0, `${id} was rolled back`)
      }
      assert.ok(acknowledged.size > KILLS, `only ${acknowledged.size} calls were acknowledged`)
    })
  })
}
