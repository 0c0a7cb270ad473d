// Goal: what a crawl leaves can be listed, read, checked, packed and taken in again, by us and by
// other tools. Method: real processes on a fake web; archives are copied and damaged byte by byte.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { copyFileSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startFakeWeb, startProcess, endAllProcesses, type FakeWeb } from '@minga/testkit'
import {
  listCaptures,
  MINGA,
  mingaOutput,
  runMinga,
  startMinga,
  type ListedCapture,
} from './run-minga.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-archive-'))
const data = join(folder, 'data')
let web: FakeWeb
let seed = ''
/** What the archive of `data` has; no test changes it. */
let rows: ListedCapture[] = []

before(async () => {
  web = await startFakeWeb({
    hosts: 2,
    pagesPerHost: 15,
    embeds: true,
    firstAddress: '127.0.61.1',
    behaviours: [
      { kind: 'encoding', encoding: 'gzip', on: [0] },
      { kind: 'duplicates', copies: 3, on: [0] },
    ],
  })
  seed = web.seeds[0]!
  await mingaOutput(
    'crawl',
    seed,
    '--data',
    data,
    '--delay',
    '0',
    '--allow-private-addresses',
    '--scope',
    'any',
    '--json',
  )
  rows = await listCaptures(data)
})

after(async () => {
  await endAllProcesses()
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Name, size and time of every file below a folder. */
function stateOf(of: string): string[] {
  const names = readdirSync(of, { recursive: true, encoding: 'utf8' }).toSorted()
  return names.map((name) => {
    const { size, mtimeMs, ctimeMs } = statSync(join(of, name))
    return `${name} ${size} ${mtimeMs} ${ctimeMs}`
  })
}

test('commands that only read start no station and leave the folder as it is', async () => {
  const former = stateOf(data)
  const listed = await listCaptures(data)
  const page = await mingaOutput('archive', 'get', seed, '--data', data)
  const watches = await mingaOutput('watch', 'list', '--data', data, '--json')
  assert.ok(listed.length > 30)
  assert.match(page, /<html/i)
  assert.deepEqual(JSON.parse(watches), { watches: [] })
  assert.deepEqual(stateOf(data), former)
})

test('a question in SQL that needs no station starts none', async () => {
  const { mtimeMs } = statSync(join(data, 'processes.json'))
  const answer = await mingaOutput('sql', 'SELECT 41 + 1 AS n', '--data', data, '--json')
  assert.deepEqual((JSON.parse(answer) as { rows: unknown[] }).rows, [[42]])
  assert.equal(statSync(join(data, 'processes.json')).mtimeMs, mtimeMs)
  const refused = await runMinga('sql', 'SELECT * FROM nowhere', '--data', data)
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /nowhere.*MINGA_BAD_SQL/s)
  const captures = await mingaOutput(
    'sql',
    'SELECT count(*) FROM captures',
    '--data',
    data,
    '--json',
  )
  assert.deepEqual((JSON.parse(captures) as { rows: unknown[] }).rows, [[rows.length]])
})

const inFolder = (name: string): string => join(folder, name)
const archiveOf = (of: string): string => join(of, 'archive')
const firstWarc = (of: string): string => join(archiveOf(of), 'archive-main-000000.warc.gz')

function copyOf(name: string): string {
  const copy = inFolder(name)
  cpSync(data, copy, { recursive: true })
  return copy
}

/** Every file of a folder with its content, to see that nothing was touched. */
function contents(of: string): Record<string, string> {
  const names = readdirSync(of, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name))
  const hash = (file: string): string =>
    createHash('sha256').update(readFileSync(file)).digest('hex')
  return Object.fromEntries(files.toSorted().map((file) => [file, hash(file)]))
}

async function fetched(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}

test('every page of the web is listed once, in rows of the promised form', async () => {
  const keys = ['url', 'timestamp', 'status', 'mime', 'digest', 'file', 'offset', 'length']
  for (const row of rows) {
    assert.deepEqual(Object.keys(row), keys)
    assert.match(row.timestamp, /^\d{14}$/)
    assert.match(row.digest, /^sha256:[0-9a-f]{64}$/)
    assert.equal(typeof row.status, 'number')
  }
  const urls = rows.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
  assert.deepEqual(urls.toSorted(), web.expectedUrls().toSorted())
  assert.deepEqual(
    await listCaptures(data, seed),
    rows.filter(({ url }) => url === seed),
  )
  assert.equal((await listCaptures(data, '--limit', '3')).length, 3)
})

test('a listing is also a table and one JSON object', async () => {
  const listed = await runMinga('archive', 'list', '--data', data)
  const table = listed.stdout.toString()
  assert.match(table, /^TIME .*ADDRESS\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/)
  assert.match(table, / text\/html = /)
  assert.match(listed.stderr, /= unchanged: the same content as an earlier capture/)
  assert.ok(table.includes(seed))
  const json = JSON.parse(await mingaOutput('archive', 'list', '--json', '--data', data)) as {
    captures: unknown[]
  }
  assert.deepEqual(json.captures, rows)
})

test('captures of every kind come back from a running station as the web serves them', async () => {
  const up = ['up', '--data', data, '--port', '0', '--no-agent', '--workers', '0']
  const station = await startProcess(process.execPath, [MINGA, ...up])
  await station.waitOutput(/Minga is up/, 20_000)
  assert.deepEqual(await listCaptures(data), rows)
  const pages = rows.filter(({ status }) => status === 200)
  const ofEachType = [...new Map(pages.map((row) => [row.mime, row.url])).values()]
  const revisits = pages.filter(({ url }) => /\/copy\/[12]$/.test(url)).map(({ url }) => url)
  assert.equal(revisits.length, 2)
  for (const url of [...ofEachType, ...revisits]) {
    const { code, stdout } = await runMinga('archive', 'get', url, '--data', data)
    assert.equal(code, 0)
    assert.deepEqual(stdout, await fetched(url), url)
  }
  const verified = await runMinga('archive', 'verify', '--data', data)
  assert.equal(verified.code, 0, verified.stdout.toString() + verified.stderr)
  station.signal('SIGTERM')
  assert.equal((await station.waitExit(20_000)).code, 0)
})

test('a page that was sent compressed can be had raw, and its headers alone', async () => {
  const { stdout: raw } = await runMinga('archive', 'get', seed, '--raw', '--data', data)
  assert.deepEqual(gunzipSync(raw), await fetched(seed))
  const headers = await mingaOutput('archive', 'get', seed, '--headers', '--data', data)
  assert.match(headers, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(headers, /content-encoding: gzip\r\n/i)
})

test('a time may be a year, a day, a listed timestamp or an ISO date', async () => {
  const row = rows.find(({ url }) => url === seed)
  const stamp = row!.timestamp
  const day = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`
  for (const at of [stamp, stamp.slice(0, 6), `${day}T23:59:59+00:00`]) {
    const { code } = await runMinga('archive', 'get', seed, '--at', at, '--data', data)
    assert.equal(code, 0, at)
  }
  const early = await runMinga('archive', 'get', seed, '--at', '2001', '--data', data)
  assert.equal(early.code, 1)
  assert.ok(early.stderr.includes(stamp), early.stderr)
  const odd = await runMinga('archive', 'get', seed, '--at', 'yesterday', '--data', data)
  assert.equal(odd.code, 2)
})

test('an address that was not captured ends with 1 and what is near', async () => {
  const slash = await runMinga('archive', 'get', `${seed}/`, '--data', data)
  assert.equal(slash.code, 1)
  assert.equal(slash.stdout.length, 0)
  assert.ok(slash.stderr.includes(`${seed} of`), slash.stderr)
  const short = await runMinga('archive', 'get', 'example.org', '--data', data)
  assert.equal(short.code, 1)
  assert.match(short.stderr, /https:\/\/example\.org\//)
  const nowhere = await runMinga('archive', 'list', '--data', inFolder('mistyped'))
  assert.equal(nowhere.code, 2)
  assert.equal(statSync(inFolder('mistyped'), { throwIfNoEntry: false }), undefined)
})

test('a crawl of a site that is down fails with its cause and remedy, and is tried again', async () => {
  const options = ['--data', inFolder('down'), '--retries', '0', '--allow-private-addresses']
  const failed = await runMinga('crawl', 'http://127.0.61.250:8080/', ...options)
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /: failed\n/)
  assert.match(failed.stderr, /Nothing was captured: no server is listening .* Check that the site/)
  const again = await runMinga('crawl', 'http://127.0.61.250:8080/', ...options, '--json')
  assert.equal(again.code, 1)
  const { outcome, failed: count, problem } = JSON.parse(again.stdout.toString()) as CrawlTotals
  assert.deepEqual([outcome, count, problem.code], ['failed', 1, 'MINGA_CONNECT_REFUSED'])
})

interface CrawlTotals {
  outcome: string
  failed: number
  problem: { code: string }
}

test('a reader that leaves early is no error', async () => {
  const child = startMinga('archive', 'list', '--jsonl', '--data', data)
  const errors: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdout?.destroy()
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(Buffer.concat(errors).toString(), '')
  assert.equal(code, 0)
})

test('warcio and gzip of Python read every record, and the index is in byte order', async () => {
  const archive = createRequire(new URL('../../packages/archive/package.json', import.meta.url))
  const { WARCParser } = (await import(archive.resolve('warcio'))) as {
    WARCParser: new (source: AsyncIterable<Uint8Array>) => AsyncIterable<{
      warcType: string | null
      warcTargetURI: string | null
      readFully(isContentEncoding: boolean): Promise<Uint8Array>
    }>
  }
  const seen: string[] = []
  for await (const record of new WARCParser(createReadStream(firstWarc(data)))) {
    await record.readFully(false)
    if (record.warcType === 'response' || record.warcType === 'revisit') {
      seen.push(record.warcTargetURI ?? '')
    }
  }
  const listed = rows.map(({ url }) => url)
  assert.deepEqual(seen.toSorted(), listed.toSorted())
  const count = 'import gzip,sys;print(gzip.open(sys.argv[1]).read().count(b"WARC/1.1\\r\\n"))'
  const records = execFileSync('python3', ['-c', count, firstWarc(data)])
    .toString()
    .trim()
  assert.equal(Number(records), 1 + 3 * listed.length)
  const index = join(archiveOf(data), 'index.cdxj')
  execFileSync('sort', ['-c', index], { env: { ...process.env, LC_ALL: 'C' } })
  assert.equal(readFileSync(index, 'utf8').trimEnd().split('\n').length, listed.length)
})

test('a check of a whole archive succeeds and changes nothing', async () => {
  const copy = copyOf('untouched')
  const asItWas = contents(copy)
  const { code, stdout, stderr } = await runMinga('archive', 'verify', '--data', copy)
  assert.equal(code, 0, stdout.toString() + stderr)
  assert.equal(stdout.length, 0)
  assert.deepEqual(contents(copy), asItWas)
})

test('a flipped byte is named with its file, its record and its capture', async () => {
  const copy = copyOf('flipped')
  const row = rows.find(({ url }) => url === seed)!
  const bytes = readFileSync(firstWarc(copy))
  bytes[row.offset + row.length - 30]! ^= 0x40
  writeFileSync(firstWarc(copy), bytes)
  const asItWas = contents(copy)
  const { code, stdout } = await runMinga('archive', 'verify', '--data', copy)
  assert.equal(code, 1)
  const place = `archive-main-000000.warc.gz, offset ${row.offset}:`
  assert.ok(stdout.toString().includes(place), stdout.toString())
  assert.ok(stdout.toString().includes(seed))
  assert.deepEqual(contents(copy), asItWas)
  const json = await runMinga('archive', 'verify', '--json', '--data', copy)
  const result = JSON.parse(json.stdout.toString()) as { ok: boolean; findings: object[] }
  assert.equal(result.ok, false)
  assert.ok(result.findings.length >= 2)
})

test('a truncated or missing file is named, not repaired', async () => {
  const copy = copyOf('truncated')
  truncateSync(firstWarc(copy), Math.floor(statSync(firstWarc(copy)).size / 2))
  const asItWas = contents(copy)
  const cut = await runMinga('archive', 'verify', '--data', copy)
  assert.equal(cut.code, 1)
  assert.match(cut.stdout.toString(), /archive-main-000000\.warc\.gz, offset \d+: short-file/)
  assert.match(cut.stdout.toString(), /capture-lost/)
  assert.deepEqual(contents(copy), asItWas)
  rmSync(firstWarc(copy))
  const gone = await runMinga('archive', 'verify', '--data', copy)
  assert.equal(gone.code, 1)
  assert.match(gone.stdout.toString(), /archive-main-000000\.warc\.gz, offset 0: missing-file/)
})

test('an index, a database or a tail that does not fit is named', async () => {
  const copy = copyOf('misfits')
  const index = join(archiveOf(copy), 'index.cdxj')
  const lines = readFileSync(index, 'utf8')
  const verdict = async (): Promise<{ code: number | null; said: string }> => {
    const { code, stdout } = await runMinga('archive', 'verify', '--data', copy)
    return { code, said: stdout.toString() }
  }
  writeFileSync(index, lines.replace(/"offset":"\d+"/, '"offset":"7"'))
  assert.match((await verdict()).said, /index\.cdxj, offset \d+: index-differs/)
  writeFileSync(index, lines.split('\n').toReversed().join('\n'))
  assert.match((await verdict()).said, /index-order/)
  rmSync(index)
  assert.match((await verdict()).said, /index-missing/)
  // A station, also one of a single command, writes it again.
  await mingaOutput('watch', 'forecast', '--data', copy)
  assert.equal(readFileSync(index, 'utf8'), lines)
  assert.deepEqual(await verdict(), { code: 0, said: '' })
  writeFileSync(firstWarc(copy), 'strange', { flag: 'a' })
  assert.match((await verdict()).said, /not-a-record/)
  writeFileSync(join(copy, 'minga.db'), 'no database at all'.repeat(1000))
  assert.match((await verdict()).said, /minga\.db, offset 0: database/)
})

/** Not synchronously: the fake web answers from this process. */
async function wgetWarc(name: string, ...args: string[]): Promise<string> {
  const warc = inFolder(name)
  const quiet = ['-q', '-r', '-l', '2', '-P', inFolder(`${name}-pages`), '--warc-file', warc]
  const wget = spawn('wget', [...quiet, ...args, seed], { stdio: 'ignore', timeout: 60_000 })
  const [code] = (await once(wget, 'close')) as [number]
  // It ends with 8 when something it followed was missing, as robots.txt is here.
  assert.ok(code === 0 || code === 8, `wget ended with ${code}`)
  return args.includes('--no-warc-compression') ? `${warc}.warc` : `${warc}.warc.gz`
}

test('a file that wget made comes in once and its pages come back', async () => {
  const warc = await wgetWarc('wget')
  const into = inFolder('imported')
  const first = await mingaOutput('archive', 'import', warc, '--json', '--data', into)
  const { captures } = JSON.parse(first) as { captures: number }
  assert.ok(captures > 5)
  const imported = await listCaptures(into)
  assert.equal(imported.length, captures)
  for (const { url } of imported.filter(({ status }) => status === 200).slice(0, 3)) {
    const { stdout } = await runMinga('archive', 'get', url, '--data', into)
    assert.deepEqual(stdout, await fetched(url))
  }
  const again = await runMinga('archive', 'import', warc, '--data', into)
  assert.match(again.stderr, /was imported before/)
  copyFileSync(warc, inFolder('another-name.warc.gz'))
  await mingaOutput('archive', 'import', inFolder('another-name.warc.gz'), '--data', into)
  assert.deepEqual(await listCaptures(into), imported)
  assert.equal((await runMinga('archive', 'verify', '--data', into)).code, 0)
})

test('plain, badly packed and damaged files are repacked and what is lost is named', async () => {
  const plain = await wgetWarc('plain', '--no-warc-compression')
  const bytes = readFileSync(plain)
  const shared = inFolder('shared.warc.gz')
  writeFileSync(shared, gzipSync(bytes))
  const damaged = inFolder('damaged.warc.gz')
  const good = readFileSync(inFolder('wget.warc.gz'))
  good[Math.floor(good.length / 2)]! ^= 0xff
  writeFileSync(damaged, good.subarray(0, -200))
  const into = inFolder('repacked')
  const counts: number[] = []
  for (const file of [plain, shared, damaged]) {
    const { code, stdout, stderr } = await runMinga(
      'archive',
      'import',
      file,
      '--json',
      '--data',
      into,
    )
    assert.equal(code, 0, stderr)
    counts.push((JSON.parse(stdout.toString()) as { captures: number }).captures)
    if (file === damaged) assert.match(stderr, /damaged\.warc\.gz, offset \d+: (bad|trunc)/)
  }
  const [ofPlain, ofShared, ofDamaged] = counts as [number, number, number]
  assert.equal(ofShared, ofPlain)
  assert.ok(ofDamaged > 0 && ofDamaged <= ofPlain)
  const { stdout } = await runMinga('archive', 'get', seed, '--data', into)
  assert.deepEqual(stdout, await fetched(seed))
  const verified = await runMinga('archive', 'verify', '--data', into)
  assert.equal(verified.code, 0, verified.stdout.toString())
})

test('what is no WARC is refused and leaves nothing behind', async () => {
  const into = inFolder('refused')
  const junk = inFolder('junk.warc.gz')
  writeFileSync(junk, 'not a WARC at all '.repeat(500))
  for (const file of [inFolder('absent.warc.gz'), folder]) {
    const { code, stderr } = await runMinga('archive', 'import', file, '--data', into)
    assert.equal(code, 2)
    assert.match(stderr, /cannot be read: .*\(MINGA_UNREADABLE_FILE\)/)
    assert.ok(!existsSync(into))
  }
  const { code, stderr } = await runMinga('archive', 'import', junk, '--data', into)
  assert.equal(code, 2)
  assert.match(stderr, /was not imported: .*\(MINGA_BAD_IMPORT\)/)
  const left = readdirSync(archiveOf(into)).filter((name) => name !== 'index.cdxj')
  assert.deepEqual(left, [])
})

test('an import that is killed at any moment goes on and adds nothing twice', async () => {
  const warc = inFolder('wget.warc.gz')
  const calm = inFolder('calm')
  await mingaOutput('archive', 'import', warc, '--data', calm)
  const stormy = inFolder('stormy')
  const kills = process.env['MINGA_LONG'] === '1' ? 40 : 3
  for (let i = 0; i < kills; i++) {
    const child = startMinga('archive', 'import', warc, '--data', stormy)
    await sleep(150 + i * (1_500 / kills))
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await mingaOutput('archive', 'import', warc, '--data', stormy)
  assert.deepEqual(await listCaptures(stormy), await listCaptures(calm))
  const verified = await runMinga('archive', 'verify', '--data', stormy)
  assert.equal(verified.code, 0, verified.stdout.toString())
})

test('an exported WACZ holds the archive, and its WARC imports to the same captures', async () => {
  const wacz = inFolder('all.wacz')
  await mingaOutput('archive', 'export', '--wacz', wacz, '--data', data)
  const unpacked = inFolder('unpacked')
  execFileSync('python3', ['-m', 'zipfile', '-e', wacz, unpacked])
  const warc = join(unpacked, 'archive', 'archive-main-000000.warc.gz')
  assert.deepEqual(readFileSync(warc), readFileSync(firstWarc(data)))
  const into = inFolder('back')
  await mingaOutput('archive', 'import', warc, '--data', into)
  const facts = ({ url, timestamp, digest }: { url: string; timestamp: string; digest: string }) =>
    `${url} ${timestamp} ${digest}`
  const there = (await listCaptures(into)).map(facts)
  assert.deepEqual(there, rows.map(facts))
  for (const n of [0, 2]) {
    const url = new URL(`/copy/${n}`, seed).href
    const { stdout } = await runMinga('archive', 'get', url, '--data', into)
    assert.deepEqual(stdout, await fetched(url))
  }
})

test('a part of the archive is exported with the originals that it refers to', async () => {
  const copies = rows.filter(({ url }) => /\/copy\/\d$/.test(url)).map(({ url }) => url)
  const last = copies.at(-1)!
  const wacz = inFolder('part.wacz')
  const said = await mingaOutput(
    'archive',
    'export',
    '--wacz',
    wacz,
    '--url-prefix',
    last,
    '--json',
    '--data',
    data,
  )
  assert.equal((JSON.parse(said) as { pages: number }).pages, 1)
  const unpacked = inFolder('part')
  execFileSync('python3', ['-m', 'zipfile', '-e', wacz, unpacked])
  const into = inFolder('part-back')
  await mingaOutput(
    'archive',
    'import',
    join(unpacked, 'archive', 'selection.warc.gz'),
    '--data',
    into,
  )
  const { stdout } = await runMinga('archive', 'get', last, '--data', into)
  assert.deepEqual(stdout, await fetched(last))
  assert.ok((await listCaptures(into)).length <= 2)
  const none = await runMinga(
    'archive',
    'export',
    '--wacz',
    wacz,
    '--url-prefix',
    'http://none/',
    '--data',
    data,
  )
  assert.equal(none.code, 2)
})
