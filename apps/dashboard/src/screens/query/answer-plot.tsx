/** A quick plot of an answer; the table next to it shows the same numbers. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Select } from '../../components/choice.tsx'
import { POINTS_LEAST, timeAxis, type TimeAxis } from '../../components/time-axis.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useZone } from '../../components/use-zone.ts'
import {
  guessPlot,
  PLOT_KINDS,
  plotData,
  shareOf,
  ticksOf,
  type Answer,
  type PlotChoice,
  type PlotData,
  type PlotKind,
} from './quick-plot.ts'

const SIZE = { width: 720, height: 300, left: 64, right: 12, top: 12, bottom: 54 } as const
const LABELS_MOST = 12
const LABEL_LENGTH = 12

export function AnswerPlot({ answer }: { answer: Answer }) {
  const { t } = useTranslation()
  const guess = guessPlot(answer)
  const [chosen, setChosen] = useState<PlotChoice | null>(null)
  const choice = chosen ?? guess
  if (choice === null) return <p className="quiet">{t('quickPlot.none')}</p>
  const data = plotData(answer, choice)
  return (
    <figure className="quick-plot">
      <figcaption className="form inline">
        <Select
          label={t('quickPlot.kind')}
          value={choice.kind}
          options={PLOT_KINDS.map((kind) => [kind, t(`quickPlot.kinds.${kind}`)])}
          onChange={(kind) => setChosen({ ...choice, kind })}
        />
        {(['x', 'y'] as const).map((axis) => (
          <Select
            key={axis}
            label={t(`quickPlot.${axis}`)}
            value={String(choice[axis])}
            options={answer.columns.map((column, place) => [String(place), column])}
            onChange={(place) => setChosen({ ...choice, [axis]: Number(place) })}
          />
        ))}
      </figcaption>
      {data.points.length === 0 ? (
        <p className="quiet">{t('quickPlot.empty')}</p>
      ) : data.axis === 'time' && isTooFew(data.points) ? (
        <TooFew count={data.points.length} />
      ) : (
        <Drawing data={data} choice={choice} answer={answer} />
      )}
      {data.left === 0 ? null : (
        <p className="quiet">
          {t('quickPlot.left', { count: data.points.length, left: data.left })}
        </p>
      )}
      <Twin data={data} choice={choice} answer={answer} />
    </figure>
  )
}

const isTooFew = (points: PlotData['points']): boolean =>
  new Set(points.map(({ x }) => x)).size < POINTS_LEAST

interface DrawingProps {
  data: PlotData
  choice: PlotChoice
  answer: Answer
}

function Drawing({ data, choice, answer }: DrawingProps) {
  const { t } = useTranslation()
  const { width, height } = SIZE
  const label = t('quickPlot.label', {
    kind: t(`quickPlot.kinds.${choice.kind}`),
    x: answer.columns[choice.x],
    y: answer.columns[choice.y],
    count: data.points.length,
  })
  return (
    <div className="plot-box" tabIndex={0} role="group" aria-label={label}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <Marks data={data} kind={choice.kind} />
      </svg>
    </div>
  )
}

function Marks({ data, kind }: { data: PlotData; kind: PlotKind }) {
  const { points, axis } = data
  const zone = useZone()
  const time =
    axis === 'time'
      ? timeAxis(
          points.map((point) => point.x),
          { zone },
        )
      : null
  const { width, height, left, right, top, bottom } = SIZE
  const values = points.map(({ y }) => y)
  // Bars are lengths: they begin at nothing.
  const zero = kind === 'bar' ? [0] : []
  const ticks = ticksOf(Math.min(...values, ...zero), Math.max(...values, ...zero))
  const [least, most] = [ticks[0]!, ticks.at(-1)!]
  const y = (value: number): number =>
    top + (1 - shareOf(value, least, most)) * (height - top - bottom)
  const places = points.map((point, i) => (axis === 'row' ? i + 0.5 : point.x))
  const [first, last] =
    axis === 'row'
      ? [0, points.length]
      : [time?.from ?? Math.min(...places), time?.to ?? Math.max(...places)]
  const x = (place: number): number => left + shareOf(place, first, last) * (width - left - right)
  const thick = Math.max(2, ((width - left - right) / points.length) * 0.7)
  return (
    <>
      <Axis ticks={ticks} y={y} />
      {kind === 'line' ? (
        <polyline points={points.map((point, i) => `${x(places[i]!)},${y(point.y)}`).join(' ')} />
      ) : null}
      {points.map((point, i) =>
        kind === 'bar' ? (
          <rect
            key={i}
            x={x(places[i]!) - thick / 2}
            y={Math.min(y(point.y), y(0))}
            width={thick}
            height={Math.max(1, Math.abs(y(point.y) - y(0)))}
          >
            <title>{`${point.label}: ${point.y}`}</title>
          </rect>
        ) : kind === 'scatter' || points.length <= LABELS_MOST * 5 ? (
          <circle key={i} cx={x(places[i]!)} cy={y(point.y)} r={3}>
            <title>{`${point.label}: ${point.y}`}</title>
          </circle>
        ) : null,
      )}
      {time === null ? (
        <Labels data={data} x={(i) => x(places[i]!)} />
      ) : (
        <Moments axis={time} x={x} />
      )}
    </>
  )
}

function Axis({ ticks, y }: { ticks: readonly number[]; y: (value: number) => number }) {
  const format = useFormat()
  const { width, left, right } = SIZE
  return ticks.map((tick) => (
    <g key={tick}>
      <line className="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
      <text className="end" x={left - 8} y={y(tick) + 4}>
        {format.count(tick)}
      </text>
    </g>
  ))
}

function Moments({ axis, x }: { axis: TimeAxis; x: (at: number) => number }) {
  const format = useFormat()
  const { height, bottom } = SIZE
  return axis.ticks.map((at) => (
    <text key={at} className="middle" x={x(at)} y={height - bottom + 18}>
      {format.tick(at, axis.unit)}
    </text>
  ))
}

/** A few, evenly: more would stand on top of each other. */
function Labels({ data, x }: { data: PlotData; x: (i: number) => number }) {
  const { points, axis } = data
  const step = Math.ceil(points.length / (axis === 'row' ? LABELS_MOST : 6))
  const { height, bottom } = SIZE
  return points.map((point, i) => {
    if (i % step !== 0) return null
    const { label } = point
    const text = label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1)}…` : label
    return (
      <text
        key={i}
        className="end"
        transform={`translate(${x(i) + 4} ${height - bottom + 14}) rotate(-30)`}
      >
        {text}
      </text>
    )
  })
}

const TWIN_ROWS = 100

function Twin({ data, choice, answer }: DrawingProps) {
  const { t } = useTranslation()
  return (
    <details>
      <summary>{t('plot.table')}</summary>
      <div className="plot-box" tabIndex={0} role="group" aria-label={t('plot.table')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{answer.columns[choice.x]}</th>
              <th scope="col" className="number">
                {answer.columns[choice.y]}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.points.slice(0, TWIN_ROWS).map((point, i) => (
              <tr key={i}>
                <td className="address">{point.label}</td>
                <td className="number">{point.y}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
