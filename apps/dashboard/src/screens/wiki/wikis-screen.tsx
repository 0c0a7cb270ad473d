/** The wikis that are kept, what is being extracted of them, and how they are kept fresh. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiSummary } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { readWikis } from '../../api/wikis.ts'
import { CopyBox } from '../../components/copy-box.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { List } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ReadOnlyNote } from '../../components/read-only-note.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { Freshness, freshnessOf } from './freshness.tsx'
import { WikiAdd } from './wiki-add.tsx'
import { WikiImport } from './wiki-import.tsx'
import { WikiSchedules } from './wiki-schedules.tsx'
import { WikiTasks } from './wiki-tasks.tsx'

const EVERY_MS = 10_000
const COMMAND = 'minga wiki add https://en.wikipedia.org/wiki/Llama --wait'

export function WikisScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  const wikis = useQuery({ queryKey: ['wikis'], queryFn: readWikis, refetchInterval: EVERY_MS })
  const isEmpty = wikis.data?.length === 0
  return (
    <>
      <h1>{t('wiki.title')}</h1>
      <p className="quiet">{t('wiki.lead')}</p>
      {may('collections:write') ? <AddCard isOpen={isEmpty} /> : <ReadOnlyNote />}
      <section className="card">
        <h2>{t('wiki.kept')}</h2>
        <Wikis query={wikis} />
      </section>
      <WikiTasks wiki={null} />
      {may('archive:import') ? <WikiImport /> : null}
      {isEmpty ? null : <WikiSchedules />}
    </>
  )
}

/** A form that is in the way of those who only look. */
function AddCard({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation()
  const [isAsked, setIsAsked] = useState(false)
  const isShown = isOpen || isAsked
  if (!isShown) {
    return (
      <p className="actions">
        <Button className="primary" onPress={() => setIsAsked(true)}>
          {t('wikiAdd.title')}
        </Button>
      </p>
    )
  }
  return (
    <section className="card">
      <h2>{t('wikiAdd.title')}</h2>
      <WikiAdd />
    </section>
  )
}

interface WikisProps {
  query: {
    data: WikiSummary[] | undefined
    error: Error | null
    dataUpdatedAt: number
    refetch: () => unknown
  }
}

function Wikis({ query }: WikisProps) {
  const { t } = useTranslation()
  const { may } = useMe()
  const update = useChange(
    (wiki: string) => station('POST /wikis/{wiki}/update', { params: { wiki }, body: {} }),
    ['wikis', 'wiki-tasks'],
  )
  const columns = useColumns(may('collections:write') ? (wiki) => update.mutate(wiki) : null)
  return (
    <>
      <Failure error={update.error} />
      <List
        caption={t('wiki.kept')}
        columns={columns}
        rows={query}
        keyOf={({ wiki }) => wiki}
        firstSort="-revisions"
        fileName="wikis"
        empty={
          <EmptyState title={t('wiki.none')} text={t('wiki.noneText')}>
            <CopyBox text={COMMAND} label={t('wiki.command')} />
          </EmptyState>
        }
      />
    </>
  )
}

function useColumns(onUpdate: ((wiki: string) => void) | null): ListColumn<WikiSummary>[] {
  const { t } = useTranslation()
  const columns: ListColumn<WikiSummary>[] = [
    {
      id: 'wiki',
      label: t('wiki.name'),
      isAddress: true,
      value: ({ wiki, name }) => `${name} ${wiki}`,
      cell: ({ wiki, name }) => (
        <>
          <Link to="/wikis/$wiki" params={{ wiki }}>
            {name}
          </Link>
          {name === wiki ? null : <span>{wiki}</span>}
        </>
      ),
    },
    { id: 'pages', label: t('wikiFigure.pages'), as: 'count' },
    { id: 'revisions', label: t('wikiFigure.revisions'), as: 'count' },
    { id: 'editors', label: t('wikiFigure.editors'), as: 'count' },
    { id: 'rawBytes', label: t('wikiFigure.rawBytes'), as: 'bytes' },
    { id: 'storedBytes', label: t('wikiFigure.storedBytes'), as: 'bytes' },
    { id: 'newestAt', label: t('wikiFigure.lastEdit'), as: 'ago', isNumber: true },
    { id: 'askedAt', label: t('wiki.asked'), as: 'ago', isNumber: true },
    {
      id: 'fresh',
      label: t('wiki.fresh'),
      value: (row) => t(`wiki.freshness.${freshnessOf(row)}`),
      cell: (row) => <Freshness summary={row} />,
    },
  ]
  if (onUpdate === null) return columns
  return [
    ...columns,
    {
      id: 'update',
      label: t('wiki.actions'),
      content: ({ wiki, name, hasApi }) =>
        hasApi ? (
          <Button
            className="plain"
            onPress={() => onUpdate(wiki)}
            aria-label={t('wiki.updateNamed', { name })}
          >
            {t('wiki.update')}
          </Button>
        ) : null,
    },
  ]
}
