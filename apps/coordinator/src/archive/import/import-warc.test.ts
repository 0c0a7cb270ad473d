// Goal: a foreign file comes in whole, once, under one name, or not at all. Method: files that are good,
// plain, damaged, empty or missing, imported into a station's archive over its API.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  encodeRecord,
  readRecords,
  sha256Label,
  verifyWarc,
  type HeaderPair,
  type RecordDraft,
} from '@minga/archive'
import * as fc from 'fast-check'
import {
  collect,
  inPieces,
  sampleArchive,
  sampleWarcinfo,
} from '../../../../../packages/archive/test/sample-exchange.ts'
import { ENGINES, temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, openStation } from '../../../test/station-fixture.ts'
import { capturesIn, repacked, type ImportAnswer } from './import-warc.ts'
import type { ImportedCapture } from './import-captures.ts'

const folder = temporaryFolder()

function fileWith(name: string, bytes: Buffer | string): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

/** Different content for every test. */
function archiveOf(...bodies: string[]): Buffer {
  return sampleArchive(bodies.map((body) => Buffer.from(body)))
}

for (const engine of ENGINES) {
  describe(`An import on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine })
    const archive = join(station.data, 'archive')
    const ask = (file: string) => station.post('/archive/import', { file })
    const take = async (file: string): Promise<ImportAnswer> => {
      const { status, body } = await ask(file)
      assert.equal(status, 200, JSON.stringify(body))
      return body as ImportAnswer
    }

    test('copies a good file byte by byte and indexes what it holds', async () => {
      const bytes = archiveOf('one', 'two')
      const answer = await take(fileWith('good file (1).warc.gz', bytes))
      assert.match(answer.file, /^import-[0-9a-f]{16}-good_file_1_\.warc\.gz$/)
      const { captures, already, repacked: again, findingCount } = answer
      assert.deepEqual(
        { captures, already, repacked: again, findingCount },
        { captures: 2, already: false, repacked: false, findingCount: 0 },
      )
      assert.deepEqual(readFileSync(join(archive, answer.file)), bytes)
      assert.equal(String((await station.content('http://example.org/1')).body), 'two')
    })

    test('of the same content adds nothing, under whatever name and however many at once', async () => {
      const bytes = archiveOf('same')
      const files = ['a', 'b', 'c'].map((name) => fileWith(`${name}.warc.gz`, bytes))
      const answers = await Promise.all(files.map(take))
      assert.deepEqual(
        answers.map(({ already }) => already),
        [false, true, true],
      )
      assert.equal(new Set(answers.map(({ file }) => file)).size, 1)
      const rows = (await station.captures()).filter(({ file }) => file === answers[0]!.file)
      assert.equal(rows.length, 1)
    })

    test('of a plain file, or of one that cannot be sought in, packs it again', async () => {
      const plain = gunzipSync(archiveOf('plain', 'file'))
      for (const [name, bytes] of [
        ['plain.warc', plain],
        ['solid.warc.gz', gzipSync(plain)],
      ] as const) {
        const answer = await take(fileWith(name, bytes))
        assert.deepEqual([answer.repacked, answer.captures], [true, 2], name)
        const findings = await collect(verifyWarc(join(archive, answer.file)))
        assert.deepEqual(findings, [], name)
        assert.equal(String((await station.content('http://example.org/0')).body), 'plain')
      }
    })

    test('of a damaged file says where and keeps what can be read', async () => {
      const bytes = archiveOf('first', 'second', 'third')
      const cut = await take(fileWith('cut.warc.gz', bytes.subarray(0, -30)))
      assert.equal(cut.repacked, true)
      assert.ok(cut.findingCount >= 1)
      assert.equal(cut.captures, 3)
      const second = sampleArchive([Buffer.from('first')]).length
      const holed = Buffer.from(bytes)
      holed.fill(0, second + 20, second + 60)
      const answer = await take(fileWith('holed.warc.gz', holed))
      assert.equal(answer.captures, 2)
      assert.ok(answer.findings[0]!.offset >= second)
      assert.deepEqual(await collect(verifyWarc(join(archive, answer.file))), [])
    })

    test('of nothing that can be read is refused and leaves the archive as it was', async () => {
      const before = readdirSync(archive).toSorted()
      mkdirSync(join(folder, 'a folder'), { recursive: true })
      const bad: [file: string, problem: RegExp][] = [
        [
          join(folder, 'missing.warc.gz'),
          /missing\.warc\.gz was not imported: there is no such file/,
        ],
        [join(folder, 'a folder'), /a folder was not imported: it is not a file/],
        [join(folder, 'x'.repeat(5_000)), /its name is too long/],
        [join(folder, 'a\0b'), /its name has a null byte/],
        [join(fileWith('file', ''), 'below'), /there is no such file/],
        [fileWith('empty.warc.gz', ''), /\/empty\.warc\.gz was not imported: it holds no capture/],
        [fileWith('noise.warc.gz', 'no records here'), /it holds no capture/],
        [fileWith('info.warc.gz', sampleWarcinfo()), /it holds no capture/],
        [fileWith('bytes.gz', gzipSync('GIF89a')), /it holds no capture/],
      ]
      for (const [file, problem] of bad) {
        assertRefused(await ask(file), '400 MINGA_BAD_IMPORT', problem)
      }
      assert.deepEqual(readdirSync(archive).toSorted(), before)
    })

    test('without the name of a file is refused by the field', async () => {
      for (const body of [{}, { file: '' }, { file: 7 }]) {
        const said = await station.post('/archive/import', body)
        assertRefused(said, '400 MINGA_BAD_MESSAGE', /file: /)
      }
    })

    test('that was killed between rename and index resumes where it was', async () => {
      const bytes = archiveOf('killed', 'then')
      const first = await take(fileWith('whole.warc.gz', bytes))
      const rows = (await station.captures()).filter(({ file }) => file === first.file)
      // As if only the first of two steps had been committed.
      const name = `import:${first.file}`
      await station.store.call('writeFact', { name, value: String(rows[1]!.offset) })
      writeFileSync(join(archive, 'incoming.part'), 'what the crash left')
      const again = await take(fileWith('again.warc.gz', bytes))
      assert.deepEqual([again.file, again.captures, again.already], [first.file, 2, false])
      const after = (await station.captures()).filter(({ file }) => file === first.file)
      assert.deepEqual(after, rows)
      assert.ok(!readdirSync(archive).includes('incoming.part'))
    })
  })
}

const isRoot = process.getuid?.() === 0 ? 'root may read everything' : false

test('a file that may not be read is refused with the reason', { skip: isRoot }, async () => {
  const station = await openStation()
  const file = fileWith('secret.warc.gz', archiveOf('secret'))
  chmodSync(file, 0)
  const said = await station.post('/archive/import', { file })
  assertRefused(said, '400 MINGA_BAD_IMPORT', /it may not be read/)
})

// Goal: whatever others wrote into a WARC file, what we read of it fits our tables and our files.
// Method: hand-made records of every odd kind, and random header values.

const file = join(temporaryFolder(), 'theirs.warc.gz')
const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=x\r\n\r\n<p>hello'

interface Odd {
  type?: RecordDraft['type']
  url?: string
  date?: string
  headers?: HeaderPair[]
  block?: string | Buffer
  contentType?: string
}

function record(odd: Odd = {}): Buffer {
  const { type = 'response', url = 'http://a.test/', date = '2020-01-02T03:04:05Z' } = odd
  return encodeRecord({
    type,
    headers: [
      ['WARC-Record-ID', '<urn:uuid:00000000-0000-4000-8000-000000000001>'],
      ['WARC-Date', date],
      ['WARC-Target-URI', url],
      ['Content-Type', odd.contentType ?? 'application/http; msgtype=response'],
      ...(odd.headers ?? []),
    ],
    block: [Buffer.from(odd.block ?? HTML)],
  })
}

function read(...records: Buffer[]): Promise<ImportedCapture[]> {
  const bytes = Buffer.concat(records)
  writeFileSync(file, bytes)
  return collect(capturesIn(file, inPieces(bytes, 1_000)))
}

test('a response is a capture with its place, its type and a digest of its payload', async () => {
  const [first, second] = [record(), record({ url: 'http://b.test/#part' })]
  const captures = await read(first, second)
  assert.deepEqual(captures[0], {
    url: 'http://a.test/',
    capturedAt: Date.UTC(2020, 0, 2, 3, 4, 5),
    kind: 'response',
    status: 200,
    mime: 'text/html',
    digest: sha256Label([Buffer.from('<p>hello')]),
    payloadBytes: 8,
    recordId: '<urn:uuid:00000000-0000-4000-8000-000000000001>',
    offset: 0,
    length: first.length,
  })
  assert.equal(captures[1]?.url, 'http://b.test/')
  assert.deepEqual([captures[1]?.offset, captures[1]?.length], [first.length, second.length])
})

test('a resource is a capture too, and all of its block is payload', async () => {
  const [capture] = await read(record({ type: 'resource', contentType: 'image/png', block: 'png' }))
  assert.deepEqual([capture?.mime, capture?.payloadBytes], ['image/png', 3])
  assert.equal(capture?.digest, sha256Label([Buffer.from('png')]))
})

test('the file’s own digest counts, one that is none is replaced', async () => {
  const own = 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
  for (const [said, kept] of [
    [own, own],
    ['nonsense', sha256Label([Buffer.from('<p>hello')])],
  ] as const) {
    const [capture] = await read(record({ headers: [['WARC-Payload-Digest', said]] }))
    assert.equal(capture?.digest, kept)
  }
})

test('a reference without a digest has none, and its type is that of its own head', async () => {
  const odd: Odd = {
    type: 'revisit',
    headers: [['WARC-Profile', 'http://netpreserve.org/warc/1.0/revisit/server-not-modified']],
    block: 'HTTP/1.1 304 Not Modified\r\n\r\n',
  }
  const [capture] = await read(record(odd))
  assert.deepEqual([capture?.kind, capture?.digest, capture?.mime], ['revisit', '-', 'unk'])
})

test('what is no page, has no date or lies outside of the calendar is passed over', async () => {
  const passedOver: Odd[] = [
    { type: 'request' },
    { type: 'metadata' },
    { type: 'resource', url: 'urn:notes' },
    { type: 'resource', url: 'metadata://x/y' },
    { url: 'http://[bad' },
    { date: 'yesterday' },
    { date: '0999-12-31T23:59:59Z' },
    { date: '+010000-01-01T00:00:00Z' },
  ]
  assert.deepEqual(await read(...passedOver.map(record), record()), await onlyTheLast())

  async function onlyTheLast(): Promise<ImportedCapture[]> {
    const [capture] = await read(record())
    const before = passedOver.map(record).reduce((sum, bytes) => sum + bytes.length, 0)
    return [{ ...capture!, offset: before }]
  }
})

test('damage between records hides only what is damaged', async () => {
  const broken = record()
  broken.fill(0, 20, 60)
  const captures = await read(record(), broken, record({ url: 'http://c.test/' }))
  assert.deepEqual(
    captures.map(({ url }) => url),
    ['http://a.test/', 'http://c.test/'],
  )
})

test('a payload beyond what is read at once is measured and digested whole', async () => {
  const body = Buffer.alloc(700_000, 'x')
  const block = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body])
  const [capture] = await read(record({ block }))
  assert.equal(capture?.payloadBytes, body.length)
  assert.equal(capture?.digest, sha256Label([body]))
})

test('any header value gives rows without control characters and of bounded length', async () => {
  const value = fc.string({ unit: 'binary', maxLength: 300 })
  const runs = process.env['MINGA_LONG'] === '1' ? 2_000 : 100
  await fc.assert(
    fc.asyncProperty(value, value, async (type, digest) => {
      const block = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\nx`)
      for (const kind of ['response', 'revisit'] as const) {
        const headers: HeaderPair[] = [['WARC-Payload-Digest', digest.replaceAll(/[\r\n]/g, ' ')]]
        for (const capture of await read(record({ type: kind, headers, block }))) {
          assert.match(`${capture.mime}|${capture.digest}`, /^[\x20-\x7e]{1,500}$/)
        }
      }
    }),
    { numRuns: runs },
  )
})

test('repacking gives every readable record a member of its own with true lengths and digests', async () => {
  const bracketed = record({ url: '<http://old.test/>' })
  const broken = record()
  broken.fill(0, 20, 60)
  const packed = await collect(repacked(inPieces(Buffer.concat([record(), broken, bracketed]), 77)))
  assert.equal(packed.length, 2)
  const items = await collect(readRecords(inPieces(Buffer.concat(packed), 1_000)))
  const uris = items.map((item) => ('damage' in item ? null : item.headers.get('WARC-Target-URI')))
  assert.deepEqual(uris, ['http://a.test/', 'http://old.test/'])
})
