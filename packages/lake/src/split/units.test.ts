// Goal: units are whole records, found without reading all of the file. Method: random files with every kind of
// broken quote against a parser that reads byte by byte; sources that count what is read of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { plainRecords } from '../../test/split/records-fixture.ts'
import { findUnits, type ByteSource } from './units.ts'

function sourceOf(bytes: Buffer, atMost = Infinity): ByteSource & { readBytes: number } {
  return {
    bytes: bytes.length,
    readBytes: 0,
    read(into, at) {
      const part = bytes.subarray(at, at + Math.min(into.length, atMost))
      part.copy(into)
      this.readBytes += part.length
      return Promise.resolve(part.length)
    },
  }
}

/** Texts in which delimiters, quotes and ends of lines come in every order. */
const dirty = fc
  .array(
    fc.constantFrom(
      '"',
      '""',
      ',',
      '\n',
      '\r\n',
      '\r',
      'a',
      'text',
      ' ',
      ',"',
      '",',
      '"\n',
      '\n"',
      'é',
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => Buffer.from(parts.join('')))

test('units begin and end where records do, whatever quotes are broken', async () => {
  const property = fc.asyncProperty(
    dirty,
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 7 }),
    fc.constantFrom('csv' as const, 'tsv' as const),
    async (bytes, unitBytes, atMost, format) => {
      const ends = plainRecords(bytes, format === 'csv' ? ',' : '\t').map(({ to }) => to)
      const units = await findUnits(sourceOf(bytes, atMost), { format, from: 0, unitBytes })
      assert.deepEqual(
        units.map(({ from }) => from),
        units.length === 0 ? [] : [0, ...units.slice(0, -1).map(({ to }) => to)],
      )
      assert.equal(units.at(-1)?.to ?? 0, bytes.length)
      for (const { from, to } of units) {
        assert.ok(to > from)
        assert.ok(ends.includes(to), `${to} is not among ${ends.join(' ')}`)
      }
    },
  )
  await fc.assert(property, { seed: 7, numRuns: 3000 })
})

test('an unclosed quote swallows all units behind it', async () => {
  const bytes = Buffer.from(`a,b\nc,"d\n${'e,f\n'.repeat(1000)}`)
  const units = await findUnits(sourceOf(bytes), { format: 'csv', from: 0, unitBytes: 100 })
  assert.deepEqual(units, [{ kind: 'range', from: 0, to: bytes.length }])
})

test('a record longer than a unit is one unit of its own size', async () => {
  const bytes = Buffer.from(`a,b\n"${'x,\n'.repeat(400)}",y\nc,d\n`)
  const units = await findUnits(sourceOf(bytes), { format: 'csv', from: 0, unitBytes: 50 })
  assert.deepEqual(
    units.map(({ to }) => to),
    [bytes.length - 4, bytes.length],
  )
})

test('of a large file with quoted texts only a few kilobytes per unit are read', async () => {
  const record = `1,"a text with ""quotes"", commas\nand lines",5.0\n`
  const bytes = Buffer.from(record.repeat(600_000))
  const source = sourceOf(bytes)
  const units = await findUnits(source, { format: 'csv', from: 0, unitBytes: 1_000_000 })
  assert.equal(units.length, Math.ceil(bytes.length / 1_000_000))
  assert.ok(units.every(({ from }) => from % record.length === 0))
  assert.ok(source.readBytes < units.length * 70_000, `${source.readBytes} bytes were read`)
})

test('a file without quotes is walked once and cut all the same', async () => {
  const bytes = Buffer.from('plain,fields,only\n'.repeat(500_000))
  const source = sourceOf(bytes)
  const units = await findUnits(source, { format: 'csv', from: 0, unitBytes: 4_000_000 })
  assert.equal(units.length, 3)
  assert.ok(units.every(({ from }) => from % 18 === 0))
  assert.ok(source.readBytes < bytes.length + units.length * 1_200_000)
})

test('records of JSON end with their lines', async () => {
  const bytes = Buffer.from(`{"a":"\\n\\""}\n`.repeat(100))
  const units = await findUnits(sourceOf(bytes, 5), { format: 'jsonl', from: 0, unitBytes: 200 })
  assert.ok(units.length > 5)
  assert.ok(units.every(({ from }) => from % 13 === 0))
})

test('there are four units for each worker when they would not be too small, and none for no records', async () => {
  const large = { bytes: 40 * 1024 * 1024, read: zeroes }
  assert.equal((await findUnits(large, { format: 'jsonl', from: 0, workers: 2 })).length, 8)
  assert.equal((await findUnits(large, { format: 'jsonl', from: 0, workers: 8 })).length, 10)
  assert.equal((await findUnits(large, { format: 'jsonl', from: 0 })).length, 4)
  assert.deepEqual(await findUnits(sourceOf(Buffer.from('a,b\n')), { format: 'csv', from: 4 }), [])
})

function zeroes(into: Buffer, at: number): Promise<number> {
  into.fill('\n')
  return Promise.resolve(Math.min(into.length, Math.max(0, 40 * 1024 * 1024 - at)))
}
