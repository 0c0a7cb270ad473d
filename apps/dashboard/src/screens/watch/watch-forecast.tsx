/** When a watch is visited next, how sure that is and why, and the next visit set manually. */
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ForecastView, WatchDetail } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { useStationNow } from '../../components/ago.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { surenessOf } from './watch-list-asked.ts'

const EVERY_MS = 5_000
const ROWS = 20

export function WatchForecast({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const id = String(watch.id)
  const query = useStation(['watches', 'forecast', id], 'GET /watches/{id}/forecast', {
    params: { id },
    query: { limit: ROWS },
    refetchInterval: EVERY_MS,
  })
  return (
    <section className="card">
      <h2>{t('watch.forecast')}</h2>
      <Loaded query={query}>
        {(visits) =>
          visits.length === 0 ? (
            <p className="quiet">
              {t(watch.isActive ? 'watch.notPlanned' : 'watch.nothingPlanned')}
            </p>
          ) : (
            <>
              <Next forecast={visits.find(isPage) ?? visits[0]!} />
              {visits.length > 1 ? <Others visits={visits} /> : null}
            </>
          )
        }
      </Loaded>
      {may('watches:write') && watch.isActive ? <Override watch={watch} /> : null}
    </section>
  )
}

/** What is believed of a page is not what is believed of its feed. */
const isPage = ({ role }: ForecastView): boolean => role === 'page' || role === 'probe'

function Next({ forecast }: { forecast: ForecastView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const when = useWhen()
  const { plan, nextVisitAt, lastVisitAt, learning } = forecast
  const gapMs = nextVisitAt === null || lastVisitAt === null ? null : nextVisitAt - lastVisitAt
  const sureness = surenessOf(plan?.rateLow ?? null, plan?.rateHigh ?? null)
  return (
    <>
      <p className="forecast-line">
        <b>{when(forecast)}</b>
      </p>
      {learning === null ? null : <p>{t('watch.learning', { ...learning })}</p>}
      {plan === null ? null : (
        <>
          {learning === null ? (
            <p>
              <Sentence forecast={forecast} />
            </p>
          ) : null}
          <p className="quiet" lang="en">
            {plan.text}
          </p>
        </>
      )}
      <FiguresList
        figures={[
          { label: t('watch.gap'), value: gapMs === null ? '–' : format.span(Math.max(0, gapMs)) },
          {
            label: t('watch.chance'),
            value: plan?.chance == null ? '–' : format.percent(plan.chance),
          },
          {
            label: t('watch.ratePerDay'),
            value: plan?.ratePerDay == null ? '–' : format.rate(plan.ratePerDay),
          },
          {
            label: t('watch.rateSpan'),
            value:
              plan?.rateLow == null || plan.rateHigh === null
                ? '–'
                : `${format.rate(plan.rateLow)} – ${format.rate(plan.rateHigh)}`,
          },
          { label: t('watch.sureness'), value: sureness === null ? '–' : format.percent(sureness) },
          { label: t('watch.policy'), value: plan?.policy ?? '–' },
        ]}
      />
    </>
  )
}

/** The station's own sentence is in English; this one says what matters in the reader's language. */
function Sentence({ forecast }: { forecast: ForecastView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const { plan, nextVisitAt, outSince } = forecast
  // What is under way or due is not announced for a moment that has passed.
  if (outSince !== null || (nextVisitAt !== null && nextVisitAt <= now)) return null
  if (plan === null || nextVisitAt === null || plan.chance === null || plan.ratePerDay === null) {
    return t('watch.sentencePlain', { policy: plan?.policy ?? '' })
  }
  return t('watch.sentence', {
    moment: format.moment(nextVisitAt),
    chance: format.percent(plan.chance),
    rate: format.rate(plan.ratePerDay),
    low: format.rate(plan.rateLow ?? plan.ratePerDay),
    high: format.rate(plan.rateHigh ?? plan.ratePerDay),
  })
}

function useWhen(): (forecast: ForecastView) => string {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  return ({ outSince, nextVisitAt }) => {
    if (outSince !== null) return t('watch.underWay')
    if (nextVisitAt === null) return '–'
    return nextVisitAt <= now ? t('watch.dueNow') : format.moment(nextVisitAt)
  }
}

function Others({ visits }: { visits: readonly ForecastView[] }) {
  const { t } = useTranslation()
  const when = useWhen()
  const columns: Column<ForecastView>[] = [
    { label: t('watch.nextVisit'), cell: when },
    { label: t('captures.page'), isAddress: true, cell: ({ url }) => url },
    { label: t('watch.why'), cell: ({ plan }) => plan?.text ?? t('watch.notVisited') },
  ]
  return (
    <details>
      <summary>{t('watch.nextVisits')}</summary>
      <DataTable
        caption={t('watch.nextVisits')}
        columns={columns}
        rows={visits}
        keyOf={({ url }) => url}
      />
    </details>
  )
}

/** Once: the visit itself plans the one after it. */
function Override({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const set = useChange(
    (at: number) =>
      station('POST /watches/{id}/next-visit', { params: { id: watch.id }, body: { at } }),
    ['watches'],
  )
  const now = useChange(
    () => station('POST /watches/run', { body: { ids: [watch.id] } }),
    ['watches'],
  )
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const at = momentIn(typed)
    setIsWrong(at === null)
    if (at !== null) set.mutate(at)
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form inline">
      <Button isDisabled={now.isPending} onPress={() => now.mutate(undefined)}>
        {t('watch.visitNow')}
      </Button>
      <label className="choice">
        <b>{t('watch.nextVisitAt')}</b>
        <input
          type="datetime-local"
          value={typed}
          aria-invalid={isWrong}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Button type="submit" isDisabled={set.isPending}>
        {t('watch.setNextVisit')}
      </Button>
      {isWrong ? <p role="alert">{t('watch.momentWrong')}</p> : null}
      <Failure error={set.error ?? now.error} />
    </Form>
  )
}

/** What the user typed as a local date and time, in milliseconds; null when it is invalid. */
function momentIn(typed: string): number | null {
  const at = Date.parse(typed)
  return Number.isNaN(at) ? null : at
}
