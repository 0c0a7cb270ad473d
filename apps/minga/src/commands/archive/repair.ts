/** `minga archive repair`: revisits that lead nowhere are led to the response with their payload. */
import type { Command } from 'commander'
import { systemClock, type RepairAnswer } from '@minga/protocol'
import { openApi, type Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { dataOption } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { requireArchive } from './folder.ts'
import { Output } from './output.ts'

export function repairCommand(archive: Command, run: Run): void {
  archive
    .command('repair')
    .description(
      'point revisits to the response that holds their payload, so that they can be shown',
    )
    .addOption(dataOption())
    .option('--dry-run', 'only print what would be repaired')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run(repairArchive))
}

const EXAMPLES = `
Examples:
  minga archive repair --dry-run
  minga archive repair && minga archive verify

Archives of older versions hold revisits that refer to another revisit, which replay tools cannot
follow. WARC files are not changed: a right record is appended, and the index leads to it. It may be
stopped at any time and run again, also while a station is running.

Exit code 0: every revisit has its payload; 1: some payloads are not in the archive, and a line on
stdout names each. Importing the file that holds them helps.
`

interface RepairOptions {
  data: string
  dryRun?: boolean
  json?: boolean
}

/** Of a large archive thousands may have lost their payload in one way. */
const LOST_SHOWN = 100

async function repairArchive(options: RepairOptions): Promise<number> {
  const { dryRun = false, json = false } = options
  const api = await openApi(requireArchive(options.data))
  const output = new Output()
  try {
    const total = { revisits: 0, repaired: 0, lost: 0 }
    const lost: RepairAnswer['lost'] = []
    const progress = new Progress()
    for await (const step of repairSteps(api, { onlyUnresolved: false, dryRun })) {
      total.revisits += step.checked
      total.repaired += step.repaired
      total.lost += step.lost.length
      lost.push(...step.lost.slice(0, LOST_SHOWN - lost.length))
      progress.say(`${total.revisits} revisits, ${total.repaired} repaired`)
    }
    progress.end()
    if (!dryRun) await api.post('/archive/index', {})
    if (json) await output.write(`${JSON.stringify({ dryRun, ...total, lostRevisits: lost })}\n`)
    else await writeLost(output, lost, total.lost)
    process.stderr.write(`minga: ${verdictOf(total, dryRun)}\n`)
    await output.end()
    return total.lost === 0 ? EXIT.ok : EXIT.error
  } finally {
    await api.close()
  }
}

async function writeLost(output: Output, lost: RepairAnswer['lost'], count: number): Promise<void> {
  for (const { url, timestamp } of lost) {
    await output.write(`lost: ${url} of ${timestamp}: its payload is not in the archive\n`)
  }
  if (count > lost.length) await output.write(`… and ${count - lost.length} more\n`)
}

function verdictOf(
  { revisits, repaired, lost }: { revisits: number; repaired: number; lost: number },
  dryRun: boolean,
): string {
  const done = dryRun ? `${repaired} would be repaired` : `${repaired} repaired`
  return `${revisits} revisits: ${done}, ${lost} without their payload`
}

/** Step by step, each whole by itself. */
export async function* repairSteps(
  api: Api,
  how: { onlyUnresolved: boolean; dryRun: boolean },
): AsyncGenerator<RepairAnswer> {
  for (let afterId: number | null = 0; afterId !== null;) {
    const step: RepairAnswer = await api.post<RepairAnswer>('/archive/repair', { ...how, afterId })
    yield step
    afterId = step.next
  }
}

const PROGRESS_EVERY_MS = 10_000
const PROGRESS_ON_TERMINAL_MS = 200

/** Now and then: how far it is. */
class Progress {
  readonly #isTerminal = process.stderr.isTTY ?? false
  #saidAtMs = systemClock.monotonicMs()

  say(text: string): void {
    const now = systemClock.monotonicMs()
    const everyMs = this.#isTerminal ? PROGRESS_ON_TERMINAL_MS : PROGRESS_EVERY_MS
    if (now - this.#saidAtMs < everyMs) return
    this.#saidAtMs = now
    process.stderr.write(this.#isTerminal ? `\r\u001B[2K${text}` : `minga: ${text}\n`)
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write('\r\u001B[2K')
  }
}
