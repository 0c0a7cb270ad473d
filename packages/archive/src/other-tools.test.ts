// Goal: other tools read our files and we read theirs. Method: warcio and Python's gzip on what we
// write; a WARC made by wget from a server on loopback, with chunked and compressed answers.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { WARCParser } from 'warcio'
import { readChunks } from './archive-files.ts'
import { recordExchange } from './exchange-members.ts'
import { parseHttpBlock } from './http-block.ts'
import { indexWarc } from './index-warc.ts'
import {
  absent,
  collect,
  countingIds,
  sampleArchive,
  sampleExchange,
  sampleWarcinfo,
} from '../test/sample-exchange.ts'
import { verifyWarc } from './verify.ts'
import { readRecordAt, readRecords, type WarcRecord } from './warc-reader.ts'

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-archive-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const sha256 = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

test('warcio reads every record we write, and the digests are those of what it reads', async (t) => {
  const file = join(await temporary(t), 'ours.warc.gz')
  const large = Buffer.alloc(300_000, 'large body ')
  const zipped = gzipSync('compressed by the server')
  const previous = {
    digest: sha256(large),
    url: 'http://example.org/0',
    capturedAt: 0,
    recordId: null,
  }
  const newId = countingIds()
  const more = [
    sampleExchange({ body: zipped, rawHeaders: [['Content-Encoding', 'gzip']], httpVersion: '2' }),
    sampleExchange({ body: large, previous }),
    sampleExchange({ rawHeaders: [['Transfer-Encoding', 'chunked']] }),
  ].flatMap((exchange) => recordExchange(exchange, newId).members)
  await writeFile(file, Buffer.concat([sampleArchive([large, Buffer.from('small')]), ...more]))

  const types: string[] = []
  for await (const record of new WARCParser(createReadStream(file))) {
    types.push(record.warcType ?? '')
    const payload = await record.readFully(false)
    if (record.warcType === 'response') assert.equal(sha256(payload), record.warcPayloadDigest)
    if (record.warcType === 'revisit') {
      assert.equal(payload.length, 0)
      assert.equal(record.warcRefersToTargetURI, 'http://example.org/0')
      assert.equal(record.warcRefersToDate, '1970-01-01T00:00:00.000Z')
    }
  }
  const group = (capture: string) => [capture, 'request', 'metadata']
  assert.deepEqual(types, [
    'warcinfo',
    ...group('response'),
    ...group('response'),
    ...group('response'),
    ...group('revisit'),
    ...group('response'),
  ])
  assert.deepEqual(await collect(verifyWarc(file)), [])
})

test("warcio's indexer finds our records where our own index does", async (t) => {
  const file = join(await temporary(t), 'ours.warc.gz')
  await writeFile(file, sampleArchive([Buffer.alloc(300_000, 'x'), Buffer.from('small')]))
  const command = join(import.meta.dirname, '../../../node_modules/warcio/dist/cli.js')
  const output = execFileSync(process.execPath, [command, 'cdx-index', file, '--format', 'cdxj'], {
    encoding: 'utf8',
  })
  const theirs = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))))
  const ours = await collect(indexWarc(file))
  // warcio drops the algorithm from the digest; we keep it, as Browsertrix does.
  const facts = (one: Record<string, unknown>) =>
    ['url', 'mime', 'status', 'digest', 'length', 'offset'].map((name) =>
      String(one[name]).replace('sha256:', ''),
    )
  assert.deepEqual(
    theirs.map(facts),
    ours.map((entry) => facts({ ...entry })),
  )
})

test("Python's gzip reads what we write", { skip: absent('python3') }, async (t) => {
  const file = join(await temporary(t), 'ours.warc.gz')
  const bytes = sampleArchive([Buffer.alloc(100_000, 'x'), Buffer.alloc(0), Buffer.from('y')])
  await writeFile(file, bytes)
  const script =
    'import gzip, hashlib, sys; print(hashlib.sha256(gzip.open(sys.argv[1]).read()).hexdigest())'
  const theirs = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }).trim()
  assert.equal(`sha256:${theirs}`, sha256(gunzipSync(bytes)))
})

const PAGES: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  '/': (response) =>
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<p>root</p>'),
  '/chunked': (response) => {
    response.setHeader('Content-Type', 'text/plain')
    response.write('first part, ')
    setTimeout(() => response.end('second part'), 20)
  },
  '/gzip': (response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync('squeezed'))
  },
  '/moved': (response) => response.writeHead(302, { Location: '/chunked' }).end(),
  '/large': (response) => response.end(Buffer.alloc(3_000_000, 'large ')),
}

async function wgetWarc(t: TestContext, options: readonly string[]) {
  const folder = await temporary(t)
  const server = createServer((request, response) => {
    const page = PAGES[request.url ?? '']
    if (page) page(response, request)
    else response.writeHead(404).end('nothing here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const urls = [...Object.keys(PAGES), '/absent'].map((path) => base + path)
  const run = [
    '-q',
    '--tries=1',
    '-O',
    '/dev/null',
    '--warc-file=theirs',
    '--warc-cdx',
    ...options,
    ...urls,
  ]
  // Exit status 8: the server answered 404 once, as intended.
  await promisify(execFile)('wget', run, { cwd: folder }).catch((error: { code?: number }) => {
    assert.equal(error.code, 8)
  })
  return { folder, base }
}

for (const { name, options, extension } of [
  { name: 'gzip', options: [], extension: 'warc.gz' },
  { name: 'plain', options: ['--no-warc-compression'], extension: 'warc' },
]) {
  test(
    `a ${name} WARC made by wget is read, indexed and verified`,
    { skip: absent('wget') },
    async (t) => {
      const { folder, base } = await wgetWarc(t, options)
      const file = join(folder, `theirs.${extension}`)
      const records = (await collect(readRecords(readChunks(file)))) as WarcRecord[]
      assert.ok(records.every((record) => !('damage' in record)))
      assert.equal(records[0]?.type, 'warcinfo')

      const errors = (await collect(verifyWarc(file))).filter(
        ({ severity }) => severity === 'error',
      )
      assert.deepEqual(errors, [])

      const bodies = new Map<string, string>()
      const entries = (await collect(indexWarc(file))).filter(({ url }) => url.startsWith(base))
      for (const { url, offset, length } of entries) {
        const message = parseHttpBlock((await readRecordAt(file, offset, length)).block)!
        const zipped = message.headers.get('content-encoding') === 'gzip'
        bodies.set(
          url.slice(base.length),
          (zipped ? gunzipSync(message.body) : message.body).toString(),
        )
      }
      assert.equal(bodies.get('/'), '<p>root</p>')
      assert.equal(bodies.get('/chunked'), 'first part, second part')
      assert.equal(bodies.get('/gzip'), 'squeezed')
      assert.equal(bodies.get('/large')?.length, 3_000_000)
      assert.equal(bodies.get('/absent'), 'nothing here')
      await compareWithTheirIndex(join(folder, 'theirs.cdx'), entries)
    },
  )
}

/** wget's CDX has the columns `a b a m s k r M V g u`: url, date, url, type, status, …, offset. */
async function compareWithTheirIndex(
  path: string,
  entries: readonly { url: string; status: string; offset: number; timestamp: string }[],
): Promise<void> {
  const [, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const theirs = lines.map((line) => line.split(' '))
  const ours = entries.map(({ url, timestamp, status, offset }) => [
    url,
    timestamp,
    status,
    String(offset),
  ])
  assert.deepEqual(
    theirs.map((columns) => [columns[0], columns[1], columns[4], columns[8]]),
    ours,
  )
}

test('the warcinfo of a file is what warcio finds first', async () => {
  const parser = new WARCParser([sampleWarcinfo()])
  const record = await parser.parse()
  assert.equal(record?.warcType, 'warcinfo')
  assert.match((await record?.contentText()) ?? '', /software: Minga/)
})
