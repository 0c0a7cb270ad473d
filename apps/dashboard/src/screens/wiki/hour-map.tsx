/** At which hours of the week edits happen: a table whose cells are as dark as they are busy. */
import { useTranslation } from 'react-i18next'
import type { WikiScope } from '../../api/wikis.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useHours } from './history-figures.ts'

/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000
const LEVELS = 5
/** Hours that are written out above the table. */
const NAMED_EVERY = 6

export function HourMap({ wiki, scope }: { wiki: string; scope: WikiScope }) {
  const { t } = useTranslation()
  const hours = useHours(wiki, scope)
  return (
    <section className="card">
      <h2>{t('wikiFigure.hours')}</h2>
      <Loaded query={hours}>{(counts) => <Map counts={counts} />}</Loaded>
      <p className="quiet">{t('wikiFigure.hoursNote')}</p>
    </section>
  )
}

function Map({ counts }: { counts: readonly (readonly number[])[] }) {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const weekday = (length: 'short' | 'long') =>
    new Intl.DateTimeFormat(i18n.language, { weekday: length, timeZone: 'UTC' })
  const [short, long] = [weekday('short'), weekday('long')]
  const busy = counts.flat().filter((edits) => edits > 0)
  const range = {
    least: busy.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    most: busy.reduce((a, b) => Math.max(a, b), 0),
  }
  return (
    <table className="hour-map">
      <caption className="unseen">{t('wikiFigure.hours')}</caption>
      <thead>
        <tr>
          <td />
          {counts[0]!.map((_, hour) => (
            <th key={hour} scope="col">
              <span className={hour % NAMED_EVERY === 0 ? '' : 'unseen'}>{hour}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {counts.map((row, day) => {
          const at = MONDAY + day * DAY_MS
          return (
            <tr key={day}>
              <th scope="row">
                <span aria-hidden="true">{short.format(at)}</span>
                <span className="unseen">{long.format(at)}</span>
              </th>
              {row.map((edits, hour) => (
                <td
                  key={hour}
                  className={`heat-${levelOf(edits, range)}`}
                  title={t('wikiFigure.hourLabel', {
                    day: long.format(at),
                    hour,
                    edits: format.count(edits),
                  })}
                >
                  <span>{edits === 0 ? '' : format.count(edits)}</span>
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** From the quietest hour with an edit to the busiest: hours that are all busy must not all look alike. */
function levelOf(edits: number, { least, most }: { least: number; most: number }): number {
  if (edits === 0) return 0
  const share = most === least ? 1 : (edits - least) / (most - least)
  return 1 + Math.round(share * (LEVELS - 1))
}
