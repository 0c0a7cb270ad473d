/** Weighted versions per policy as horizontal bars with their intervals, in one SVG text. */
import type { Interval } from './bootstrap.ts'

export interface Bar {
  name: string
  value: number
  interval: Interval
}

const WIDTH = 760
const ROW = 24
const TOP = 48
const LEFT = 190
const RIGHT = 90

export function barPlot(title: string, bars: readonly Bar[]): string {
  const height = TOP + ROW * bars.length + 16
  const most = Math.max(...bars.map(({ interval, value }) => Math.max(interval[1], value)), 1)
  const x = (value: number): number =>
    Math.round(10 * (LEFT + (value / most) * (WIDTH - LEFT - RIGHT))) / 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${safe(title)}">`,
    STYLE,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="12" y="24">${safe(title)}</text>`,
    ...bars.flatMap((bar, i) => barLines(bar, TOP + ROW * i, x)),
    '</svg>',
    '',
  ].join('\n')
}

function barLines({ name, value, interval }: Bar, y: number, x: (v: number) => number): string[] {
  const middle = y + ROW / 2 - 3
  const [low, high] = [x(interval[0]), x(interval[1])]
  return [
    `<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${safe(name)}</text>`,
    `<rect class="bar" x="${LEFT}" y="${y}" width="${Math.max(0, x(value) - LEFT).toFixed(1)}" height="${ROW - 6}"/>`,
    `<line class="whisker" x1="${low}" y1="${middle}" x2="${high}" y2="${middle}"/>`,
    `<text x="${high + 6}" y="${middle + 4}">${value.toFixed(0)}</text>`,
  ]
}

const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .title { font-weight: 600 }
.page { fill: #fff } .bar { fill: #0072b2 } .whisker { stroke: #d55e00; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .page { fill: #16181c }
.bar { fill: #56b4e9 } .whisker { stroke: #e69f00 } }
</style>`

function safe(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
