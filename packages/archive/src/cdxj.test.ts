// Goal: the index is sorted as `LC_ALL=C sort` sorts, in bounded memory, and replaced as a whole.
// Method: random entries through small runs, compared with sort(1); folder looked at afterwards.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { warcDate } from './warc-record.ts'
import { cdxjLine, cdxjTimestamp, parseCdxjLine, parseTimestamp, type CdxjEntry } from './cdxj.ts'
import { mergeCdxj, writeCdxjFile } from './cdxj-sort.ts'
import { indexWarc } from './index-warc.ts'
import { collect, sampleArchive } from '../test/sample-exchange.ts'
import { readRecordAt } from './warc-reader.ts'

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-archive-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

function entry(url: string, offset = 0): CdxjEntry {
  return {
    timestamp: '20260506070809',
    url,
    mime: 'text/html',
    status: '200',
    digest: 'sha256:00',
    length: 10,
    offset,
    filename: 'a.warc.gz',
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

test('a line has the form that pywb writes: key, timestamp, strings in order', () => {
  assert.equal(
    cdxjLine(entry('http://www.Example.org/b?z=1&a=ü', 7)),
    'org,example)/b?a=%C3%BC&z=1 20260506070809 {"url":"http://www.Example.org/b?z=1&a=\\u00fc",' +
      '"mime":"text/html","status":"200","digest":"sha256:00","length":"10","offset":"7","filename":"a.warc.gz"}',
  )
})

test('lines of other writers are read: numbers, spaces, missing fields; headers are not lines', () => {
  const line =
    'org,a)/ 20260506070809123 {"url": "http://a.org/", "offset": 5, "filename": "f", "length": 9}'
  assert.deepEqual(parseCdxjLine(line), {
    key: 'org,a)/',
    timestamp: '20260506070809123',
    url: 'http://a.org/',
    mime: 'unk',
    status: '-',
    digest: '-',
    length: 9,
    offset: 5,
    filename: 'f',
  })
  for (const other of [
    '',
    ' CDX N b a m s k r M S V g',
    '!meta 0 {"format":"x"}',
    'a 20260506070809 {',
  ]) {
    assert.equal(parseCdxjLine(other), null)
  }
})

test('timestamps go both ways and may be cut short', () => {
  const at = Date.UTC(2026, 4, 6, 7, 8, 9, 123)
  assert.equal(cdxjTimestamp(at), '20260506070809')
  assert.equal(parseTimestamp(cdxjTimestamp(at, 17)), at)
  assert.equal(parseTimestamp('2026'), Date.UTC(2026, 0, 1))
  assert.equal(parseTimestamp('202605'), Date.UTC(2026, 4, 1))
  for (const bad of ['', '20261', '20261301', 'x']) assert.equal(parseTimestamp(bad), null)
})

test('the file equals what sort -u makes of the lines, through many runs and two merges', async (t) => {
  const path = join(await temporary(t), 'index.cdxj')
  const entries: CdxjEntry[] = []
  for (let index = 0; index < 5000; index++) {
    const host = `${'aZ-é9'[Math.floor(Math.random() * 5)]}${index % 17}.org`
    entries.push(entry(`http://${host}/${Math.random()}?${'~!%Ab'[index % 5]}`, index))
  }
  entries.push(...entries.slice(0, 100))
  const written = await writeCdxjFile(path, each(entries), { runLines: 300, mergeWays: 4 })
  const ours = await readFile(path, 'utf8')
  const sorted = execFileSync('sort', ['-u'], {
    input: entries.map((one) => `${cdxjLine(one)}\n`).join(''),
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
  })
  assert.equal(ours, sorted)
  assert.equal(written, 5000)
  assert.deepEqual(await readdir(join(path, '..')), ['index.cdxj'])
})

test('a failing source leaves the old index and no temporary files', async (t) => {
  const folder = await temporary(t)
  const path = join(folder, 'index.cdxj')
  await writeFile(path, 'old\n')
  async function* broken(): AsyncGenerator<CdxjEntry> {
    for (let index = 0; index < 10; index++) yield entry(`http://a/${index}`)
    throw new Error('no more')
  }
  await assert.rejects(writeCdxjFile(path, broken(), { runLines: 3 }), /no more/)
  assert.equal(await readFile(path, 'utf8'), 'old\n')
  assert.deepEqual(await readdir(folder), ['index.cdxj'])
})

test('merging keeps order across runs of any length and drops equal lines', async () => {
  const runs = [['a', 'c', 'c', 'e'], [], ['a', 'b', 'f'], ['c']]
  assert.deepEqual(await collect(mergeCdxj(runs.map(each))), ['a', 'b', 'c', 'e', 'f'])
})

test('an indexed file gives one entry per capture, and each leads to its record', async (t) => {
  const path = join(await temporary(t), 'x.warc.gz')
  await writeFile(path, sampleArchive([Buffer.from('one'), Buffer.alloc(400_000, 'z')]))
  const entries = await collect(indexWarc(path))
  assert.deepEqual(
    entries.map(({ url, status, mime, filename, timestamp }) => [
      url,
      status,
      mime,
      filename,
      timestamp,
    ]),
    ['http://example.org/0', 'http://example.org/1'].map((url) => {
      return [url, '200', 'text/html', 'x.warc.gz', '20260506070809']
    }),
  )
  for (const { offset, length, url } of entries) {
    assert.equal((await readRecordAt(path, offset, length)).headers.get('WARC-Target-URI'), url)
  }
})

test('damage while indexing is reported and the rest is indexed', async (t) => {
  const path = join(await temporary(t), 'x.warc.gz')
  const file = sampleArchive([Buffer.from('one'), Buffer.from('two')])
  await writeFile(path, file.subarray(0, -3))
  const damaged: number[] = []
  const entries = await collect(indexWarc(path, { onDamage: ({ offset }) => damaged.push(offset) }))
  assert.equal(entries.length, 2)
  assert.equal(damaged.length, 1)
})

test('an impossible time is written as the nearest possible one, never as an error', () => {
  const [latest, earliest] = ['99991231235959', '00000101000000']
  const written = [9e15, Infinity, -9e15, -Infinity, Number.NaN, -1].map((at) => cdxjTimestamp(at))
  const epoch = '19700101000000'
  assert.deepEqual(written, [latest, latest, earliest, earliest, epoch, '19691231235959'])
  assert.equal(warcDate(9e15), '9999-12-31T23:59:59.999Z')
})
