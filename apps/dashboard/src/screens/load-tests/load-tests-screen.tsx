import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { readLoadTests } from '../../api/load-tests.ts'
import type { LoadTestView } from '@minga/protocol'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ListedLoadMark } from '../../parts/load-mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { useMe } from '../../people/use-me.ts'
import { NewLoadTest } from './new-load-test.tsx'

const ROWS = 50
const EVERY_MS = 3_000

export function LoadTestsScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="load-tests:read" title={t('load.title')}>
      <LoadTests />
    </ForThoseWho>
  )
}

function LoadTests() {
  const { t } = useTranslation()
  const { may } = useMe()
  const pages = usePages<LoadTestView, number>({
    key: ['load-tests'],
    rows: ROWS,
    read: readLoadTests,
    cursorOf: ({ createdAt }) => createdAt,
    everyMs: EVERY_MS,
  })
  const columns = useColumns()
  return (
    <>
      <h1>{t('load.title')}</h1>
      <p className="quiet">{t('load.lead')}</p>
      {may('load-tests:write') ? <NewLoadTest /> : null}
      <section className="card">
        <h2>{t('load.list')}</h2>
        <Loaded query={pages.query}>
          {(tests) =>
            tests.length === 0 ? (
              <p className="quiet">{t('load.none')}</p>
            ) : (
              <DataTable
                caption={t('load.list')}
                columns={columns}
                rows={tests}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
        <MoreButton pages={pages} />
      </section>
    </>
  )
}

function useColumns(): Column<LoadTestView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
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
    { label: t('device.stateLabel'), cell: (test) => <ListedLoadMark test={test} /> },
    {
      label: t('load.field.visitorsMax'),
      isNumber: true,
      cell: ({ plan }) => format.count(plan.visitorsMax),
    },
    {
      label: t('load.addresses'),
      isNumber: true,
      cell: ({ plan }) => format.count(plan.urls.length),
    },
    {
      label: t('load.stepsDone'),
      isNumber: true,
      cell: ({ steps }) => format.count(steps.length),
    },
    { label: t('captures.when'), isNumber: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ]
}
