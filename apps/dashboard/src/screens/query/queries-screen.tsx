/** Every query that was run, the shipped queries, and the saved ones. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { QueryView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { QUERY_STATES, QueryMark } from './query-mark.tsx'
import { SavedQueries } from './saved-queries.tsx'
import { TaskBar } from './task-bar.tsx'

const EVERY_MS = 3_000

export function QueriesScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  return (
    <RequirePermission may="queries:read" title={t('query.title')}>
      <h1>{t('query.title')}</h1>
      <p className="quiet">{t('query.lead')}</p>
      {may('queries:run') ? (
        <p className="actions">
          <Link to="/queries/new" className="button primary">
            {t('query.new')}
          </Link>
          <Link to="/queries/new" search={{ saved: 'new' } as never} className="button">
            {t('query.writeOwn')}
          </Link>
          <Link to="/sql" className="button">
            {t('query.writeSql')}
          </Link>
        </p>
      ) : null}
      <Asked />
      <SavedQueries />
      <Shipped />
    </RequirePermission>
  )
}

function Asked() {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns = useColumns()
  return (
    <ListCard
      caption={t('query.list')}
      columns={columns}
      fileName="queries"
      empty={
        <EmptyState title={t('query.none')} text={t('query.noneText')}>
          <Link to="/queries/new" className="button primary">
            {t('query.new')}
          </Link>
        </EmptyState>
      }
      pages={{
        key: ['queries'],
        everyMs: EVERY_MS,
        read: pagesAfter<QueryView, number>(
          (before, limit, { filters }) =>
            station('GET /queries', { query: { state: filters['state'] ?? null, before, limit } }),
          ({ number }) => number,
        ),
      }}
      bulkActions={
        may('queries:run')
          ? [
              {
                label: t('query.cancel'),
                act: ({ id }) => station('POST /queries/{id}/cancel', { params: { id }, body: {} }),
                isFor: ({ state }) => state === 'running',
                isDanger: true,
                confirm: {
                  title: (count) => t('query.cancelMany', { count }),
                  text: t('query.cancelText'),
                  yes: t('query.cancelYes'),
                },
                touched: ['queries'],
              },
            ]
          : []
      }
    />
  )
}

function useColumns(): ListColumn<QueryView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'query',
      label: t('query.query'),
      isAddress: true,
      value: ({ queries }) => queries.join(', '),
      cell: ({ id, kind, queries }) => (
        <>
          <Link to="/queries/$id" params={{ id }}>
            {queries.join(', ')}
          </Link>
          {kind === 'query' ? null : <span className="quiet">{t(`query.kind.${kind}`)}</span>}
        </>
      ),
    },
    {
      id: 'state',
      label: t('query.stateLabel'),
      cell: ({ state }) => <QueryMark state={state} />,
      filter: choiceOf(QUERY_STATES, (value) => t(`query.state.${value}`)),
    },
    {
      id: 'tasks',
      label: t('query.tasks'),
      content: ({ tasks }) => <TaskBar {...tasks} isSmall />,
    },
    { id: 'rowsRead', label: t('query.rowsRead'), as: 'count' },
    { id: 'owner', label: t('query.owner'), as: 'text', isHidden: true },
    {
      id: 'took',
      label: t('query.took'),
      isNumber: true,
      value: ({ askedAt, endedAt }) => (endedAt === null ? null : endedAt - askedAt),
      cell: ({ askedAt, endedAt }) =>
        endedAt === null ? t('figure.unknown') : format.delay(endedAt - askedAt),
    },
    { id: 'askedAt', label: t('query.asked'), as: 'ago', isNumber: true },
  ]
}

function Shipped() {
  const { t } = useTranslation()
  const shipped = useStation(['shipped'], 'GET /queries/shipped')
  return (
    <section className="card">
      <h2>{t('query.shipped')}</h2>
      <p className="quiet">{t('query.shippedNote')}</p>
      <Loaded query={shipped}>
        {(queries) => (
          <ul className="query-cards">
            {queries.map(({ name, about, inputs, parameters = {}, output }) => (
              <li key={name}>
                <Link to="/queries/new" search={{ of: name } as never}>
                  {name}
                </Link>
                <span lang="en">{about}</span>
                <span className="quiet">
                  {t('query.needs', { inputs: Object.keys(inputs).join(', ') })}
                  {Object.keys(parameters).length === 0
                    ? null
                    : ` · ${t('query.asks', { parameters: Object.keys(parameters).join(', ') })}`}
                </span>
                <code>{output.columns.join(', ')}</code>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
