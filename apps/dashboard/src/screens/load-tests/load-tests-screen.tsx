import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { useWholeList } from '../../components/list/use-whole-list.ts'
import { ListedLoadMark } from '../../components/load-mark.tsx'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { NewLoadTest } from './new-load-test.tsx'
import type { LoadTestView } from '../../api/station-api.ts'

const EVERY_MS = 3_000
const STATES = [
  'unproven',
  'ready',
  'preparing',
  'running',
  'finished',
  'aborted',
] as const satisfies readonly LoadTestView['state'][]

export const LoadTestsScreen = permitted('load-tests:read', 'load.title', LoadTests)

function LoadTests() {
  const { t } = useTranslation()
  const { may } = useMe()
  const tests = useWholeList({
    key: ['load-tests'],
    read: pagesAfter(
      (before, limit) => station('GET /load-tests', { query: { before, limit } }),
      ({ createdAt }) => createdAt,
    ),
    everyMs: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <>
      <h1>{t('load.title')}</h1>
      <p className="quiet">{t('load.lead')}</p>
      {may('load-tests:write') ? <NewLoadTest /> : null}
      <ListCard
        caption={t('load.list')}
        columns={columns}
        rows={tests}
        firstSort="-createdAt"
        fileName="load-tests"
        empty={<EmptyState title={t('load.none')} />}
      />
    </>
  )
}

function useColumns(): ListColumn<LoadTestView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'host',
      label: t('load.test'),
      isAddress: true,
      cell: ({ id, host }) => (
        <>
          <Link to="/load-tests/$id" params={{ id }}>
            {host}
          </Link>
          <span>{id}</span>
        </>
      ),
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: (test) => <ListedLoadMark test={test} />,
      filter: choiceOf(STATES, (value) => t(`load.state.${value}`)),
    },
    {
      id: 'visitorsMax',
      label: t('load.field.visitorsMax'),
      as: 'count',
      value: ({ plan }) => plan.visitorsMax,
    },
    {
      id: 'addresses',
      label: t('load.addresses'),
      as: 'count',
      value: ({ plan }) => plan.urls.length,
    },
    { id: 'steps', label: t('load.stepsDone'), as: 'count', value: ({ steps }) => steps.length },
    {
      id: 'createdAt',
      label: t('captures.when'),
      as: 'ago',
      isNumber: true,
      filter: { kind: 'time' },
    },
  ]
}
