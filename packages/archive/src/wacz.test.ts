// Goal: a WACZ is a sound ZIP whose manifest is true and whose index leads to every record.
// Method: Python's zipfile tests and unpacks it; digests, blocks and ranges are checked by hand.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parseCdxjLine } from './cdxj.ts'
import { writeCdxjFile } from './cdxj-sort.ts'
import { ImpossibleExport } from './errors.ts'
import { indexWarc } from './index-warc.ts'
import { absent, sampleArchive } from '../test/sample-exchange.ts'
import { exportWacz, type WaczExport, type WaczPage } from './wacz.ts'
import { readRecordAt } from './warc-reader.ts'

async function* pages(count: number): AsyncGenerator<WaczPage> {
  for (let index = 0; index < count; index++) {
    const page = { url: `http://example.org/${index}`, ts: Date.UTC(2026, 4, 6, 7, 8, 9, 123) }
    yield index === 0 ? { ...page, title: 'Först' } : page
  }
}

async function prepare(t: TestContext, captures: number) {
  const folder = await mkdtemp(join(tmpdir(), 'minga-archive-'))
  t.after(() => rm(folder, { recursive: true }))
  const bodies = Array.from({ length: captures }, (_, index) => Buffer.from(`body ${index}`))
  const warc = join(folder, 'one.warc.gz')
  await writeFile(warc, sampleArchive(bodies))
  const cdxjPath = join(folder, 'index.cdxj')
  await writeCdxjFile(cdxjPath, indexWarc(warc))
  const wanted: WaczExport = {
    warcFiles: [warc],
    cdxjPath,
    pages: pages(captures),
    title: 'Sample',
    software: 'Minga/0.1',
    createdAt: Date.UTC(2026, 4, 7, 1, 2, 4),
    out: join(folder, 'out.wacz'),
  }
  return { folder, wanted }
}

function unpack(folder: string, file: string): void {
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    assert all(i.compress_type == 0 for i in z.infolist())
    assert all(i.date_time == (2026, 5, 7, 1, 2, 4) for i in z.infolist())
    z.extractall(sys.argv[2])`
  execFileSync('python3', ['-c', script, file, folder])
}

async function checkContents(unpacked: string, captures: number): Promise<void> {
  const manifestBytes = await readFile(join(unpacked, 'datapackage.json'))
  const manifest = JSON.parse(manifestBytes.toString())
  const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const digest = JSON.parse(await readFile(join(unpacked, 'datapackage-digest.json'), 'utf8'))
  assert.deepEqual(digest, { path: 'datapackage.json', hash: sha256(manifestBytes) })
  assert.equal(manifest.profile, 'data-package')
  assert.equal(manifest.wacz_version, '1.1.1')
  const paths = [
    'archive/one.warc.gz',
    'indexes/index.cdx.gz',
    'indexes/index.idx',
    'pages/pages.jsonl',
  ]
  assert.deepEqual(
    manifest.resources.map((one: { path: string }) => one.path),
    paths,
  )
  for (const { path, hash, bytes } of manifest.resources) {
    const content = await readFile(join(unpacked, path))
    assert.deepEqual([hash, bytes], [sha256(content), content.length])
  }
  const listed = (await readFile(join(unpacked, 'pages/pages.jsonl'), 'utf8')).trimEnd().split('\n')
  assert.equal(listed.length, captures + 1)
  assert.equal(JSON.parse(listed[1]!).title, 'Först')
  assert.equal(JSON.parse(listed[1]!).ts, '2026-05-06T07:08:09.123Z')
}

async function checkIndex(unpacked: string, captures: number): Promise<void> {
  const blocks = await readFile(join(unpacked, 'indexes/index.cdx.gz'))
  const [meta, ...sparse] = (await readFile(join(unpacked, 'indexes/index.idx'), 'utf8'))
    .trimEnd()
    .split('\n')
  assert.equal(meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}')
  assert.equal(sparse.length, Math.ceil(captures / 1024))
  const lines: string[] = []
  for (const line of sparse) {
    const { offset, length } = JSON.parse(line.slice(line.indexOf('{')))
    const block = gunzipSync(blocks.subarray(offset, offset + length))
      .toString()
      .trimEnd()
      .split('\n')
    assert.ok(block[0]!.startsWith(line.slice(0, line.indexOf(' {'))))
    lines.push(...block)
  }
  assert.equal(lines.length, captures)
  for (const line of [lines[0]!, lines.at(-1)!]) {
    const entry = parseCdxjLine(line)!
    const record = await readRecordAt(
      join(unpacked, 'archive', entry.filename),
      entry.offset,
      entry.length,
    )
    assert.equal(record.headers.get('WARC-Target-URI'), entry.url)
  }
}

for (const zip64FromBytes of [undefined, 100]) {
  test(
    `a WACZ ${zip64FromBytes ? 'in ZIP64 form ' : ''}unpacks to a true manifest and a working index`,
    { skip: absent('python3') },
    async (t) => {
      const { folder, wanted } = await prepare(t, 2500)
      const summary = await exportWacz(zip64FromBytes ? { ...wanted, zip64FromBytes } : wanted)
      const unpacked = join(folder, 'unpacked')
      unpack(unpacked, wanted.out)
      await checkContents(unpacked, 2500)
      await checkIndex(unpacked, 2500)
      assert.equal(summary.bytes, (await readFile(wanted.out)).length)
      assert.ok(!(await readdir(folder)).some((name) => name.endsWith('.tmp')))
    },
  )
}

test('the same captures give the same bytes', async (t) => {
  const { folder, wanted } = await prepare(t, 3)
  await exportWacz(wanted)
  await exportWacz({ ...wanted, pages: pages(3), out: join(folder, 'again.wacz') })
  assert.deepEqual(await readFile(wanted.out), await readFile(join(folder, 'again.wacz')))
})

test('two WARC files of one name cannot be exported, and nothing is left behind', async (t) => {
  const { folder, wanted } = await prepare(t, 1)
  await mkdir(join(folder, 'b'))
  const twin = join(folder, 'b', 'one.warc.gz')
  await assert.rejects(
    exportWacz({ ...wanted, warcFiles: [...wanted.warcFiles, twin] }),
    ImpossibleExport,
  )
  await assert.rejects(exportWacz({ ...wanted, warcFiles: [twin] }), { code: 'ENOENT' })
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('out.wacz')))
})
