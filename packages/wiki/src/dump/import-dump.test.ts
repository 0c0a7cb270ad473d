// Goal: an import hands over everything once, in order and in bounded portions, and resumes after
// any end as if nothing had happened. Method: a sink in memory that checks the order of calls,
// fails on demand, and keeps checkpoints as a store would.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { sha1Of } from '../api/revision-sha1.ts'
import { DumpChanged, DumpDamaged, DumpRefused, DumpWithoutSite } from '../errors.ts'
import type { Page, Revision } from '../model.ts'
import type { DumpSource } from './compressed.ts'
import type { DumpTrouble } from './dump-model.ts'
import {
  importDump,
  type DumpCheckpoint,
  type DumpImport,
  type DumpProgress,
  type DumpSink,
  type PageEnd,
} from './import-dump.ts'
import { machinePrograms, type Programs } from './programs.ts'
import {
  dumpOf,
  pageXml,
  revisionXml,
  samplePage,
  sampleRevision,
  sampleSite,
} from '../../test/dump/sample-dump.ts'
import { writeDump } from './xml-writer.ts'

const NO_PROGRAMS: Programs = { ...machinePrograms, find: async () => null }
const OPTIONS: DumpImport = { clock: () => 0, programs: NO_PROGRAMS }

class MemorySink implements DumpSink {
  sites = 0
  readonly pages: Page[] = []
  readonly revisionIds: number[] = []
  readonly batches: Revision[][] = []
  readonly ends: (PageEnd & { pageId: number })[] = []
  readonly troubles: DumpTrouble[] = []
  logs = 0
  kept: DumpCheckpoint | null = null
  /** Calls that may still succeed. */
  callsLeft = Infinity
  private isBusy = false

  /** One call at a time, each of which takes a moment. */
  private async call(work: () => void): Promise<void> {
    assert.equal(this.isBusy, false, 'the sink was called before it was ready')
    this.isBusy = true
    await Promise.resolve()
    this.isBusy = false
    if (this.callsLeft === 0) throw new Error('killed')
    this.callsLeft -= 1
    work()
  }

  readonly site = (): Promise<void> => this.call(() => (this.sites += 1))
  readonly page = (page: Page): Promise<void> => this.call(() => this.pages.push(page))
  readonly revisions = (page: Page, revisions: Revision[]): Promise<void> =>
    this.call(() => {
      assert.deepEqual(page, this.pages.at(-1))
      assert.ok(revisions.every(({ pageId }) => pageId === page.pageId))
      this.batches.push(revisions)
      this.revisionIds.push(...revisions.map(({ revId }) => revId))
    })
  readonly pageEnd = (page: Page, end: PageEnd): Promise<void> =>
    this.call(() => this.ends.push({ ...end, pageId: page.pageId }))
  readonly log = (): Promise<void> => this.call(() => (this.logs += 1))
  readonly trouble = (trouble: DumpTrouble): Promise<void> =>
    this.call(() => this.troubles.push(trouble))
  readonly checkpoint = (checkpoint: DumpCheckpoint): Promise<void> =>
    this.call(() => (this.kept = JSON.parse(JSON.stringify(checkpoint)) as DumpCheckpoint))
}

function sourceOf(bytes: Buffer, piece = 30_000): DumpSource {
  return {
    size: bytes.length,
    path: null,
    async *read(from) {
      for (let at = from; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
    },
  }
}

/** Pages with three revisions of about 50 KB, so that checkpoints come after some ten pages. */
async function largeDump(
  pages: number,
  times = 2000,
): Promise<{ pieces: Buffer[]; revisionIds: number[] }> {
  const made = Array.from({ length: pages }, (_, index) => {
    const page = samplePage(index + 1)
    const revisions = [1, 2, 3].map((count) => {
      const text = `Text & <b>${index}</b> of ${count}. `.repeat(times)
      return sampleRevision(page.pageId, index * 3 + count, text, {
        parentId: count === 1 ? 0 : index * 3 + count - 1,
      })
    })
    return { page, revisions }
  })
  const attribution = { source: 'x', at: 0, licence: null }
  const xml = Buffer.concat(
    await Array.fromAsync(writeDump({ site: sampleSite(), pages: made, attribution })),
  )
  const begins = [...xml.toString('latin1').matchAll(/ {2}<page>/g)].map(({ index }) => index)
  const cuts = [0, ...begins.filter((_, index) => index % 5 === 4), xml.length]
  const pieces = cuts.slice(1).map((end, index) => xml.subarray(cuts[index], end))
  return {
    pieces,
    revisionIds: made.flatMap(({ revisions }) => revisions.map(({ revId }) => revId)),
  }
}

test('everything of a dump is handed over once, page by page and in small portions', async () => {
  const { pieces, revisionIds } = await largeDump(20)
  const sink = new MemorySink()
  const summary = await importDump(sourceOf(Buffer.concat(pieces)), sink, {
    ...OPTIONS,
    batchBytes: 80_000,
  })
  assert.equal(sink.sites, 1)
  assert.deepEqual(sink.revisionIds, revisionIds)
  assert.equal(sink.pages.length, 20)
  assert.deepEqual(
    sink.ends.map(({ revisions, isWhole, gaps }) => [revisions, isWhole, gaps.length]),
    Array.from({ length: 20 }, () => [3, true, 0]),
  )
  assert.deepEqual(
    sink.batches.slice(0, 4).map(({ length }) => length),
    [2, 1, 2, 1],
  )
  assert.deepEqual(summary, {
    pages: 20,
    revisions: 60,
    logs: 0,
    uploads: 0,
    gaps: 0,
    troubles: {},
  })
})

test('an import that is killed anywhere goes on behind its last checkpoint, whatever the dump is packed with', async () => {
  const { pieces, revisionIds } = await largeDump(36)
  const plain = Buffer.concat(pieces)
  const hasBzip2 = spawnSync('bzip2', ['--help']).error === undefined
  const bzip2 = (bytes: Buffer): Buffer =>
    spawnSync('bzip2', ['-c'], { input: bytes, maxBuffer: 1e9 }).stdout
  const files: [string, Buffer, Programs][] = [
    ['plain', plain, NO_PROGRAMS],
    ['gzip', gzipSync(plain), NO_PROGRAMS],
    ['zstd in frames', Buffer.concat(pieces.map((piece) => zstdCompressSync(piece))), NO_PROGRAMS],
  ]
  if (hasBzip2) {
    files.push(['multistream', Buffer.concat(pieces.map(bzip2)), NO_PROGRAMS])
    files.push(['bzip2 by its program', bzip2(plain), machinePrograms])
  }
  for (const [name, file, programs] of files) {
    const sink = new MemorySink()
    let kills = 0
    for (let calls = 40; ; calls += 10) {
      sink.callsLeft = calls
      const options = { ...OPTIONS, programs, from: sink.kept }
      try {
        await importDump(sourceOf(file), sink, options)
        break
      } catch (error) {
        assert.match(String(error), /killed/, name)
        kills += 1
        assert.ok(kills < 30, `${name} does not come forward`)
      }
    }
    assert.ok(kills >= 2, `${name} was killed ${kills} times`)
    assert.deepEqual([...new Set(sink.revisionIds)], revisionIds, name)
    assert.ok(
      sink.revisionIds.length < revisionIds.length * 2,
      `${name}: ${sink.revisionIds.length} handed over`,
    )
    assert.equal(new Set(sink.ends.map(({ pageId }) => pageId)).size, 36, name)
    assert.ok(
      sink.ends.every(({ isWhole, gaps }) => isWhole && gaps.length === 0),
      name,
    )
    assert.deepEqual(sink.troubles, [], name)
    assert.ok(sink.kept!.byte > 0 && sink.kept!.line > 1, name)
  }
})

test('going on at each checkpoint gives exactly the rest, with right lines', async () => {
  const { pieces, revisionIds } = await largeDump(40)
  const broken = Buffer.concat([...pieces.slice(0, -1), Buffer.from('  <odd/>\n'), pieces.at(-1)!])
  const line = broken.toString().slice(0, broken.indexOf('<odd/>')).split('\n').length
  const checkpoints: DumpCheckpoint[] = []
  const first = new MemorySink()
  const keep = first.checkpoint
  const sink = Object.assign(first, {
    checkpoint: async (checkpoint: DumpCheckpoint) => {
      checkpoints.push(checkpoint)
      await keep(checkpoint)
    },
  })
  await importDump(sourceOf(broken), sink, OPTIONS)
  assert.ok(checkpoints.length >= 3)
  for (const from of checkpoints) {
    const rest = new MemorySink()
    const summary = await importDump(sourceOf(broken), rest, { ...OPTIONS, from })
    assert.deepEqual(rest.revisionIds, revisionIds.slice(from.revisions))
    assert.equal(summary.revisions, revisionIds.length)
    assert.equal(rest.sites, 1)
    if (from.byte < broken.indexOf('<odd/>')) {
      assert.deepEqual(
        rest.troubles.map((trouble) => [trouble.code, trouble.line]),
        [['unknown-element', line]],
      )
    }
  }
})

test('a dump that is cut is imported up to the cut, and the rest when the whole file is there', async () => {
  const { pieces, revisionIds } = await largeDump(40)
  const packed = gzipSync(Buffer.concat(pieces))
  const sink = new MemorySink()
  const cut = sourceOf(packed.subarray(0, Math.floor(packed.length * 0.7)))
  await assert.rejects(importDump(cut, sink, OPTIONS), DumpDamaged)
  assert.ok(sink.revisionIds.length > 60, `${sink.revisionIds.length}`)
  assert.equal(sink.ends.at(-1)!.isWhole, false)
  assert.ok(sink.kept!.pages < sink.ends.length)
  await importDump(sourceOf(packed), sink, { ...OPTIONS, from: sink.kept })
  assert.deepEqual(new Set(sink.revisionIds), new Set(revisionIds))
  assert.equal(sink.ends.at(-1)!.isWhole, true)
})

test('a dump that is cut before anything can be read of it is damaged, not empty', async () => {
  const { pieces } = await largeDump(1)
  const packed = gzipSync(Buffer.concat(pieces)).subarray(0, 12)
  await assert.rejects(importDump(sourceOf(packed), new MemorySink(), OPTIONS), DumpDamaged)
})

test('a file that became smaller since is not gone on with', async () => {
  const { pieces } = await largeDump(20)
  const whole = Buffer.concat(pieces)
  const sink = new MemorySink()
  await importDump(sourceOf(whole), sink, OPTIONS)
  const smaller = sourceOf(whole.subarray(0, 1000))
  await assert.rejects(
    importDump(smaller, new MemorySink(), { ...OPTIONS, from: sink.kept }),
    DumpChanged,
  )
})

test('contradictions of a history are reported with its page', async () => {
  const site = '<siteinfo><sitename>W</sitename><base>http://w.example/</base></siteinfo>'
  const second = revisionXml(2, 'two', '<comment>x</comment>').replace(
    '<id>2</id>',
    '<id>2</id><parentid>9</parentid>',
  )
  const wrong = revisionXml(3)
    .replace('<id>3</id>', '<id>3</id><parentid>2</parentid>')
    .replace('</revision>', '<sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1></revision>')
  const sink = new MemorySink()
  const pages = `${pageXml(revisionXml(1) + second + wrong)}${pageXml(revisionXml(8).replace('<id>8</id>', '<id>8</id><parentid>7</parentid>'), 2)}`
  const summary = await importDump(sourceOf(dumpOf(site + pages, '0.10')), sink, OPTIONS)
  const kinds = sink.ends.map(({ gaps }) => gaps.map(({ kind, revId }) => `${kind} ${revId}`))
  assert.deepEqual(kinds, [['parent-missing 2', 'sha1-wrong 3'], []])
  assert.equal(summary.gaps, 2)
})

test('a dump that does not name its wiki needs the name as an option, and one of two wikis is refused', async () => {
  const nameless = dumpOf(pageXml(revisionXml(1)))
  await assert.rejects(importDump(sourceOf(nameless), new MemorySink(), OPTIONS), DumpWithoutSite)
  const sink = new MemorySink()
  await importDump(sourceOf(nameless), sink, { ...OPTIONS, site: sampleSite() })
  assert.deepEqual([sink.sites, sink.revisionIds], [1, [1]])
  const head = (base: string): string => `<siteinfo><base>${base}</base></siteinfo>`
  const twice = Buffer.concat([
    dumpOf(head('http://a.example/') + pageXml(revisionXml(1))),
    dumpOf(head('http://a.example/') + pageXml(revisionXml(2), 2)),
  ])
  const same = new MemorySink()
  await importDump(sourceOf(twice), same, OPTIONS)
  assert.deepEqual([same.sites, same.revisionIds], [1, [1, 2]])
  const other = Buffer.concat([
    twice,
    dumpOf(head('http://b.example/') + pageXml(revisionXml(3), 3)),
  ])
  const mixed = new MemorySink()
  await assert.rejects(importDump(sourceOf(other), mixed, OPTIONS), DumpRefused)
  assert.deepEqual(mixed.revisionIds, [1, 2])
})

test('of a dump with endless problems some are reported and all are counted', async () => {
  const bad = Array.from({ length: 3000 }, (_, index) => revisionXml(index + 1, '&what;')).join('')
  const sink = new MemorySink()
  const summary = await importDump(sourceOf(dumpOf(pageXml(bad))), sink, {
    ...OPTIONS,
    site: sampleSite(),
  })
  assert.equal(summary.troubles['bad-reference'], 3000)
  assert.equal(sink.troubles.length, 1000)
  assert.equal(sink.revisionIds.length, 3000)
})

test('progress rises to the size of the file, and a wish to stop is heard', async () => {
  const { pieces } = await largeDump(30)
  const packed = zstdCompressSync(Buffer.concat(pieces))
  const told: DumpProgress[] = []
  let now = 0
  const clock = (): number => (now += 400)
  await importDump(sourceOf(packed, 1000), new MemorySink(), {
    ...OPTIONS,
    clock,
    onProgress: (one) => told.push(one),
  })
  assert.ok(told.length > 3)
  assert.ok(
    told.every(({ position }, index) => index === 0 || position >= told[index - 1]!.position),
  )
  const last = told.at(-1)!
  assert.deepEqual(
    [last.position, last.size, last.revisions, last.pages],
    [packed.length, packed.length, 90, 30],
  )
  assert.ok(last.revisionsPerSecond > 0)
  const stop = new AbortController()
  const sink = new MemorySink()
  const stopping = { ...OPTIONS, clock, signal: stop.signal, onProgress: () => stop.abort() }
  await assert.rejects(importDump(sourceOf(packed, 1000), sink, stopping), { name: 'AbortError' })
  assert.ok(sink.revisionIds.length < 90)
})

test('random damage never crashes an import, never hangs it, and loses nothing that came before', async () => {
  const { pieces, revisionIds } = await largeDump(3, 2)
  const xml = Buffer.concat(pieces)
  const ends = [...xml.toString('latin1').matchAll(/<\/revision>/g)].map(({ index }) => index + 11)
  assert.equal(ends.length, revisionIds.length)
  const damage = fc.record({
    place: fc.nat({ max: xml.length - 1 }),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      fc.constantFrom(...'<>&/"!-]?'.split('').map((one) => Buffer.from(one))),
    ),
    isCut: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ place, bytes, isCut }) => {
      const broken = Buffer.from(xml)
      broken.set(bytes.subarray(0, xml.length - place), place)
      const sink = new MemorySink()
      const file = isCut ? broken.subarray(0, place + bytes.length) : broken
      try {
        await importDump(sourceOf(file, 500), sink, { ...OPTIONS, site: sampleSite() })
      } catch (error) {
        assert.ok(error instanceof DumpRefused, String(error))
      }
      const safe = ends.filter((end) => end <= place).length
      assert.deepEqual(sink.revisionIds.slice(0, safe), revisionIds.slice(0, safe))
      const texts = sink.batches
        .flat()
        .slice(0, safe)
        .map(({ slots, sha1 }) => sha1Of(slots[0]!.text!) === sha1)
      assert.ok(texts.every((isRight) => isRight))
    }),
    { seed: 44, numRuns: 600 },
  )
})
