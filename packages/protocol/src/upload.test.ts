// Goal: an upload arrives as it was sent, and no bytes can crash the station that reads them.
// Method: round trips, and fuzzing of whole and damaged uploads with fast-check.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { BadUpload } from './message-errors.ts'
import { certificateFacts, type Result } from './messages.ts'
import { encodeUpload } from './encode-upload.ts'
import { decodeUpload } from './upload.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 100_000 : 5_000

const named = { fence: fc.nat(), collectionId: fc.nat(), hostId: fc.nat(), hash: fc.nat() }
const result: fc.Arbitrary<Result> = fc.oneof(
  fc.record({ ...named, type: fc.constant('returned' as const) }),
  fc.record({
    ...named,
    type: fc.constant('failed' as const),
    url: fc.string({ unit: 'grapheme' }),
    code: fc.string(),
    message: fc.string({ unit: 'grapheme' }),
    retry: fc.constantFrom('now' as const, 'later' as const, 'never' as const),
    endedAgoMs: fc.nat(86_400_000),
    totalMs: fc.nat(3_600_000),
  }),
)
const upload = fc.record({ boot: fc.string(), results: fc.array(result, { maxLength: 20 }) })

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes)

test('what was encoded is decoded', () => {
  fc.assert(
    fc.property(upload, (manifest) => {
      const decoded = decodeUpload(asBuffer(encodeUpload(manifest, [])))
      assert.deepEqual(decoded.manifest, JSON.parse(JSON.stringify(manifest)))
      assert.equal(decoded.members.length, 0)
    }),
  )
})

function refusesOrReads(bytes: Uint8Array): void {
  try {
    decodeUpload(asBuffer(bytes))
  } catch (error) {
    assert.ok(error instanceof BadUpload, String(error))
  }
}

test('any bytes are read or refused with a code, never a crash', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), refusesOrReads), { numRuns: CASES })
})

test('an upload with any byte changed or cut is read or refused with a code', () => {
  fc.assert(
    fc.property(upload, fc.nat(), fc.nat(255), fc.nat(), (manifest, at, byte, cut) => {
      const bytes = encodeUpload(manifest, [])
      bytes[at % bytes.length] = byte
      refusesOrReads(bytes)
      refusesOrReads(bytes.subarray(0, cut % bytes.length))
    }),
    { numRuns: CASES },
  )
})

test('any JSON as a manifest is read or refused with a code', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const head = zstdCompressSync(Buffer.from(text))
      const length = Buffer.alloc(4)
      length.writeUInt32BE(head.length)
      refusesOrReads(Buffer.concat([length, head]))
    }),
    { numRuns: CASES },
  )
})

test('members that the manifest does not account for are refused', () => {
  const bytes = encodeUpload({ boot: 'x', results: [] }, [Buffer.from('left over')])
  assert.throws(() => decodeUpload(asBuffer(bytes)), /names 0 bytes of members but 9 came/)
})

test('whatever time a certificate names, it can be written as a date', () => {
  const certificate = { digest: 'sha256:0', issuer: 'i', subject: 's' }
  for (const [said, kept] of [
    [8.64e20, '9999-12-31T23:59:59.999Z'],
    [-1, '1970-01-01T00:00:00.000Z'],
    [null, '1970-01-01T00:00:00.000Z'],
    [Date.UTC(2027, 0), '2027-01-01T00:00:00.000Z'],
  ] as const) {
    const { validUntil } = certificateFacts.parse({ ...certificate, validUntil: said })
    assert.equal(new Date(validUntil).toISOString(), kept)
  }
})
