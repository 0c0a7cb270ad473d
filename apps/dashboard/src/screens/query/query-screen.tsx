/** One query: how far it is, its plan, its rows as they come, its results when it is done. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { QueryPlanView, QueryView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { PlanGraph } from './plan-graph.tsx'
import { QueryMark } from './query-mark.tsx'
import { Results } from './results.tsx'
import { TaskBar } from './task-bar.tsx'
import { useQueryNews } from './use-query-news.ts'

const PLAN_EVERY_MS = 1_500

export function QueryScreen() {
  const { t } = useTranslation()
  const { id = '' } = useParams({ strict: false })
  return (
    <RequirePermission may="queries:read" title={t('query.title')}>
      <Query key={id} id={id} />
    </RequirePermission>
  )
}

function Query({ id }: { id: string }) {
  const { t } = useTranslation()
  const { query, rows, isLost } = useQueryNews(id)
  const plan = useQuery({
    queryKey: ['query-plan', id, query.data?.state],
    queryFn: () => station('GET /queries/{id}/plan', { params: { id } }),
    enabled: query.data !== undefined,
    placeholderData: (former) => former,
    refetchInterval: query.data?.state === 'running' ? PLAN_EVERY_MS : false,
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('query.title')}</h1> : null}
      {isLost ? (
        <p className="banner info" role="status">
          {t('query.lineLost')}
        </p>
      ) : null}
      <Loaded query={query}>
        {(view) => (
          <>
            <Summary view={view} />
            {view.error === null ? null : (
              <WhatFailed error={view.error} id={id} plan={plan.data ?? null} />
            )}
            <section className="card">
              <h2>{t('planGraph.title')}</h2>
              <Loaded query={plan}>{(drawn) => <PlanGraph plan={drawn} />}</Loaded>
            </section>
            <Results view={view} rows={rows} />
            <Rejects rejects={view.rejects} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ view }: { view: QueryView }) {
  const { t } = useTranslation()
  const { id, kind, queries, state, tasks } = view
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/queries">{t('query.title')}</Link> / <code>{id}</code>
          </p>
          <h1>
            {kind === 'query'
              ? queries.join(', ')
              : t(`query.kindOf.${kind}`, { name: queries[0] })}
          </h1>
        </div>
        {/* Rare news, unlike the figures: it is read out. */}
        <div role="status">
          <QueryMark state={state} />
        </div>
      </header>
      <TaskBar {...tasks} />
      <Figures view={view} />
      <Actions view={view} />
    </section>
  )
}

function Figures({ view }: { view: QueryView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { rowsRead, bytesRead, bytesTotal, etaMs, askedAt, endedAt, state, owner } = view
  const isRunning = state === 'running'
  const left =
    etaMs === null ? t('figure.unknown') : t('figure.leftAbout', { time: format.span(etaMs) })
  return (
    <FiguresList
      figures={[
        { label: t('query.rowsRead'), value: format.count(rowsRead) },
        {
          label: t('query.bytesRead'),
          value: t('query.ofTotal', {
            part: format.bytes(bytesRead),
            total: format.bytes(bytesTotal),
          }),
        },
        ...(isRunning ? [{ label: t('figure.left'), value: left }] : []),
        { label: t('query.asked'), value: format.moment(askedAt) },
        ...(endedAt === null
          ? []
          : [{ label: t('query.took'), value: format.delay(endedAt - askedAt) }]),
        { label: t('query.owner'), value: owner },
      ]}
    />
  )
}

function Actions({ view }: { view: QueryView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const navigate = useNavigate()
  const { id, state, kind } = view
  const cancel = useChange(
    () => station('POST /queries/{id}/cancel', { params: { id }, body: {} }),
    ['query', 'queries'],
  )
  const again = useChange(async () => {
    const next = await station('POST /queries/{id}/again', { params: { id }, body: {} })
    await navigate({ to: '/queries/$id', params: { id: next.id } })
  }, ['queries'])
  return (
    <div className="actions">
      {state === 'running' && may('queries:run') ? (
        <ConfirmButton
          label={t('query.cancel')}
          title={t('query.cancelTitle')}
          text={t('query.cancelText')}
          yes={t('query.cancelYes')}
          no={t('query.cancelNo')}
          onConfirm={() => cancel.mutate(undefined)}
        />
      ) : null}
      {kind !== 'compact' && may('queries:run') ? (
        <Button isDisabled={again.isPending} onPress={() => again.mutate(undefined)}>
          {t('query.again')}
        </Button>
      ) : null}
      <Link to="/tasks" search={{ query: id } as never} className="button">
        {t('query.itsTasks')}
      </Link>
      <Failure error={cancel.error ?? again.error} />
    </div>
  )
}

interface WhatFailedProps {
  error: NonNullable<QueryView['error']>
  id: string
  plan: QueryPlanView | null
}

function WhatFailed({ error, id, plan }: WhatFailedProps) {
  const { t } = useTranslation()
  const { code, message, stage, sql } = error
  // The statement that failed may only fetch what those before it describe.
  const program = plan?.stages.find((one) => one.id === stage)?.program ?? []
  return (
    <section className="card">
      <h2>{t('query.whyFailed')}</h2>
      <div className="banner error">
        <span lang="en">{message}</span> <code>{code}</code>
      </div>
      {stage === null ? null : (
        <p>
          {t('query.failedIn', { stage })}{' '}
          <Link to="/tasks" search={{ query: id, state: 'failed' } as never}>
            {t('query.failedTask')}
          </Link>
        </p>
      )}
      {sql === null ? null : (
        <pre className="sql-text" lang="en" tabIndex={0}>
          {[...program, sql].join(';\n\n')}
        </pre>
      )}
    </section>
  )
}

function Rejects({ rejects }: { rejects: QueryView['rejects'] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const reasons = Object.entries(rejects).toSorted(([, a], [, b]) => b - a)
  if (reasons.length === 0) return null
  return (
    <section className="card">
      <h2>{t('query.rejects')}</h2>
      <p className="quiet">{t('query.rejectsNote')}</p>
      <DataTable
        caption={t('query.rejects')}
        columns={[
          { label: t('query.reason'), isAddress: true, cell: ([reason]) => <code>{reason}</code> },
          { label: t('errors.count'), isNumber: true, cell: ([, count]) => format.count(count) },
        ]}
        rows={reasons}
        keyOf={([reason]) => reason}
      />
    </section>
  )
}
