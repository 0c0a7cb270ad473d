/**
 * Reads a wiki that was imported, in a process of its own: texts at random, the words of a long page followed to
 * their authors, metrics of the whole wiki. Prints what it took as JSON.
 *   node bench/wiki-reads-main.ts DATA WIKI
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemClock } from '@minga/protocol'
import { openStore } from '@minga/store'
import {
  followPage,
  openRevisions,
  type Revisions,
  type StoredRevision,
  type WikiOperations,
} from '@minga/wiki'
import { timeMetrics, type MetricTimes } from './wiki-metrics.ts'

export interface ReadFigures {
  /** Random revisions, files out of the system's memory. */
  coldMs: number[]
  /** The same, again, with what the store has kept in memory. */
  warmMs: number[]
  /** Revisions of one page, next to each other. */
  nearMs: number[]
  /** Bytes of the texts read, and of each of them packed by gzip alone. */
  sampled: { rawBytes: number; gzipBytes: number }
  authorship: { revisions: number; meanBytes: number; seconds: number; tokens: number }
  metrics: MetricTimes[]
  peakMb: number
}

const READS = 1_000
const AUTHORED_REVISIONS = 5_000

async function opened<T>(data: string, work: (revisions: Revisions) => Promise<T>): Promise<T> {
  const operations = new URL('wiki-operations.ts', import.meta.url).href
  const store = await openStore<WikiOperations>({ data, operations, writer: 'bench' })
  const revisions = openRevisions({
    data,
    store,
    clock: systemClock,
  })
  try {
    return await work(revisions)
  } finally {
    await revisions.close()
    await store.close()
  }
}

/** Advice to the system to forget these files, and no others: a machine in use stays as it is. */
function forgetFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
  }
}

async function idsOf(revisions: Revisions, wiki: string, text: string): Promise<number[]> {
  const { rows } = await revisions.sql([wiki], text)
  return rows.map(([id]) => Number(id))
}

async function timeReads(
  revisions: Revisions,
  wiki: string,
  revIds: readonly number[],
  onText: (text: Uint8Array) => void = () => {},
): Promise<number[]> {
  const times: number[] = []
  for (const revId of revIds) {
    const startedMs = performance.now()
    const text = await revisions.text(wiki, revId)
    times.push(performance.now() - startedMs)
    if (text === null) throw new Error(`Revision ${revId} has no text.`)
    onText(text)
  }
  return times
}

async function timeAuthorship(
  revisions: Revisions,
  wiki: string,
  pageId: number,
): Promise<ReadFigures['authorship']> {
  let count = 0
  let bytes = 0
  async function* first(): AsyncGenerator<StoredRevision> {
    for await (const revision of revisions.history(wiki, { pageId }, { withText: true })) {
      count++
      bytes += revision.size ?? 0
      yield revision
      if (count === AUTHORED_REVISIONS) return
    }
  }
  const startedMs = performance.now()
  const tokens = (await followPage(first())).current().length
  const seconds = (performance.now() - startedMs) / 1_000
  return { revisions: count, meanBytes: bytes / count, seconds, tokens }
}

interface Chosen {
  /** At random from the whole wiki. */
  spread: number[]
  /** The smallest page that has enough revisions, the largest where none has. */
  pageId: number
  /** Of this page, in their order. */
  near: number[]
}

async function choose(revisions: Revisions, wiki: string): Promise<Chosen> {
  const ids = (text: string): Promise<number[]> => idsOf(revisions, wiki, text)
  const [pageId = 0] = await ids(
    `SELECT page_id FROM revisions GROUP BY page_id
     ORDER BY count(*) >= ${AUTHORED_REVISIONS} DESC, abs(count(*) - ${AUTHORED_REVISIONS}) LIMIT 1`,
  )
  const shown = 'SELECT rev_id FROM revisions WHERE has_text'
  const spread = await ids(`${shown} ORDER BY hash(rev_id) LIMIT ${READS}`)
  const near = await ids(`${shown} AND page_id = ${pageId} ORDER BY rev_id LIMIT ${READS}`)
  return { spread, pageId, near }
}

async function run(data: string, wiki: string): Promise<ReadFigures> {
  const { spread, pageId, near } = await opened(data, (revisions) => choose(revisions, wiki))
  forgetFiles(join(data, 'wiki'))
  return opened(data, async (revisions) => {
    const sampled = { rawBytes: 0, gzipBytes: 0 }
    const coldMs = await timeReads(revisions, wiki, spread)
    const warmMs = await timeReads(revisions, wiki, spread, (text) => {
      sampled.rawBytes += text.length
      sampled.gzipBytes += gzipSync(text).length
    })
    const nearMs = await timeReads(revisions, wiki, near)
    const authorship = await timeAuthorship(revisions, wiki, pageId)
    const metrics = await timeMetrics(revisions.ask([wiki]), systemClock.now())
    const peakMb = process.resourceUsage().maxRSS / 1_024
    return { coldMs, warmMs, nearMs, sampled, authorship, metrics, peakMb }
  })
}

if (import.meta.main) {
  const [data = '', wiki = ''] = process.argv.slice(2)
  console.log(JSON.stringify(await run(data, wiki)))
}
