/** How the lines, bars and marks of a plot over days look on its canvas. */
import UPlot from 'uplot'

export type DayLook = 'line' | 'bar' | 'dot' | 'ring' | 'cross'
/** A colour of the page, by its name there. */
export type DayColour = '--done' | '--bytes' | '--bad' | '--quiet'

export interface DaySeries {
  label: string
  look: DayLook
  colour: DayColour
  values: readonly (number | null)[]
}

const MARK_PX = 4
const BAR_SHARE = 0.6
const BAR_PX_MOST = 24

export function seriesLook({ look }: DaySeries, colour: string, faint: string): UPlot.Series {
  if (look === 'line') return { stroke: colour, width: 2, points: { show: false } }
  if (look === 'bar') {
    const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, BAR_PX_MOST] })
    return {
      stroke: colour,
      fill: faint,
      points: { show: false },
      ...(bars ? { paths: bars } : {}),
    }
  }
  // Marks are drawn after the lines, over them.
  return { paths: () => null, points: { show: false } }
}

export function drawMarks(plot: UPlot, place: number, { look }: DaySeries, colour: string): void {
  if (look === 'line' || look === 'bar') return
  const { ctx } = plot
  const size = MARK_PX * devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = 2 * devicePixelRatio
  for (const [i, value] of plot.data[place]!.entries()) {
    if (value === null || value === undefined) continue
    const x = plot.valToPos(plot.data[0][i]!, 'x', true)
    const y = plot.valToPos(value, 'y', true)
    ctx.beginPath()
    if (look === 'cross') {
      ctx.moveTo(x - size, y - size)
      ctx.lineTo(x + size, y + size)
      ctx.moveTo(x - size, y + size)
      ctx.lineTo(x + size, y - size)
    } else ctx.arc(x, y, size, 0, 2 * Math.PI)
    if (look === 'dot') ctx.fill()
    else ctx.stroke()
  }
  ctx.restore()
}
