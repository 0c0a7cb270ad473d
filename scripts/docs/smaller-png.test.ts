// Goal: pictures lose bytes and nothing else. Method: a picture with every filter is made by hand, made smaller, and
// its rows are compared; what is no such picture comes back untouched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { smallerPng } from './smaller-png.ts'

const WIDTH = 40
const CHANNELS = 3
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

function picture(rows: Buffer, height: number, colourType = 2): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, colourType, 0, 0, 0], 8)
  const data = deflateSync(rows, { level: 0 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('every filter is undone as the format says', () => {
  // The same ramp five times, each time as another filter writes it.
  const ramp = Buffer.from(
    Array.from({ length: WIDTH * CHANNELS }, (_, i) => Math.floor(i / CHANNELS) * 2),
  )
  const steps = Buffer.from(
    Array.from({ length: WIDTH * CHANNELS }, (_, i) => (i < CHANNELS ? 0 : 2)),
  )
  const zero = Buffer.alloc(WIDTH * CHANNELS)
  const rows = [
    [0, ramp],
    [1, steps],
    [2, zero],
    [4, zero],
  ] as const
  const filtered = Buffer.concat(rows.flatMap(([filter, row]) => [Buffer.from([filter]), row]))
  const withMean = Buffer.concat([filtered, Buffer.from([3]), meanRow(ramp)])
  const small = smallerPng(picture(withMean, 5))
  const length = small.readUInt32BE(33)
  const seen = inflateSync(small.subarray(41, 41 + length))
  const wanted = Buffer.concat(
    Array.from({ length: 5 }, () => Buffer.concat([Buffer.from([0]), ramp])),
  )
  assert.deepEqual(seen, wanted)
})

/** What filter 3 writes for a row that equals the one above it. */
function meanRow(row: Buffer): Buffer {
  return Buffer.from(
    row.map((value, i) => {
      const left = i < CHANNELS ? 0 : row[i - CHANNELS]!
      return value - ((left + value) >> 1)
    }),
  )
}

test('a picture of another form comes back as it was', () => {
  const grey = picture(Buffer.alloc(WIDTH + 1), 1, 0)
  assert.equal(smallerPng(grey), grey)
})
