/** What visits found on one axis of time, with what was said of them beforehand and what comes next. */
import { useTranslation } from 'react-i18next'
import type { WatchDay } from '@minga/protocol'
import type { ListedVisit } from '../../api/watches.ts'
import { TooFew } from '../../components/too-few.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useZone } from '../../components/use-zone.ts'
import { timeLine, type LineMark, type PlacedMark, type TimeLine } from './watch-time-line.ts'

const LANES: Record<LineMark, number> = { first: 20, changed: 20, looked: 44, lost: 68, failed: 92 }
const AXIS_Y = 110
const KINDS: readonly LineMark[] = ['first', 'changed', 'looked', 'lost', 'failed']

interface WatchTimeLineProps {
  visits: readonly ListedVisit[]
  days: readonly WatchDay[]
  now: number
  nextVisitAt: number | null
}

export function WatchTimeLine({ visits, ...options }: WatchTimeLineProps) {
  const { t } = useTranslation()
  const zone = useZone()
  const line = timeLine(visits, { ...options, zone })
  if (visits.length === 0) return <p className="quiet">{t('watch.notVisited')}</p>
  if (line === null) return <TooFew count={visits.length} />
  return (
    <>
      <figure className="time-line">
        <Legend />
        <Marks line={line} />
      </figure>
      <SaidAndFound line={line} />
    </>
  )
}

const at = (x: number): string => `${(100 * x).toFixed(2)}%`

function Marks({ line }: { line: TimeLine }) {
  const { t } = useTranslation()
  const format = useFormat()
  const counted = KINDS.map(
    (kind) => `${t(`timeLine.${kind}`)}: ${format.count(countOf(line, kind))}`,
  )
  const label = t('timeLine.summary', { from: format.moment(line.from), marks: counted.join(', ') })
  return (
    <svg height={AXIS_Y + 24} role="img" aria-label={label}>
      {[...new Set(Object.values(LANES))].map((y) => (
        <line key={y} className="lane" x1="0" x2="100%" y1={y} y2={y} />
      ))}
      {line.next === null ? null : (
        <rect
          className="ahead"
          x={at(line.now)}
          width={at(Math.max(0, line.next - line.now))}
          y="4"
          height={AXIS_Y - 4}
        />
      )}
      {line.marks.map((mark) => (
        <Mark key={`${mark.kind} ${mark.at}`} mark={mark} />
      ))}
      <line className="now" x1={at(line.now)} x2={at(line.now)} y1="0" y2={AXIS_Y} />
      {line.next === null ? null : (
        <svg x={at(line.next)} y={LANES.looked} overflow="visible">
          <title>{t('watch.nextVisit')}</title>
          <path className="planned" d="M-6 0L0-7L6 0L0 7Z" />
        </svg>
      )}
      <Axis line={line} />
    </svg>
  )
}

function countOf({ marks }: TimeLine, kind: LineMark): number {
  return marks.reduce((sum, mark) => sum + (mark.kind === kind ? mark.count : 0), 0)
}

function Mark({ mark }: { mark: PlacedMark }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { kind, x, count } = mark
  const text = `${t(`timeLine.${kind}`)}, ${format.moment(mark.at)}`
  return (
    <svg x={at(x)} y={LANES[kind]} overflow="visible">
      <title>{count === 1 ? text : `${text} (${format.count(count)})`}</title>
      <Sign kind={kind} />
    </svg>
  )
}

/** Shapes differ, not only colours. */
function Sign({ kind }: { kind: LineMark }) {
  if (kind === 'looked') return <circle className="looked" r="4" />
  if (kind === 'changed') return <circle className="changed" r="6" />
  if (kind === 'first') return <path className="first" d="M-6-6H6V6H-6Z" />
  if (kind === 'lost') return <path className="lost" d="M-4-4L4 4M4-4L-4 4" />
  return <path className="failed" d="M0-6V1M0 4.5V6" />
}

/** A label this close to an end of the axis would stand out beyond it. */
const EDGE = 0.08

/** The outermost names end where the axis does. */
function Axis({ line }: { line: TimeLine }) {
  const format = useFormat()
  return (
    <>
      <line className="axis" x1="0" x2="100%" y1={AXIS_Y} y2={AXIS_Y} />
      {line.ticks.map(({ x, at: moment }, i) => (
        <text
          key={x}
          x={at(x)}
          y={AXIS_Y + 16}
          textAnchor={x < EDGE ? 'start' : x > 1 - EDGE ? 'end' : 'middle'}
          className={i % 2 === 1 ? 'inner' : undefined}
        >
          {format.tick(moment, line.unit)}
        </text>
      ))}
    </>
  )
}

function Legend() {
  const { t } = useTranslation()
  return (
    <figcaption className="legend mark-key">
      {KINDS.map((kind) => (
        <span key={kind}>
          <svg viewBox="-8 -8 16 16" aria-hidden="true">
            <Sign kind={kind} />
          </svg>{' '}
          {t(`timeLine.${kind}`)}
        </span>
      ))}
      <span>
        <svg viewBox="-8 -8 16 16" aria-hidden="true">
          <path className="planned" d="M-6 0L0-7L6 0L0 7Z" />
        </svg>{' '}
        {t('watch.nextVisit')}
      </span>
    </figcaption>
  )
}

const SAID_HEIGHT = 100

/** As high as a change was said to be likely; filled where one was found. */
function SaidAndFound({ line }: { line: TimeLine }) {
  const { t } = useTranslation()
  const format = useFormat()
  const said = line.marks.filter(({ chance }) => chance !== null)
  if (said.length === 0) return null
  return (
    <figure className="time-line">
      <figcaption>
        <b>{t('timeLine.said')}</b> <span className="quiet">{t('timeLine.saidHelp')}</span>
      </figcaption>
      <svg height={SAID_HEIGHT + 16} role="img" aria-label={t('timeLine.saidHelp')}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="lane" x1="0" x2="100%" y1={heightOf(share)} y2={heightOf(share)} />
            <text x="0" y={heightOf(share) - 2}>
              {format.percent(share)}
            </text>
          </g>
        ))}
        {said.map(({ x, chance, kind, at: moment }) => (
          <svg key={`${kind} ${moment}`} x={at(x)} y={heightOf(chance!)} overflow="visible">
            <title>
              {t('timeLine.saidOne', {
                moment: format.moment(moment),
                chance: format.percent(chance!),
                found: t(`timeLine.${kind}`),
              })}
            </title>
            <Sign kind={kind} />
          </svg>
        ))}
      </svg>
    </figure>
  )
}

const heightOf = (share: number): number => 12 + (1 - share) * (SAID_HEIGHT - 12)
