/** `minga archive growth`: how fast the archive grows, and when its disk is full. */
import type { Command } from 'commander'
import type { ArchiveGrowthView, Growth, GrowthSample } from '@minga/protocol'
import { openApi } from '../../api.ts'
import { dataOption } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { print, printJson, tableText } from '../watch/text.ts'
import { formatBytes } from '../../progress.ts'
import { requireArchive } from './folder.ts'
import { withApi } from '../reach-api.ts'

export function growthCommand(archive: Command, run: Run): void {
  archive
    .command('growth')
    .description('bytes per day, and the day on which the disk or a limit is full')
    .addOption(dataOption())
    .option('--json', 'print the figures as one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run(showGrowth))
}

const EXAMPLES = `
Examples:
  minga archive growth
  minga archive growth --json | jq .archive.fullAt

Growth is the mean of whole weeks, so that weekdays do not matter; a single week far above the rest
is set aside and named. The interval holds the truth about nine times of ten.
`

/** Of the figures by collection. */
const COLLECTIONS_SHOWN = 10

async function showGrowth(options: { data: string; json?: boolean }): Promise<number> {
  return withApi(openApi(requireArchive(options.data)), async (api) => {
    const view = await api.get<ArchiveGrowthView>('/archive/growth')
    if (options.json) printJson(view)
    else print(growthText(view, process.stdout.columns ?? 80))
  })
}

export function growthText({ archive, collections }: ArchiveGrowthView, columns: number): string {
  const { capacityBytes, setAsideBytes, basis } = archive
  const lines = [
    ['stored', `${signedBytes(archive.bytes)}${roomText(capacityBytes)}`],
    ['growth', rateText(archive)],
    ['full', fullText(archive)],
  ]
  if (basis === 'days') lines.push(['', 'less than two weeks are known: weekdays may mislead'])
  if (setAsideBytes > 0) {
    lines.push(['', `one week brought ${signedBytes(setAsideBytes)} more; taken to happen once`])
  }
  const shown = collections.slice(0, COLLECTIONS_SHOWN)
  const table = shown.map((one) => [
    String(one.id),
    signedBytes(one.bytes),
    rateText(one),
    one.capacityBytes === null ? '-' : fullText(one),
    one.name,
  ])
  return [
    tableText(lines),
    growthPlot(archive.samples, columns),
    shown.length === 0
      ? ''
      : tableText([['COLLECTION', 'STORED', 'GROWTH', 'LIMIT REACHED', 'NAME'], ...table]),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const roomText = (capacityBytes: number | null): string =>
  capacityBytes === null ? '' : ` of ${signedBytes(capacityBytes)} that fit`

function rateText({ bytesPerDay: rate }: Growth): string {
  if (rate === null) return 'not known yet'
  return `${signedBytes(rate.likely)}/day [${signedBytes(rate.low)} to ${signedBytes(rate.high)}]`
}

const OUTLOOKS = {
  full: 'now',
  never: 'not in the foreseeable future',
  unknown: 'not known yet',
} as const

function fullText({ outlook, fullAt }: Growth): string {
  if (outlook !== 'dated') return OUTLOOKS[outlook]
  const [earliest, likely, latest] = [fullAt!.earliest, fullAt!.likely, fullAt!.latest].map(dayText)
  return `${likely} [${earliest} to ${latest}]`
}

const dayText = (at: number | null): string =>
  at === null ? 'not foreseeable' : new Date(at).toISOString().slice(0, 10)

const ROWS = 8
const COLUMNS_MOST = 72
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Empty when there is nothing to draw. */
export function growthPlot(samples: readonly GrowthSample[], columns: number): string {
  const most = samples.reduce((top, { bytes }) => Math.max(top, bytes), 0)
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || most === 0) return ''
  const title = signedBytes(most)
  const width = Math.max(10, Math.min(COLUMNS_MOST, columns - title.length - 3))
  const step = (last.at - first.at) / width
  const heights = Array.from({ length: width }, (_, i) => {
    const share = totalAt(samples, first.at + (i + 1) * step) / most
    return Math.round(Math.max(0, share) * ROWS * BARS.length)
  })
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const below = (ROWS - 1 - i) * BARS.length
    const line = heights.map((height) => barOf(height - below)).join('')
    return `${(i === 0 ? title : '').padStart(title.length)} ${line.trimEnd()}`.trimEnd()
  })
  const [from, to] = [first, last].map(({ at }) => new Date(at).toISOString().slice(0, 10))
  const dates = `${from!.padEnd(Math.max(0, width - to!.length))}${to}`
  return `${[...rows, `${' '.repeat(title.length)} ${dates}`].join('\n')}\n`
}

function barOf(height: number): string {
  if (height <= 0) return ' '
  return BARS[Math.min(height, BARS.length) - 1]!
}

/** What had been stored by then. */
function totalAt(samples: readonly GrowthSample[], at: number): number {
  return samples.findLast((sample) => sample.at <= at)?.bytes ?? samples[0]!.bytes
}

export function signedBytes(bytes: number): string {
  const text = formatBytes(Math.round(Math.abs(bytes)))
  return bytes <= -0.5 ? `-${text}` : text
}
