/** `minga partition`: partition a graph into parts of equal weight with few links between them. */
import type { GraphFile, Partition, PartitionOptions, Stage } from '@minga/partition'
import type { Command } from 'commander'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { append, wholeNumber } from '../../options.ts'
import { STANDARD_OUTPUT } from '../../output-place.ts'
import type { Run } from '../../run-program.ts'
import { readGraphFile, readNumbers, requireOut, writeParts } from './files.ts'

interface Options {
  parts: number
  out?: string
  imbalance: number
  preset: 'fast' | 'default' | 'strong'
  method: 'multilevel' | 'thesis'
  seed: number
  threads: number
  format?: 'metis' | 'edges'
  fixed?: string
  cost?: string
  previous?: string
  migration: number
  capacity?: string[]
  json?: boolean
}

export function partitionCommand(program: Command, run: Run): void {
  program
    .command('partition')
    .description('partition a graph into parts of equal weight with few links between them')
    .argument('<graph>', 'METIS .graph or an edge list, gzip too; - is standard input')
    .requiredOption('-k, --parts <n>', 'number of parts', wholeNumber('-k', 1))
    .option('--out <file>', 'one part number per line, vertex by vertex; - is standard output')
    .option(
      '--imbalance <share>',
      'how much a part may exceed its fair share',
      amount('--imbalance'),
      0.03,
    )
    .option(
      '--preset <name>',
      'fast, default or strong',
      oneOf('--preset', ['fast', 'default', 'strong']),
      'default',
    )
    .option(
      '--seed <n>',
      'random seed; the same seed gives the same parts',
      wholeNumber('--seed'),
      1,
    )
    .option(
      '--threads <n>',
      'for independent starts; the parts stay the same',
      wholeNumber('--threads', 1),
      1,
    )
    .option('--fixed <file>', 'the part a vertex must be in, or -1, one line each')
    .option('--cost <file>', 'what a vertex costs in each part, one line with K numbers each')
    .option('--previous <file>', 'an earlier part file; moving away from it costs')
    .option('--migration <cost>', 'of moving one vertex, times its size', amount('--migration'), 1)
    .option('--capacity <weight>', 'the most a part may hold, once per part in order', append)
    .option(
      '--format <name>',
      'metis or edges; by the name of the file otherwise',
      oneOf('--format', ['metis', 'edges']),
    )
    .option(
      '--method <name>',
      'multilevel or thesis (flat k-way KL/FM, for comparison)',
      oneOf('--method', ['multilevel', 'thesis']),
      'multilevel',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('before', EXAMPLES)
    .action(run((graph: string, options: Options) => partitionFile(graph, options)))
}

const EXAMPLES = `Examples:
  minga partition hosts.graph -k 8 --out hosts.parts
  minga partition links.edges.gz -k 32 --preset strong --threads 2 --out links.parts --json
  minga partition hosts.graph -k 9 --previous hosts.parts --migration 3 --out hosts.new
  minga partition hosts.graph -k 4 --cost latency.txt --fixed agents.txt --out hosts.parts

A part weighs at most (1 + imbalance) · ⌈total / K⌉. docs/partitioning.md explains files and methods.
`

async function partitionFile(file: string, options: Options): Promise<number> {
  const room = await import('@minga/partition')
  const { out } = options
  if (out === STANDARD_OUTPUT && options.json)
    throw new BadOption('--out', 'a file with --json', out)
  if (out !== undefined) await requireOut(out, file)
  const startedMs = performance.now()
  const read = await readGraphFile(room, file, options.format)
  const readMs = performance.now()
  const settings = await settingsOf(room, read, options)
  const found =
    options.method === 'thesis'
      ? room.thesisPartition(read.graph, settings)
      : await room.partitionInThreads(read.graph, settings, options.threads)
  const doneMs = performance.now()
  if (out !== undefined) await writeParts(out, found.parts)
  const seconds = { reading: (readMs - startedMs) / 1_000, partitioning: (doneMs - readMs) / 1_000 }
  report(file, read, found, { options, seconds })
  return EXIT.ok
}

async function settingsOf(
  room: typeof import('@minga/partition'),
  { graph, sizes }: GraphFile,
  options: Options,
): Promise<PartitionOptions> {
  const { parts: k, imbalance, preset, seed, migration } = options
  const { vertices: rows } = graph
  const parts = { rows, columns: 1, within: { least: -1, most: k - 1 } }
  const numbers = (name: string | undefined, shape: Parameters<typeof room.readTable>[2]) =>
    name === undefined ? undefined : readNumbers(room, name, shape)
  const previous = await numbers(options.previous, parts)
  return {
    k,
    imbalance,
    preset,
    seed,
    fixed: await numbers(options.fixed, parts),
    costs: await numbers(options.cost, { rows, columns: k, within: null }),
    previous,
    migrationCosts: previous?.map((_, v) => migration * (sizes?.[v] ?? 1)),
    capacities: capacitiesOf(options.capacity, k * graph.constraints),
    onStage: stageLines(graph.heads.length),
  }
}

function capacitiesOf(given: string[] | undefined, wanted: number): number[] | undefined {
  if (given === undefined) return undefined
  const values = given.flatMap((text) => text.split(',')).map(Number)
  if (values.length !== wanted || values.some((value) => !(value >= 0))) {
    throw new BadOption('--capacity', `${wanted} numbers from 0`, given.join(','))
  }
  return values
}

interface Circumstances {
  options: Options
  seconds: { reading: number; partitioning: number }
}

function report(
  file: string,
  { graph, repairs }: GraphFile,
  found: Partition,
  { options, seconds }: Circumstances,
): void {
  const { cut, cost, migration, imbalance, balanced, obstacles, loads } = found
  const memoryMb = process.resourceUsage().maxRSS / 1_000
  for (const obstacle of obstacles)
    process.stderr.write(`minga: ${obstacle}; this is the best effort.\n`)
  for (const [what, count] of Object.entries(repairs)) {
    if (count > 0)
      process.stderr.write(`minga: ${file}: ${count} ${REPAIRS[what as keyof typeof repairs]}\n`)
  }
  const { parts: k, method, preset, seed, out } = options
  if (options.json) {
    const facts = {
      vertices: graph.vertices,
      edges: graph.heads.length / 2,
      k,
      method,
      preset,
      seed,
    }
    const quality = { cut, cost, migration, imbalance, balanced, obstacles, loads: [...loads] }
    process.stdout.write(
      `${JSON.stringify({ ...facts, ...quality, repairs, seconds, memoryMb, ...(out === undefined ? {} : { out }) })}\n`,
    )
    return
  }
  const share = ((100 * cut) / Math.max(1, totalLinks(graph.edgeWeights))).toFixed(2)
  // Standard output is the parts' where they go there.
  const screen = out === STANDARD_OUTPUT ? process.stderr : process.stdout
  screen.write(
    `${graph.vertices} vertices, ${graph.heads.length / 2} edges, ${k} parts\n` +
      `cut ${cut} (${share} % of the links), imbalance ${(100 * imbalance).toFixed(2)} %${balanced ? '' : ', above its limit'}\n` +
      `${seconds.reading.toFixed(2)} s reading, ${seconds.partitioning.toFixed(2)} s partitioning, ${memoryMb.toFixed(0)} MB\n`,
  )
}

const REPAIRS = {
  loops: 'loops were dropped',
  duplicates: 'duplicate edges were merged, their weights added',
  asymmetric: 'edges lacked their way back or its weight; it was added',
  weightless: 'edges without weight were dropped',
}

function totalLinks(weights: Int32Array | Float64Array): number {
  let twice = 0
  for (let i = 0; i < weights.length; i++) twice += weights[i]!
  return twice / 2
}

function amount(option: string): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (value.trim() === '' || !(number >= 0 && number < Infinity)) {
      throw new BadOption(option, 'a number from 0', value)
    }
    return number
  }
}

function oneOf(option: string, names: readonly string[]): (value: string) => string {
  return (value) => {
    if (!names.includes(value)) throw new BadOption(option, `one of ${names.join(', ')}`, value)
    return value
  }
}

/** Below this a run is over before anybody could read about it. */
const LARGE_ARCS = 2_000_000

/** Progress of a partition on standard error: a line per stage, for graphs that take a while. */
function stageLines(arcs: number): (stage: Stage) => void {
  if (arcs < LARGE_ARCS) return () => {}
  const startedMs = performance.now()
  return ({ stage, vertices }) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    process.stderr.write(`minga: ${seconds} s: ${SAID[stage]} ${vertices} vertices\n`)
  }
}

const SAID: Record<Stage['stage'], string> = {
  coarsened: 'coarsened to',
  partitioned: 'partitioned',
  refined: 'refined',
}
