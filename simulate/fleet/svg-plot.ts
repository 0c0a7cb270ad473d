/**
 * A small plotter: one figure as one SVG text. Points at named places along x, means with the bars
 * of their intervals, colours that suit light and dark pages.
 */

export interface PlotPoint {
  x: string
  mean: number
  /** Without it (NaN) there is no bar. */
  halfWidth: number
}

export interface Plot {
  title: string
  xLabel: string
  yLabel: string
  /** All places along x, in their order. */
  xs: readonly string[]
  isLine: boolean
  series: readonly { name: string; points: readonly PlotPoint[] }[]
}

const WIDTH = 720
const HEIGHT = 440
const LEFT = 76
const RIGHT = 16
const TOP = 64
const BOTTOM = 60
/** Series at the same position must not hide each other's bars. */
const SHIFT = 7
const CAP = 4

/** Tell apart for most kinds of colour blindness (Okabe and Ito), with a brighter set for dark. */
const LIGHT = ['#0072b2', '#d55e00', '#007a5a', '#a64d8f']
const DARK = ['#56b4e9', '#e69f00', '#2fc79b', '#e08fc8']

export function svgPlot(plot: Plot): string {
  const top = Math.max(...plot.series.flatMap(({ points }) => points.map(upperEnd)), 0)
  const ticks = ticksTo(top)
  const scale: Scale = {
    x: (place, shift) => LEFT + ((place + 0.5) / plot.xs.length) * (WIDTH - LEFT - RIGHT) + shift,
    y: (value) => HEIGHT - BOTTOM - (value / ticks.at(-1)!) * (HEIGHT - TOP - BOTTOM),
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${safe(plot.title)}">`,
    styles(),
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(plot.title, { x: LEFT, y: 22, className: 'title' }),
    ...legend(plot),
    ...axes(plot, ticks, scale),
    ...plot.series.flatMap((_, i) => drawSeries(plot, i, scale)),
    '</svg>',
    '',
  ].join('\n')
}

interface Scale {
  x: (place: number, shift: number) => number
  y: (value: number) => number
}

function upperEnd({ mean, halfWidth }: PlotPoint): number {
  return mean + (Number.isFinite(halfWidth) ? halfWidth : 0)
}

/** Round numbers from 0 to the first one that is not less than the top. */
function ticksTo(top: number): number[] {
  const rough = (top > 0 ? top : 1) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!
  const count = Math.ceil(top / step - 1e-9)
  return Array.from({ length: Math.max(1, count) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  )
}

function styles(): string {
  const colours = (palette: readonly string[]): string =>
    palette.map((colour, i) => `.s${i} { stroke: ${colour}; fill: ${colour} }`).join(' ')
  return `<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .title { font-weight: 600; font-size: 15px }
.page { fill: #fff } .axis { stroke: #555 } .grid { stroke: #ddd }
.bar { stroke-width: 1.5 } ${colours(LIGHT)}
@media (prefers-color-scheme: dark) { text { fill: #ddd } .page { fill: #16181c } .axis { stroke: #999 }
.grid { stroke: #333 } ${colours(DARK)} }
.line { fill: none; stroke-width: 2 }
</style>`
}

function axes(plot: Plot, ticks: readonly number[], { x, y }: Scale): string[] {
  const middle = (TOP + HEIGHT - BOTTOM) / 2
  return [
    ...ticks.map((tick) => line('grid', [LEFT, y(tick)], [WIDTH - RIGHT, y(tick)])),
    ...ticks.map((tick) =>
      text(tick.toLocaleString('en'), { x: LEFT - 8, y: y(tick) + 4, anchor: 'end' }),
    ),
    line('axis', [LEFT, TOP], [LEFT, y(0)]),
    line('axis', [LEFT, y(0)], [WIDTH - RIGHT, y(0)]),
    ...plot.xs.map((name, i) => text(name, { x: x(i, 0), y: y(0) + 20, anchor: 'middle' })),
    text(plot.xLabel, { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 14, anchor: 'middle' }),
    `<g transform="rotate(-90 18 ${middle})">${text(plot.yLabel, { x: 18, y: middle, anchor: 'middle' })}</g>`,
  ]
}

function legend({ series }: Plot): string[] {
  let x = LEFT
  return series.flatMap(({ name }, i) => {
    const at = x
    // About seven units per letter of the small text.
    x += 28 + 7 * name.length
    return [
      `<circle class="s${i % LIGHT.length}" cx="${at + 5}" cy="42" r="5"/>`,
      text(name, { x: at + 16, y: 46 }),
    ]
  })
}

function drawSeries(plot: Plot, index: number, { x, y }: Scale): string[] {
  const className = `s${index % LIGHT.length}`
  const shift = (index - (plot.series.length - 1) / 2) * SHIFT
  const placed = plot.series[index]!.points.map((point) => ({
    ...point,
    at: x(plot.xs.indexOf(point.x), shift),
  }))
  const path = placed.map(({ at, mean }) => `${round(at)},${round(y(mean))}`).join(' ')
  const bars = placed
    .filter(({ halfWidth }) => Number.isFinite(halfWidth))
    .flatMap(({ at, mean, halfWidth }) => {
      const [high, low] = [y(mean + halfWidth), y(Math.max(0, mean - halfWidth))]
      return [
        line(`bar ${className}`, [at, high], [at, low]),
        line(`bar ${className}`, [at - CAP, high], [at + CAP, high]),
        line(`bar ${className}`, [at - CAP, low], [at + CAP, low]),
      ]
    })
  return [
    ...(plot.isLine ? [`<polyline class="line ${className}" points="${path}"/>`] : []),
    ...bars,
    ...placed.map(
      ({ at, mean }) =>
        `<circle class="${className}" cx="${round(at)}" cy="${round(y(mean))}" r="4"/>`,
    ),
  ]
}

type At = readonly [number, number]

function line(className: string, from: At, to: At): string {
  const [x1, y1, x2, y2] = [...from, ...to].map(round)
  return `<line class="${className}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
}

function text(
  content: string,
  place: { x: number; y: number; anchor?: string; className?: string },
): string {
  const { x, y, anchor, className } = place
  const more = [
    anchor === undefined ? '' : ` text-anchor="${anchor}"`,
    className === undefined ? '' : ` class="${className}"`,
  ].join('')
  return `<text x="${round(x)}" y="${round(y)}"${more}>${safe(content)}</text>`
}

const round = (value: number): number => Math.round(value * 10) / 10

function safe(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
