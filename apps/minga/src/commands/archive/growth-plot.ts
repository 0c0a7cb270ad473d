/** What is stored over time, drawn with letters. */
import type { GrowthSample } from '@minga/protocol'
import { formatBytes } from '../../progress.ts'

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
