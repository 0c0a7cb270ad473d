/**
 * `npm run bench:partition`: cut, balance, time and memory next to gpmetis and scotch_gpart on generated
 * graphs and on METIS files given. Writes its table into docs/benchmarks.md with --write.
 *   node bench/partition.ts [--graphs web-10k,grid] [--k 8,32] [--seeds 5] [--presets default,strong]
 *     [--peers gpmetis] [--write] [FILE.graph …]
 */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { cutOf, readMetis, type Graph } from '@minga/partition'
import {
  delaunayLike,
  mesh2d,
  mesh3d,
  metisText,
  rmatGraph,
  scotchText,
  webGraph,
} from './partition-graphs.ts'
import { PARTITIONERS, TooSlow, type Partitioner, type Timed } from './partition-peers.ts'
import { figure, machineFacts, markdownTable, median, writePart } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    graphs: { type: 'string' },
    k: { type: 'string', default: '8,32' },
    seeds: { type: 'string', default: '5' },
    presets: { type: 'string', default: 'fast,default,strong' },
    peers: { type: 'string', default: 'gpmetis,scotch_gpart' },
    write: { type: 'boolean', default: false },
  },
})

const IMBALANCE = 0.03
const GRAPHS: Record<string, () => Graph> = {
  'web-10k': () => webGraph(10_000, 1),
  'web-100k': () => webGraph(100_000, 1),
  'web-1M': () => webGraph(1_000_000, 1),
  'rmat-17': () => rmatGraph(17, 8, 1),
  'mesh-2d': () => mesh2d(400),
  'mesh-3d': () => mesh3d(55),
  'delaunay-like': () => delaunayLike(400, 1),
}

interface Candidate {
  name: string
  graph: Graph
}

interface Outcome {
  cut: number
  seconds: number
  peakMb: number
  imbalance: number
}

const folder = mkdtempSync(join(tmpdir(), 'minga-bench-partition-'))
const wanted = new Set([
  ...values.peers.split(','),
  ...values.presets.split(',').map((name) => `Minga ${name}`),
])
const partitioners = PARTITIONERS.filter(({ name }) => wanted.has(name)).filter(isReady)
const rows: Record<string, string>[] = []
try {
  for await (const candidate of candidates()) {
    const files = writeFiles(candidate)
    for (const k of values.k.split(',').map(Number)) rows.push(...compare(candidate, files, k))
  }
} finally {
  rmSync(folder, { recursive: true })
}
const text = `${machineFacts(new Date())}\n\nMedians of ${values.seeds} seeds, 3 % imbalance; ratios to gpmetis:\n\n${markdownTable(rows)}`
process.stdout.write(`${text}\n`)
if (values.write) writePart('partition', text)

function isReady(partitioner: Partitioner): boolean {
  const reason = partitioner.prepare()
  if (reason !== null) process.stderr.write(`${partitioner.name} is left out: ${reason}\n`)
  return reason === null
}

async function* candidates(): AsyncGenerator<Candidate> {
  for (const name of values.graphs?.split(',') ??
    (positionals.length > 0 ? [] : Object.keys(GRAPHS))) {
    const make = GRAPHS[name]
    if (make === undefined)
      throw new Error(`There is no graph ${name}; there are ${Object.keys(GRAPHS).join(', ')}.`)
    yield { name, graph: make() }
  }
  for (const file of positionals) {
    const { graph } = await readMetis(file, createReadStream(file))
    yield { name: basename(file, '.graph'), graph }
  }
}

interface Files {
  metisFile: string
  scotchFile: string
}

function writeFiles({ name, graph }: Candidate): Files {
  const files = {
    metisFile: join(folder, `${name}.graph`),
    scotchFile: join(folder, `${name}.grf`),
  }
  writeFileSync(files.metisFile, metisText(graph))
  writeFileSync(files.scotchFile, scotchText(graph))
  return files
}

function compare({ name, graph }: Candidate, files: Files, k: number): Record<string, string>[] {
  let peer: { cut: number; seconds: number } | null = null
  return partitioners.map((partitioner) => {
    const outcomes = outcomesOf(partitioner, graph, files, k)
    const of = (key: keyof Outcome): number => median(outcomes.map((outcome) => outcome[key]))
    const [cut, seconds] = [of('cut'), of('seconds')]
    peer ??= { cut, seconds }
    process.stderr.write(`${name} k=${k} ${partitioner.name}: ${cut} in ${figure(seconds)} s\n`)
    const worst = Math.max(...outcomes.map(({ imbalance }) => imbalance))
    const isDone = outcomes.length > 0
    return {
      graph: name,
      k: String(k),
      who: partitioner.name,
      cut: isDone ? figure(cut) : 'too slow',
      'cut ×': isDone ? (cut / peer.cut).toFixed(3) : '–',
      'CPU s': figure(seconds),
      'time ×': isDone ? (seconds / peer.seconds).toFixed(1) : '–',
      'worst imbalance': isDone ? `${(100 * worst).toFixed(2)} %` : '–',
      'peak MB': figure(Math.round(of('peakMb'))),
    }
  })
}

/** One per seed; none when even one takes too long. */
function outcomesOf(partitioner: Partitioner, graph: Graph, files: Files, k: number): Outcome[] {
  const seeds = partitioner.isSeeded ? Number(values.seeds) : 1
  try {
    return Array.from({ length: seeds }, (_, i) => {
      const out = join(folder, 'parts')
      return judged(graph, k, partitioner.run({ ...files, k, seed: i + 1, out }))
    })
  } catch (error) {
    if (error instanceof TooSlow) return []
    throw error
  }
}

/** Cut and loads by the bench's own count, whatever a program says of itself. */
function judged(graph: Graph, k: number, { parts, cpuSeconds, peakMb }: Timed): Outcome {
  const loads = new Float64Array(k)
  let total = 0
  for (let v = 0; v < graph.vertices; v++) {
    loads[parts[v]!]! += graph.vertexWeights[v]!
    total += graph.vertexWeights[v]!
  }
  const imbalance = Math.max(...loads) / Math.ceil(total / k) - 1
  if (imbalance > IMBALANCE + 1e-9) {
    process.stderr.write(`above the imbalance: ${(100 * imbalance).toFixed(2)} %\n`)
  }
  return { cut: cutOf(graph, parts), seconds: cpuSeconds, peakMb, imbalance }
}
