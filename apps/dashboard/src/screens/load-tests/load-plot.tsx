/** Throughput and p95 against simultaneous visitors; the table of steps next to it has the same figures. */
import { useTranslation } from 'react-i18next'
import { useWidth } from '../../components/charts/use-width.ts'
import { loadShape, type LoadShape, type Point } from '../../live/load-shape.ts'
import { useFormat } from '../../components/use-format.ts'
import type { Capacity, StepSummary } from '../../api/station-api.ts'

const HEIGHT = 260
/** Until the page has measured itself. */
const WIDTH_FIRST = 320
const LABEL_GAP = 6

interface LoadPlotProps {
  steps: readonly StepSummary[]
  capacity: Capacity | null
  limitMs: number
}

export function LoadPlot({ steps, capacity, limitMs }: LoadPlotProps) {
  const { t } = useTranslation()
  const [box, width] = useWidth(WIDTH_FIRST)
  const shape = loadShape({ steps, capacity, limitMs, width, height: HEIGHT })
  return (
    <figure className="plot load-plot">
      <figcaption>
        <span className="key urls">{t('load.plot.rate')}</span>
        <span className="key bytes">{t('load.plot.p95')}</span>
        {shape.limitY === null ? null : <span className="key limit">{t('load.plot.limit')}</span>}
        {shape.estimate === null ? null : (
          <span className="key estimate">{t('load.plot.estimate')}</span>
        )}
      </figcaption>
      <div ref={box}>
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={t('load.plot.label')}
          viewBox={`0 0 ${width} ${HEIGHT}`}
        >
          <Estimate shape={shape} />
          <Axes shape={shape} />
          {shape.limitY === null ? null : (
            <line
              className="limit"
              x1={shape.left}
              x2={shape.right}
              y1={shape.limitY}
              y2={shape.limitY}
            />
          )}
          <Line points={shape.rates} name="rate" />
          <Line points={shape.latencies} name="latency" />
        </svg>
      </div>
    </figure>
  )
}

function Estimate({ shape: { estimate, top, bottom } }: { shape: LoadShape }) {
  if (estimate === null) return null
  const { from, to, at } = estimate
  return (
    <>
      <rect
        className="interval"
        x={from}
        y={top}
        width={Math.max(1, to - from)}
        height={bottom - top}
      />
      <line className="estimate" x1={at} x2={at} y1={top} y2={bottom} />
    </>
  )
}

function Axes({ shape }: { shape: LoadShape }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { left, right, bottom } = shape
  return (
    <>
      {shape.rateTicks.map(({ value, at }) => (
        <g key={value}>
          <line className="grid" x1={left} x2={right} y1={at} y2={at} />
          <text className="end" x={left - LABEL_GAP} y={at} dy="0.35em">
            {format.count(value)}
          </text>
        </g>
      ))}
      {shape.latencyTicks.map(({ value, at }) => (
        <text key={value} x={right + LABEL_GAP} y={at} dy="0.35em">
          {format.delay(value)}
        </text>
      ))}
      {shape.visitorTicks.map(({ value, at }) => (
        <text key={value} className="middle" x={at} y={bottom} dy="1.3em">
          {format.count(value)}
        </text>
      ))}
      <text className="middle" x={(left + right) / 2} y={bottom} dy="2.7em">
        {t('load.visitors')}
      </text>
    </>
  )
}

function Line({ points, name }: { points: readonly Point[]; name: 'rate' | 'latency' }) {
  return (
    <g className={name}>
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r={3.5} />
      ))}
    </g>
  )
}
