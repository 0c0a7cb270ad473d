/**
 * Goal: appended bytes and their rows are always one; damage is named, leftovers disappear.
 * Method: files are inspected from outside after calls, failures, restarts and tampering.
 */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { ENGINES, readRows, withStoreOn, type Home } from '../test/contract-engines.ts'
import type { Appended, ContractOperations } from '../test/contract-operations.ts'
import type { Store } from './sql.ts'

const bytes = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 251)

const append = (
  store: Store<ContractOperations>,
  id: number,
  options: { series?: string; length?: number; fail?: boolean } = {},
): Promise<Appended> => {
  const { series = 'pack', length = 100, fail = false } = options
  const whole = bytes(length, id)
  const chunks = [whole.subarray(0, 10), new Uint8Array(0), whole.subarray(10)]
  return store.call('append', { id, series, chunks, fail })
}

const filesOf = (home: Home, series: string): string[] =>
  fs.readdirSync(path.join(home.options.data, series)).toSorted()

const fileAt = (home: Home, series: string, name: string): string =>
  path.join(home.options.data, series, name)

interface BlobFile {
  name: string
  committed_bytes: number
  closed: number
}

const rowsOf = (store: Store<ContractOperations>): Promise<BlobFile[]> =>
  readRows(store, 'SELECT name, committed_bytes, closed FROM blob_files ORDER BY name')

function assertReadable(home: Home, series: string, places: Appended[]): void {
  for (const place of places) {
    const file = fs.readFileSync(fileAt(home, series, place.file))
    const found = file.subarray(place.offset_bytes, place.offset_bytes + place.length_bytes)
    assert.deepEqual(new Uint8Array(found), bytes(place.length_bytes, place.id))
  }
}

for (const engine of ENGINES) {
  const withStore = withStoreOn(engine)

  describe(`Blobs with ${engine.name}`, { skip: engine.skip }, () => {
    test(
      'are found where the call said, in files that stay under their limit',
      withStore(async (store, home) => {
        const places: Appended[] = []
        for (let id = 0; id < 25; id++) places.push(await append(store, id))
        assertReadable(home, 'pack', places)
        assert.deepEqual(filesOf(home, 'pack'), [
          'pack-w1-000000.bin',
          'pack-w1-000001.bin',
          'pack-w1-000002.bin',
        ])
        const rows = await rowsOf(store)
        assert.deepEqual(
          rows.map((row) => [row.committed_bytes, row.closed]),
          [
            [1000, 1],
            [1000, 1],
            [500, 0],
          ],
        )
        const large = await append(store, 99, { length: 5000 })
        assert.equal(large.offset_bytes, 0)
        assertReadable(home, 'pack', [large])
      }),
    )

    test(
      'begin every file with its first bytes',
      withStore(async (store, home) => {
        for (let id = 0; id < 4; id++) await append(store, id, { series: 'headed' })
        const files = filesOf(home, 'headed')
        assert.equal(files.length, 4)
        for (const file of files) {
          const start = fs.readFileSync(fileAt(home, 'headed', file)).subarray(0, file.length + 2)
          assert.equal(start.toString(), `<${file}>`)
        }
      }),
    )

    test(
      'of calls in parallel never overlap, and failing calls leave none',
      withStore(async (store, home) => {
        const calls = Array.from({ length: 120 }, (_, id) =>
          append(store, id, { fail: id % 3 === 0, length: 20 + ((id * 37) % 300) }),
        )
        const settled = await Promise.allSettled(calls)
        const places = settled.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : []))
        assert.equal(places.length, 80)
        assertReadable(home, 'pack', places)
        const rows = await rowsOf(store)
        assert.deepEqual(
          rows.map((row) => row.name),
          filesOf(home, 'pack'),
        )
        for (const row of rows) {
          const { size } = fs.statSync(fileAt(home, 'pack', row.name))
          assert.equal(size, row.committed_bytes)
        }
        const total = rows.reduce((sum, row) => sum + row.committed_bytes, 0)
        assert.equal(
          total,
          places.reduce((sum, place) => sum + place.length_bytes, 0),
        )
      }),
    )

    test(
      'leave no file behind when the first call of a series fails',
      withStore(async (store, home) => {
        await assert.rejects(append(store, 1, { series: 'headed', fail: true }))
        assert.deepEqual(filesOf(home, 'headed'), [])
        const place = await append(store, 2, { series: 'headed' })
        assert.equal(place.file, 'headed-w1-000000.txt')
      }),
    )

    test(
      'are cut back to what was committed, and strays deleted, on opening',
      withStore(async (store, home) => {
        const first = await append(store, 1)
        await store.close()
        fs.appendFileSync(fileAt(home, 'pack', first.file), 'half a record')
        fs.writeFileSync(fileAt(home, 'pack', 'pack-w1-000001.bin'), 'never committed')
        fs.writeFileSync(fileAt(home, 'pack', 'pack-w2-000001.bin'), "another writer's")
        fs.writeFileSync(fileAt(home, 'pack', 'notes.txt'), 'of another program')
        const again = await home.open<ContractOperations>()
        assert.equal(fs.statSync(fileAt(home, 'pack', first.file)).size, 100)
        assert.deepEqual(filesOf(home, 'pack'), ['notes.txt', first.file, 'pack-w2-000001.bin'])
        const second = await append(again, 2)
        assert.deepEqual([second.file, second.offset_bytes], [first.file, 100])
        assertReadable(home, 'pack', [first, second])
        await again.close()
      }),
    )

    test(
      'that are too short or missing are named as damage, and nothing is changed',
      withStore(async (store, home) => {
        const { file } = await append(store, 1)
        await store.close()
        fs.truncateSync(fileAt(home, 'pack', file), 99)
        const damaged = { code: 'MINGA_STORE_DAMAGED', retry: 'never' }
        await assert.rejects(home.open(), { ...damaged, message: /pack-w1-000000\.bin.*99 bytes/ })
        fs.rmSync(fileAt(home, 'pack', file))
        await assert.rejects(home.open(), { ...damaged, message: /pack-w1-000000\.bin.*missing/ })
      }),
    )

    test('are not deleted when their database was lost', async () => {
      const home = await engine.home({ isBare: true })
      const file = path.join('pack', 'pack-w1-000000.bin')
      fs.mkdirSync(path.join(home.options.data, 'pack'))
      fs.writeFileSync(path.join(home.options.data, file), 'precious')
      await assert.rejects(home.open(), { code: 'MINGA_STORE_DAMAGED' })
      assert.equal(fs.readFileSync(path.join(home.options.data, file), 'utf8'), 'precious')
    })
  })
}
