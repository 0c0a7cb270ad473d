/** `minga simulate`: experiments on the real code with virtual time and a virtual network. */
import type { Command } from 'commander'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Run } from '../../run-program.ts'
import { wholeNumber } from '../../options.ts'
import { makeFiguresFolder, scenarioText, writeFigures } from './files.ts'
import { simulatePartitionCommand } from './partition.ts'
import { progressLine } from './progress.ts'
import { simulateRevisitCommand } from './revisit.ts'

interface FleetOptions {
  scenario?: string
  seed: number
  scale?: number
  perAgentDelay?: boolean
  out?: string
  json?: boolean
}

/** What the simulator offers. It is loaded by address when it is asked for: it stands on top of
 * all rooms, this one included, and no other command should wait for it. */
interface Simulator {
  fleetSimulation(
    scenario: string | null,
    options: { seed: number; scale: number | null; perAgentDelay: boolean },
    onProgress: (done: number, total: number) => void,
  ): Promise<{ text: string; json: string; files: { name: string; content: string }[] }>
}

const SIMULATOR = new URL('../../../../../simulate/fleet/fleet-main.ts', import.meta.url)

export function simulateCommand(program: Command, run: Run): void {
  const simulate = program
    .command('simulate')
    .description('replay experiments on the real code with virtual time')
  simulateRevisitCommand(simulate, run)
  simulatePartitionCommand(simulate, run)
  simulate
    .command('fleet')
    .description('threads, blocks, agents, strategies and distances of a simulated fleet')
    .option('--scenario <file>', 'JSON: which experiments, sizes and seeds')
    .option('--seed <n>', 'the first seed', wholeNumber('--seed'), 1)
    .option('--scale <share>', 'share of 10,000 addresses', share)
    .option('--per-agent-delay', 'also D1 where each agent keeps the delay alone')
    .option('--out <dir>', 'write fleet.csv and one SVG per figure')
    .option('--json', 'print the report as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((options: FleetOptions) => simulateFleet(options)))
}

const EXAMPLES = `
Examples:
  minga simulate fleet                               all experiments, small, within a minute
  minga simulate fleet --scale 1 --out figures       at full size; takes an hour
  minga simulate fleet --per-agent-delay --seed 7 --json

A scenario file: {"experiments": ["agents"], "dataSets": ["D2"], "agents": [0, 1, 2], "seeds": 10}
`

async function simulateFleet(options: FleetOptions): Promise<number> {
  const { scenario, seed, scale, perAgentDelay, out } = options
  const text = await scenarioText(scenario)
  await makeFiguresFolder(out)
  const simulator = (await import(SIMULATOR.href)) as Simulator
  const settings = { seed, scale: scale ?? null, perAgentDelay: perAgentDelay ?? false }
  const output = await simulator.fleetSimulation(text, settings, progressLine('runs'))
  process.stdout.write(options.json ? `${output.json}\n` : output.text)
  if (out !== undefined) await writeFigures(out, output.files)
  return EXIT.ok
}

function share(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number > 0 && number <= 1)) {
    throw new BadOption('--scale', 'a number above 0, at most 1', value)
  }
  return number
}
