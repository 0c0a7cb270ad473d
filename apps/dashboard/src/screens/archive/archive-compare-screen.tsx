/** Two versions side by side: what was added, removed and changed. */
import { Button } from 'react-aria-components'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DocumentChange, DocumentState, VersionComparison } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { timestampOf } from './archive-params.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'

const DOCUMENT_STATES = [
  'added',
  'removed',
  'changed',
  'unchanged',
] as const satisfies readonly DocumentState[]

export function ArchiveCompareScreen() {
  const { t } = useTranslation()
  const { before = '', after = '' } = useSearch({ from: '/archive/compare' })
  const [states, setStates] = useState<readonly DocumentState[]>(['added', 'removed', 'changed'])
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['archive-compare', before, after, states],
    queryFn: ({ pageParam }) =>
      station('GET /archive/compare', {
        query: { before, after, states: states.join(), cursor: pageParam },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (former) => former,
  })
  const query = { data: data?.pages, error, refetch }
  return (
    <>
      <h1>{t('archive.compareTitle')}</h1>
      <Loaded query={query}>
        {(pages) => (
          <>
            <Counts comparison={pages[0]!} />
            <section className="card">
              <h2>{t('archive.documents')}</h2>
              <StateChoice states={states} onChange={setStates} />
              <Changes documents={pages.flatMap(({ documents }) => documents)} />
              <MoreButton pages={{ hasMore: hasNextPage, readMore: () => void fetchNextPage() }} />
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}

function Counts({ comparison }: { comparison: VersionComparison }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { before, after, counts } = comparison
  return (
    <section className="card">
      <p>
        {[before, after].map(({ collectionId, number, name, startedAt }, i) => (
          <span key={`${collectionId}/${number}`}>
            {i === 0 ? null : ' → '}
            <Link
              to="/versions/$id/$number"
              params={{ id: String(collectionId), number: String(number) }}
            >
              {name} · {number}
            </Link>{' '}
            <span className="quiet">{format.moment(startedAt)}</span>
          </span>
        ))}
      </p>
      <FiguresList
        figures={DOCUMENT_STATES.map((state) => ({
          label: t(`archive.document.${state}`),
          value: format.count(counts[state]),
        }))}
      />
    </section>
  )
}

interface StateChoiceProps {
  states: readonly DocumentState[]
  onChange: (states: readonly DocumentState[]) => void
}

/** At least one stays chosen: a list of nothing says nothing. */
function StateChoice({ states, onChange }: StateChoiceProps) {
  const { t } = useTranslation()
  const toggle = (state: DocumentState, isOn: boolean): void => {
    const next = DOCUMENT_STATES.filter((one) => (one === state ? isOn : states.includes(one)))
    if (next.length > 0) onChange(next)
  }
  return (
    <fieldset className="states">
      <legend>{t('archive.shownStates')}</legend>
      {DOCUMENT_STATES.map((state) => (
        <label key={state}>
          <input
            type="checkbox"
            checked={states.includes(state)}
            onChange={(event) => toggle(state, event.target.checked)}
          />{' '}
          {t(`archive.document.${state}`)}
        </label>
      ))}
    </fieldset>
  )
}

const MARKS: Record<DocumentState, StatusKind> = {
  added: 'good',
  removed: 'bad',
  changed: 'warn',
  unchanged: 'quiet',
}

function Changes({ documents }: { documents: readonly DocumentChange[] }) {
  const { t } = useTranslation()
  const columns: Column<DocumentChange>[] = [
    {
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, title }) => (
        <Link to="/archive/url" search={{ url }}>
          {title ?? url}
        </Link>
      ),
    },
    {
      label: t('device.stateLabel'),
      cell: ({ state }) => (
        <StatusBadge kind={MARKS[state]} text={t(`archive.document.${state}`)} />
      ),
    },
    {
      label: t('archive.look'),
      cell: ({ url, state, beforeAt, afterAt }) =>
        state === 'changed' && beforeAt !== null && afterAt !== null ? (
          <Link
            to="/archive/diff"
            search={{ url, before: timestampOf(beforeAt), after: timestampOf(afterAt) }}
            aria-label={t('archive.diffNamed', { url })}
          >
            {t('archive.diff')}
          </Link>
        ) : null,
    },
  ]
  if (documents.length === 0) return <p className="quiet">{t('archive.noneOfThese')}</p>
  return (
    <DataTable
      caption={t('archive.documents')}
      columns={columns}
      rows={documents}
      keyOf={({ url }) => url}
    />
  )
}

function MoreButton({ pages }: { pages: { hasMore: boolean; readMore: () => void } }) {
  const { t } = useTranslation()
  if (!pages.hasMore) return null
  return (
    <div className="actions">
      <Button onPress={pages.readMore}>{t('more')}</Button>
    </div>
  )
}
