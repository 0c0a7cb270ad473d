/** The life of a collection: what was done and what waits, and when the queue may end. */
import type { CurvePoint } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { PlotTable } from '../../components/charts/plot-table.tsx'
import { useWidth } from '../../components/charts/use-width.ts'
import { useStation } from '../../api/use-station.ts'
import type { Collection } from '../../api/api-types.ts'
import { Loaded } from '../../components/loaded.tsx'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useZone } from '../../components/use-zone.ts'
import { curveShape, pathOf, type CurveShape } from './curve-shape.ts'
import { projectionOf, type Projection } from './projection.ts'

const EVERY_MS = 10_000
const HEIGHT = 220
const FIRST_PX = 600
const TABLE_ROWS = 12

export function CollectionCurve({ collection }: { collection: Collection }) {
  const { id, state, spec } = collection
  const isRunning = state === 'running'
  const query = useStation(['curve', id], 'GET /collections/{id}/curve', {
    params: { id },
    refetchInterval: isRunning ? EVERY_MS : false,
  })
  return (
    <Loaded query={query}>
      {({ points }) => (
        <Curve points={points} projection={projectionOf(points, { isRunning, limits: spec })} />
      )}
    </Loaded>
  )
}

function Curve({ points, projection }: { points: readonly CurvePoint[]; projection: Projection }) {
  const { t } = useTranslation()
  const format = useFormat()
  const [box, width] = useWidth(FIRST_PX)
  const last = points.at(-1)
  const zone = useZone()
  const shape = curveShape({ points, projection, width, height: HEIGHT, zone })
  const counts = {
    done: format.count((last?.found ?? 0) - (last?.queued ?? 0)),
    queued: format.count(last?.queued ?? 0),
  }
  return (
    <figure className="plot curve">
      <figcaption>
        <span className="key">
          {t('curve.done')} <b>{counts.done}</b>
        </span>
        <span className="key queued">
          {t('curve.queued')} <b>{counts.queued}</b>
        </span>
        {shape === null || shape.ahead === null ? null : (
          <span className="key ahead">{t('curve.estimate')}</span>
        )}
      </figcaption>
      <div ref={box}>
        {shape === null ? (
          <TooFew count={points.length} />
        ) : (
          <svg
            className="curve-lines"
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={t('curve.label', counts)}
          >
            <Axes shape={shape} />
            {shape.ahead === null ? null : <Ahead ahead={shape.ahead} />}
            <path className="queued" d={pathOf(shape.queued)} />
            <path className="done" d={pathOf(shape.done)} />
          </svg>
        )}
      </div>
      <ProjectionText projection={projection} />
      <CurveTable points={points} />
    </figure>
  )
}

function Axes({ shape }: { shape: CurveShape }) {
  const format = useFormat()
  const { left, right, bottom, countTicks, timeTicks, unit } = shape
  return (
    <g className="axes">
      {countTicks.map(({ value, y }) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y} y2={y} />
          <text x={left - 6} y={y + 4} textAnchor="end">
            {format.count(value)}
          </text>
        </g>
      ))}
      {timeTicks.map(({ at, x }) => (
        <text key={at} x={x} y={bottom + 20} textAnchor="middle">
          {format.tick(at, unit)}
        </text>
      ))}
    </g>
  )
}

function Ahead({ ahead }: { ahead: NonNullable<CurveShape['ahead']> }) {
  const { now, end, from, to } = ahead
  return (
    <g className="ahead">
      <path className="interval" d={`${pathOf([now, from, to])}Z`} />
      <path className="line" d={pathOf([now, end])} />
    </g>
  )
}

function ProjectionText({ projection }: { projection: Projection }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (projection.kind === 'none') {
    return projection.why === 'ended' ? null : (
      <p className="projection">
        <b>{t('projection.none')}</b> {t(`projection.why.${projection.why}`)}
      </p>
    )
  }
  const { at, from, to, by } = projection
  const interval =
    to === null
      ? t('projection.open', { from: format.moment(from) })
      : t('projection.between', { from: format.moment(from), to: format.moment(to) })
  return (
    <p className="projection">
      <b>{t('projection.about', { at: format.moment(at) })}</b> {interval}{' '}
      {t(`projection.by.${by}`)}
    </p>
  )
}

function CurveTable({ points }: { points: readonly CurvePoint[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const every = Math.max(1, Math.ceil(points.length / TABLE_ROWS))
  const rows = points.filter((_, i) => (points.length - 1 - i) % every === 0).toReversed()
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <PlotTable
        heads={[t('plot.time'), t('curve.done'), t('curve.queued'), t('figure.failed')]}
        rows={rows.map(({ at, found, queued, failed }) => ({
          key: at,
          cells: [
            format.moment(at),
            ...[found - queued, queued, failed].map((count) => format.count(count)),
          ],
        }))}
      />
    </details>
  )
}
