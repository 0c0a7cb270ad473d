/** A line for each volunteer over the days; who looks may put lines away. */
import { useCallback, useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { overTime, PlotCanvas, type Colour } from '../../components/charts/plot-frame.tsx'
import { POINTS_LEAST } from '../../components/time-axis.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { daysOf, linesOf, type LeaderLine, type Measure } from './leaderboard-series.ts'
import type { Contributions } from '../../api/station-api.ts'

/** A colour and a dash each: no two lines differ by colour alone. */
const LOOKS = [
  { colour: '--done', dash: [] },
  { colour: '--bytes', dash: [6, 4] },
  { colour: '--out', dash: [2, 3] },
  { colour: '--bad', dash: [10, 4] },
  { colour: '--info', dash: [10, 3, 2, 3] },
  { colour: '--quiet', dash: [4, 2] },
] as const

export function LeaderboardPlot({ view, measure }: { view: Contributions; measure: Measure }) {
  const { t } = useTranslation()
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const all = linesOf(view, measure, new Set())
  const lines = linesOf(view, measure, hidden)
  const toggle = (place: number): void =>
    setHidden((former) => {
      const next = new Set(former)
      if (!next.delete(place)) next.add(place)
      return next
    })
  return (
    <figure className="plot">
      <figcaption className="leader-lines">
        {all.map((line) => (
          <Checkbox
            key={line.place}
            isSelected={!hidden.has(line.place)}
            onChange={() => toggle(line.place)}
          >
            <span className="box" aria-hidden="true" />
            <svg viewBox="0 0 24 8" className={`leader-line l${line.place}`} aria-hidden="true">
              <path d="M0 4H24" />
            </svg>
            {line.name ?? t('leaders.unnamed')}
          </Checkbox>
        ))}
      </figcaption>
      {view.days < POINTS_LEAST ? (
        <TooFew count={view.days} />
      ) : (
        <Canvas view={view} lines={lines} measure={measure} />
      )}
    </figure>
  )
}

interface CanvasProps {
  view: Contributions
  lines: readonly LeaderLine[]
  measure: Measure
}

function Canvas({ view, lines, measure }: CanvasProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const shown = lines.map(({ place }) => place).join(' ')
  const draw = useCallback(
    (colour: Colour) => ({
      ...overTime(colour, format, {
        shown: (figure) => (measure === 'bytes' ? format.bytes(figure) : format.count(figure)),
        isDaily: true,
      }),
      series: [
        {},
        ...lines.map(({ place }) => ({
          width: 2,
          points: { show: false },
          stroke: colour(LOOKS[place]!.colour),
          dash: [...LOOKS[place]!.dash],
        })),
      ],
    }),
    // The lines are made again at every render; which of them are shown says whether they differ.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [measure, shown, format],
  )
  const values = lines.map((line) => line.values)
  return <PlotCanvas label={t('leaders.plot')} at={daysOf(view)} lines={values} draw={draw} />
}
