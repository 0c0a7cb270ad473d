/**
 * `npm run bench:placement`: who fetches which host, on the web of `minga simulate partition` at full
 * size. Politeness is the same for every allocator and not part of the figures: only the placement
 * differs. Writes its table into docs/benchmarks.md with --write.
 *   node bench/placement.ts [--k 4,16] [--seeds 5] [--write]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  coarsenCrawl,
  hashOwner,
  linkGraph,
  nearnessOf,
  pageGraph,
  planPlacement,
  type NamedCrawlGraph,
  type Nearness,
  type Plan,
  type PlanInput,
} from '@minga/partition'
import { drawWorkload, thesisRules, type Workload } from '../simulate/partition/workload.ts'
import { weightedMetisText } from './partition-graphs.ts'
import { PARTITIONERS } from './partition-peers.ts'
import { figure, machineFacts, markdownTable, median, writePart } from './report.ts'

const { values } = parseArgs({
  options: {
    k: { type: 'string', default: '4,16' },
    seeds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})

/** As in the simulator: 25 KB at 250 KB/s, and two round trips for a page. */
const TRANSFER_MS = 100
const ROUND_TRIPS = 2
/** Of the fullest part over its share, for every allocator that takes such a limit. */
const IMBALANCE = 0.05

interface Web {
  graph: NamedCrawlGraph
  work: Workload
  seed: number
  k: number
}

interface Figures {
  exchange: number
  busiestMs: number
  meanMs: number
  imbalance: number
}

const folder = mkdtempSync(join(tmpdir(), 'minga-bench-placement-'))
const metis = PARTITIONERS.find(({ name }) => name === 'gpmetis')!
const missing = metis.prepare()
if (missing !== null) process.stderr.write(`gpmetis is left out: ${missing}\n`)

const PLACERS: Record<string, (web: Web) => Int32Array> = {
  'hash of the host': ({ work, k }) =>
    Int32Array.from(work.hostNames, (host) => hashOwner({ url: '', host, address: '' }, 'host', k)),
  'nearest agent': (web) => nearest(web, Infinity),
  'nearest agent with room': (web) => nearest(web, 1 + IMBALANCE),
  ...(missing === null ? { gpmetis: byMetis } : {}),
  'Minga, links alone': (web) => planOf(web, { weights: { latency: 0 } }).partOf,
  '**Minga**': (web) => planOf(web).partOf,
}

const rows: Record<string, string>[] = []
const joins: Record<string, string>[] = []
try {
  for (const k of values.k.split(',').map(Number)) compare(k)
} finally {
  rmSync(folder, { recursive: true })
}
const text = [
  machineFacts(new Date()),
  `10,039 hosts, 1,246,129 pages, 5.7 M links; medians of ${values.seeds} webs, in parentheses compared with the hash:`,
  markdownTable(rows),
  'An agent joins; what moves of all pages, and over the ideal of 1/(k+1):',
  markdownTable(joins),
].join('\n\n')
process.stdout.write(`${text}\n`)
if (values.write) writePart('placement', text)

function compare(k: number): void {
  const found = new Map<string, Figures[]>(Object.keys(PLACERS).map((name) => [name, []]))
  const moved: number[] = []
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const web = webOf(seed, k)
    for (const [name, place] of Object.entries(PLACERS)) {
      found.get(name)!.push(judge(web, place(web)))
    }
    moved.push(movedByJoin(web))
    process.stderr.write(`k = ${k}: web ${seed} of ${values.seeds}\n`)
  }
  const hash = found.get('hash of the host')!
  for (const [name, figures] of found) rows.push(rowOf(k, name, figures, hash))
  joins.push({
    k: String(k),
    'moved pages': percent(median(moved)),
    'over 1/(k+1)': figure(median(moved) * (k + 1)),
    most: figure(Math.max(...moved) * (k + 1)),
  })
}

function rowOf(
  k: number,
  name: string,
  figures: readonly Figures[],
  hash: readonly Figures[],
): Record<string, string> {
  const over = (key: keyof Figures): string => {
    const ratio = median(figures.map((each, i) => each[key] / hash[i]![key]))
    return ratio === 1 ? '' : ` (${percent(ratio - 1, true)})`
  }
  const of = (key: keyof Figures): number => median(figures.map((each) => each[key]))
  return {
    k: String(k),
    placement: name,
    'URLs exchanged': `${percent(of('exchange'))}${over('exchange')}`,
    'busiest agent h': `${figure(of('busiestMs') / 3_600_000)}${over('busiestMs')}`,
    'ms per page': `${figure(of('meanMs'))}${over('meanMs')}`,
    'fullest over its share': percent(of('imbalance'), true),
  }
}

function percent(share: number, signed = false): string {
  const size = `${figure(Math.abs(share) * 100)} %`
  if (!signed) return size
  return share < 0 ? `−${size}` : `+${size}`
}

function webOf(seed: number, k: number): Web {
  const work = drawWorkload(thesisRules(), seed)
  const tails = new Int32Array(work.linkHeads.length)
  for (let page = 0; page < work.pages; page++) {
    tails.fill(page, work.linkStarts[page], work.linkStarts[page + 1])
  }
  const pages = pageGraph(work.pages, tails, work.linkHeads)
  const graph = { names: work.hostNames, ...coarsenCrawl(pages, work.hostOf, work.hosts) }
  return { graph, work, seed, k }
}

/** Agents are the first k of the candidates, which stand anywhere. */
function msPerPage({ work }: Web, host: number, agent: number): number {
  const { rttMs, robots } = work.world
  return ROUND_TRIPS * rttMs[work.addressOf[host]! * robots + agent]! + TRANSFER_MS
}

function latencyOf(web: Web): Nearness {
  const size = { agents: web.k, vertices: web.work.hosts }
  return nearnessOf(size, (host, agent) => msPerPage(web, host, agent))
}

function planOf(web: Web, wishes: Partial<PlanInput> = {}): Plan {
  return planPlacement({
    graph: web.graph,
    parts: Array.from({ length: web.k }, (_, i) => ({ name: `agent ${i}`, capacity: 1 })),
    latency: latencyOf(web),
    imbalance: IMBALANCE,
    seed: web.seed,
    ...wishes,
  })
}

function movedByJoin(web: Web): number {
  const before = planOf(web)
  const previous = new Map(
    web.graph.names.map((host, i) => [host, before.parts[before.partOf[i]!]!.name]),
  )
  const more = { ...web, k: web.k + 1 }
  // As a station plans: what the newcomer must get, and as much again for the better.
  const mostMovedPages = (2 * web.work.pages) / more.k
  return planOf(more, { previous, mostMovedPages }).movedPages / web.work.pages
}

function nearest(web: Web, most: number): Int32Array {
  const { work, k } = web
  const limit = (most * work.pages) / k
  const loads = new Float64Array(k)
  const parts = new Int32Array(work.hosts)
  const agents = Array.from({ length: k }, (_, agent) => agent)
  // The large ones choose first: the small ones fit in anywhere.
  for (const host of bySize(work.pageCounts)) {
    const pages = work.pageCounts[host]!
    const near = agents.toSorted((a, b) => msPerPage(web, host, a) - msPerPage(web, host, b))
    const part = near.find((agent) => loads[agent]! + pages <= limit) ?? leastOf(loads)
    parts[host] = part
    loads[part]! += pages
  }
  return parts
}

function bySize(counts: Int32Array): number[] {
  return Array.from(counts.keys()).toSorted((a, b) => counts[b]! - counts[a]! || a - b)
}

function leastOf(loads: Float64Array): number {
  return loads.indexOf(Math.min(...loads))
}

/** As a user of METIS would do it: links cut, pages balanced, parts handed out as they come. */
function byMetis({ graph, seed, k }: Web): Int32Array {
  const metisFile = join(folder, 'web.graph')
  writeFileSync(metisFile, weightedMetisText(linkGraph(graph)))
  const scotchFile = join(folder, 'web.scotch')
  return metis.run({ metisFile, scotchFile, k, seed, out: join(folder, 'web.parts') }).parts
}

function judge(web: Web, parts: Int32Array): Figures {
  const { graph, work, k } = web
  const busy = new Float64Array(k)
  const pages = new Float64Array(k)
  for (let host = 0; host < work.hosts; host++) {
    const part = parts[host]!
    busy[part]! += work.pageCounts[host]! * msPerPage(web, host, part)
    pages[part]! += work.pageCounts[host]!
  }
  let sent = 0
  let all = 0
  for (const [i, links] of graph.links.entries()) {
    all += links
    if (parts[graph.tails[i]!] !== parts[graph.heads[i]!]) sent += links
  }
  for (const links of graph.insideLinks) all += links
  return {
    exchange: sent / all,
    busiestMs: Math.max(...busy),
    meanMs: busy.reduce((sum, ms) => sum + ms, 0) / work.pages,
    imbalance: Math.max(...pages) / (work.pages / k) - 1,
  }
}
