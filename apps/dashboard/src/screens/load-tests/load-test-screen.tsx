import { useEffect } from 'react'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { events } from '../../api/event-stream.ts'
import { station } from '../../api/station.ts'
import { AddressList } from '../../components/address-list.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { LoadMark } from '../../components/load-mark.tsx'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { LoadNow } from './load-now.tsx'
import { LoadProof } from './load-proof.tsx'
import { LoadReport } from './load-report.tsx'
import type { LoadTestView } from '../../api/station-api.ts'

export const LoadTestScreen = permitted('load-tests:read', 'load.title', Test)

/** Before it begins the proof, while it lasts the figures and the way to stop it, then the report. */
function Test() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  const query = useLoadTest(id)
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('load.title')}</h1> : null}
      <Loaded query={query}>
        {(test) => (
          <>
            <Summary test={test} />
            {test.proof === null ? null : <LoadProof key={id} test={test} proof={test.proof} />}
            {isActive(test) ? <LoadNow key={id} test={test} /> : null}
            {isOver(test) ? <LoadReport key={id} id={id} /> : null}
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ test }: { test: LoadTestView }) {
  const { t } = useTranslation()
  const { host, id, reason } = test
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/load-tests">{t('load.title')}</Link> / {id}
          </p>
          <h1>{host}</h1>
        </div>
        {/* Rare news, unlike the figures: it is read out. */}
        <div role="status">
          <LoadMark test={test} />
        </div>
      </header>
      {reason === null ? null : <p lang="en">{reason}</p>}
      <Plan test={test} />
      <AddressList urls={test.plan.urls} />
    </section>
  )
}

function Plan({ test }: { test: LoadTestView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { plan, startedAt, endedAt } = test
  const { ceilings } = plan
  const figures = [
    { label: t('load.field.visitorsMax'), value: format.count(plan.visitorsMax) },
    { label: t('load.plan.step'), value: format.delay(plan.stepMs) },
    { label: t('load.plan.think'), value: format.delay(plan.thinkMs) },
    {
      label: t('load.plan.ceilings'),
      value: t('load.plan.ceilingsValue', {
        rate: format.count(ceilings.requestsPerSecond),
        bytes: format.bytes(ceilings.bytes),
        time: format.span(ceilings.durationMs),
      }),
    },
    {
      label: t('load.plan.stops'),
      value: t('load.plan.stopsValue', {
        p95: format.delay(ceilings.p95Ms),
        errors: format.percent(ceilings.errorRate),
      }),
    },
  ]
  if (startedAt !== null)
    figures.push({ label: t('collection.begun'), value: format.moment(startedAt) })
  if (endedAt !== null)
    figures.push({ label: t('collection.ended'), value: format.moment(endedAt) })
  return <FiguresList figures={figures} />
}

/** The user who watches may have to stop it: a broken stream must not show old figures for long. */
const POLL_MS = 2_000

/** A load test as it is now: by its stream of events while it runs, by asking before and when that broke. */
const isOver = ({ state }: Pick<LoadTestView, 'state'>): boolean =>
  state === 'finished' || state === 'aborted'
const isActive = ({ state }: Pick<LoadTestView, 'state'>): boolean =>
  state === 'preparing' || state === 'running'

function useLoadTest(id: string): UseQueryResult<LoadTestView> {
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['load-test', id],
    queryFn: () => station('GET /load-tests/{id}', { params: { id } }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOver(state.data) ? false : POLL_MS,
  })
  const isFollowed = query.data !== undefined && isActive(query.data)
  useEffect(() => {
    if (!isFollowed) return
    const gone = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { data } of events(`/load-tests/${id}/events`, gone.signal)) {
        queries.setQueryData(['load-test', id], JSON.parse(data) as LoadTestView)
      }
    }
    // Without the stream the test is asked for every few seconds.
    follow().catch(() => undefined)
    return () => gone.abort()
  }, [queries, id, isFollowed])
  return query
}
