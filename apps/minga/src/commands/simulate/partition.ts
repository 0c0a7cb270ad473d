/** `minga simulate partition`: who fetches what, allocators compared on the same web. */
import type { Command } from 'commander'
import { EXIT } from '../../exit-codes.ts'
import { wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { makeFiguresFolder, scenarioText, writeFigures } from './files.ts'
import { progressLine } from './progress.ts'

interface PartitionOptions {
  scenario?: string
  seed: number
  full?: boolean
  out?: string
  json?: boolean
}

/** Loaded by address when it is asked for, as the fleet's simulator is. */
interface Simulator {
  partitionSimulation(
    scenario: string | null,
    options: { seed: number; isFull: boolean },
    onProgress: (done: number, total: number) => void,
  ): Promise<{ text: string; json: string; files: { name: string; content: string }[] }>
}

const SIMULATOR = new URL('../../../../../simulate/partition/partition-main.ts', import.meta.url)

export function simulatePartitionCommand(simulate: Command, run: Run): void {
  simulate
    .command('partition')
    .description('who fetches which host: hashing, maps, flat KL/FM and Minga on a synthetic web')
    .option(
      '--scenario <file>',
      'JSON: which allocators, pauses, numbers of robots, size and seeds',
    )
    .option('--seed <n>', 'the first seed', wholeNumber('--seed'), 1)
    .option('--full', 'everything, at full size; takes hours')
    .option('--out <dir>', 'write partition.csv, placements.csv and one SVG per figure')
    .option('--json', 'print the report as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((options: PartitionOptions) => simulatePartition(options)))
}

const EXAMPLES = `
Examples:
  minga simulate partition                           a twentieth of the size, about a minute
  minga simulate partition --full --out figures
  minga simulate partition --scenario mine.json --seed 7 --json

A scenario file, everything in it optional:
  {"scale": 0.1, "seeds": 10, "k": [2, 10, 30], "allocators": ["hash-host", "minga"],
   "politeness": ["adjusted", "tenfold"], "sources": ["rtt", "geo"], "weathers": ["churn"], "trends": []}

Allocators: hash-url hash-host hash-address rendezvous geographic thesis minga
Politeness: constant-15 constant-4.45 adjusted tenfold
Sources of distances: rtt geo coordinates
Weathers: calm lossy churn rough-counts unknown wide-lines
trends: numbers of robots for which the twelve trends are checked
`

async function simulatePartition(options: PartitionOptions): Promise<number> {
  const { scenario, seed, full, out } = options
  const text = await scenarioText(scenario)
  await makeFiguresFolder(out)
  const simulator = (await import(SIMULATOR.href)) as Simulator
  const settings = { seed, isFull: full ?? false }
  const output = await simulator.partitionSimulation(text, settings, progressLine('runs'))
  process.stdout.write(options.json ? `${output.json}\n` : output.text)
  if (out !== undefined) await writeFigures(out, output.files)
  return EXIT.ok
}
