/** `minga simulate revisit`: when to visit again, policies compared on the same histories. */
import type { Command } from 'commander'
import { readFile } from 'node:fs/promises'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { requireFile } from '../../output-place.ts'
import { wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { writeFigure } from './files.ts'
import { progressLine } from './progress.ts'

/** Of a URL in a day: one each second. More is a mistyped number, and a run without an end. */
const VISITS_MAX = 86_400

interface RevisitOptions {
  trace?: string
  regime?: string
  urls: number
  days: number
  budget: number
  policy?: string
  seed: number
  plot?: string
  json?: boolean
}

/** Loaded by address when it is asked for, as the fleet's simulator is. */
interface Simulator {
  regimeNames: readonly string[]
  revisitSimulation(
    options: {
      trace: string | null
      regime: string
      urls: number
      days: number
      budget: number
      policies: readonly string[]
      seed: number
    },
    onProgress: (done: number, total: number) => void,
  ): Promise<{ text: string; json: string; svg: string }>
}

const SIMULATOR = new URL('../../../../../simulate/revisit/revisit-main.ts', import.meta.url)

export function simulateRevisitCommand(simulate: Command, run: Run): void {
  simulate
    .command('revisit')
    .description('revisit policies, on a trace of changes or a synthetic web')
    .option('--trace <file>', 'histories, one JSON object per line')
    .option('--regime <name>', 'steady, seasonal, bursty, drifting, mixed, wiki or every-fetch')
    .option('--urls <n>', 'of a regime', wholeNumber('--urls', 1), 500)
    .option('--days <n>', 'of a regime', wholeNumber('--days', 1), 60)
    .option('--budget <visits>', 'visits per URL and day', positive('--budget'), 1)
    .option('--policy <names>', 'separated by commas; a file ending in .ts exports its own')
    .option('--seed <n>', 'of the regime and of chance', wholeNumber('--seed'), 1)
    .option('--table', 'print a table (the default)')
    .option('--plot <file>', 'write the weighted versions as SVG')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((options: RevisitOptions) => simulateRevisit(options)))
}

const EXAMPLES = `
Examples:
  minga simulate revisit --regime bursty --budget 0.3 --policy minga,random,uniform,oracle
  minga simulate revisit --trace changes.jsonl --budget 1 --policy simple,fixed:24 --json
  minga simulate revisit --policy ./mine.ts,minga --plot versions.svg

Policies: fixed:HOURS random uniform proportional simple notification history day-type exponential-gap
nutch cho azar lambda-crawl complete-observation minga minga:freshness oracle; types and a volume
compose, as in simple+notification+volume:0.2. fixed, simple, notification, history and nutch ignore
the budget.

A line of a trace, times in Unix seconds:
  {"url": "https://a.example/", "weight": 1, "changes": [86400], "start": 0, "end": 864000}
`

async function simulateRevisit(options: RevisitOptions): Promise<number> {
  const { trace, regime = 'mixed', urls, days, budget, seed, plot } = options
  if (trace !== undefined && options.regime !== undefined) {
    throw new BadOption('--regime', 'no value with --trace', options.regime)
  }
  if (plot !== undefined) await requireFile('--plot', plot)
  const simulator = (await import(SIMULATOR.href)) as Simulator
  if (!simulator.regimeNames.includes(regime)) {
    throw new BadOption('--regime', `one of ${simulator.regimeNames.join(', ')}`, regime)
  }
  const policies = (options.policy ?? '').split(',').filter((name) => name !== '')
  const text = trace === undefined ? null : await traceText(trace)
  const settings = { trace: text, regime, urls, days, budget, policies, seed }
  const output = await simulator.revisitSimulation(settings, progressLine('policies'))
  process.stdout.write(options.json ? `${output.json}\n` : output.text)
  if (plot !== undefined) await writeFigure(plot, output.svg)
  return EXIT.ok
}

async function traceText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new BadOption('--trace', 'a file that can be read', file)
  }
}

function positive(option: string): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (value.trim() === '' || !(number > 0 && number <= VISITS_MAX)) {
      throw new BadOption(option, `a number above 0, at most ${VISITS_MAX}`, value)
    }
    return number
  }
}
