/** What is watched: searched, counted by groups, taken in and given out as files. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView, WatchView } from '@minga/protocol'
import {
  EXPORTS,
  exportPath,
  readWatchCategories,
  readWatches,
  type WatchFilter,
} from '../../api/watches.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { useMe } from '../../people/use-me.ts'
import { WatchCategories } from './watch-categories.tsx'
import { WatchCounts } from './watch-counts.tsx'
import { WatchImport } from './watch-import.tsx'
import { categoryName } from './watch-words.ts'

const ROWS = 50
const EVERY_MS = 30_000
const NO_FILTER: WatchFilter = { search: '', category: '', state: '' }

export function WatchListScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  const [filter, setFilter] = useState(NO_FILTER)
  const categories = useQuery({ queryKey: ['watch-categories'], queryFn: readWatchCategories })
  const list = categories.data ?? []
  return (
    <>
      <h1>{t('watch.title')}</h1>
      <p className="quiet">{t('watch.lead')}</p>
      {may('watches:write') ? (
        <p className="actions">
          <Link to="/watches/new" className="button primary">
            {t('watch.new')}
          </Link>
        </p>
      ) : null}
      <Watches filter={filter} onFilter={setFilter} categories={list} />
      <WatchCounts categories={list} onFilter={(part) => setFilter({ ...NO_FILTER, ...part })} />
      {may('watches:write') ? <WatchImport /> : null}
      {may('policies:write') ? <WatchCategories categories={list} /> : null}
    </>
  )
}

interface WatchesProps {
  filter: WatchFilter
  onFilter: (filter: WatchFilter) => void
  categories: readonly WatchCategoryView[]
}

function Watches({ filter, onFilter, categories }: WatchesProps) {
  const { t } = useTranslation()
  const pages = usePages<WatchView, number>({
    key: ['watches', filter],
    rows: ROWS,
    read: (before, limit) => readWatches(filter, before, limit),
    cursorOf: ({ id }) => id,
    everyMs: EVERY_MS,
  })
  const columns = useColumns(categories)
  return (
    <section className="card">
      <h2>{t('watch.list')}</h2>
      <Filters filter={filter} onFilter={onFilter} categories={categories} />
      <Loaded query={pages.query}>
        {(watches) =>
          watches.length === 0 ? (
            <p className="quiet">{t('watch.none')}</p>
          ) : (
            <DataTable
              caption={t('watch.list')}
              columns={columns}
              rows={watches}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
      <p className="actions">
        {EXPORTS.map((as) => (
          <DownloadLink key={as} path={exportPath(filter, as)} fileName={`watches.${as}`}>
            {t('watch.export', { format: as.toUpperCase() })}
          </DownloadLink>
        ))}
      </p>
    </section>
  )
}

const STATES = ['', 'active', 'inactive', 'running'] as const

function Filters({ filter, onFilter, categories }: WatchesProps) {
  const { t } = useTranslation()
  return (
    <search className="form inline">
      <Field
        label={t('watch.search')}
        value={filter.search}
        onChange={(search) => onFilter({ ...filter, search })}
        isShort
      />
      <label className="choice">
        <b>{t('watch.category')}</b>
        <select
          value={filter.category}
          onChange={(event) => onFilter({ ...filter, category: event.target.value })}
        >
          <option value="">{t('watch.all')}</option>
          <option value="none">{t('watch.noCategory')}</option>
          {categories.map(({ code }) => (
            <option key={code} value={code}>
              {categoryName(t, categories, code)}
            </option>
          ))}
        </select>
      </label>
      <label className="choice">
        <b>{t('device.stateLabel')}</b>
        <select
          value={filter.state}
          onChange={(event) =>
            onFilter({ ...filter, state: event.target.value as WatchFilter['state'] })
          }
        >
          {STATES.map((state) => (
            <option key={state} value={state}>
              {state === '' ? t('watch.all') : t(`watch.state.${state}`)}
            </option>
          ))}
        </select>
      </label>
    </search>
  )
}

function useColumns(categories: readonly WatchCategoryView[]): Column<WatchView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      label: t('people.name'),
      isAddress: true,
      cell: ({ id, name }) => (
        <Link to="/watches/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
    },
    {
      label: t('watch.what'),
      cell: ({ subject, urls }) =>
        `${t(`watch.subject.${subject}`)}${urls > 1 ? ` (${format.count(urls)})` : ''}`,
    },
    {
      label: t('watch.category'),
      cell: ({ category }) => categoryName(t, categories, category),
    },
    { label: t('device.stateLabel'), cell: (watch) => <WatchMark watch={watch} /> },
    { label: t('watch.pace'), cell: (watch) => <Pace watch={watch} /> },
    { label: t('watch.visits'), isNumber: true, cell: ({ visits }) => format.count(visits) },
    { label: t('watch.changes'), isNumber: true, cell: ({ changes }) => format.count(changes) },
    {
      label: t('watch.lastChange'),
      isNumber: true,
      cell: ({ lastChangeAt }) => (lastChangeAt === null ? '–' : <Ago at={lastChangeAt} />),
    },
    {
      label: t('watch.nextVisit'),
      isNumber: true,
      cell: ({ nextVisitAt }) => (nextVisitAt === null ? '–' : format.moment(nextVisitAt)),
    },
  ]
}

export function WatchMark({ watch }: { watch: WatchView }) {
  const { t } = useTranslation()
  const { isActive, state } = watch
  if (!isActive) return <Mark kind="warn" text={t('watch.state.inactive')} />
  const word = state === 'running' ? 'running' : 'active'
  return <Mark kind={word === 'running' ? 'good' : 'info'} text={t(`watch.state.${word}`)} />
}

/** What somebody set by hand is marked as such. */
export function Pace({ watch }: { watch: WatchView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { periodMs, policy } = watch
  if (periodMs === null && policy === null) return t('watch.automatic')
  const pace = periodMs === null ? policy! : t('watch.every', { time: format.span(periodMs) })
  return (
    <>
      {pace} <Mark kind="info" text={t('watch.byHand')} />
    </>
  )
}
