import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import type { Collection, Verb } from '../../api/api-types.ts'
import { shownState } from '../../live/shown-state.ts'
import { CollectionName } from '../../components/collection-name.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailedCount } from '../../components/failed-count.tsx'
import { choiceOf, type ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { ProgressBar } from '../../components/charts/progress-bar.tsx'
import { ReadOnlyNote } from '../../components/read-only-note.tsx'
import { StatePill } from '../../components/state-pill.tsx'
import { useMe } from '../../auth/use-me.ts'
import { wordsOf } from './list-words.ts'

const EVERY_MS = 3_000
const STATES = ['running', 'paused', 'finished', 'cancelled'] as const
const OUTCOMES = ['complete', 'with-errors', 'at-limit', 'stopped', 'failed'] as const
const KINDS = ['crawl', 'watch', 'wiki', 'requests', 'audits'] as const

export function CollectionsScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  const columns = useColumns()
  const actions = useActions()
  return (
    <section>
      <header className="heading-line">
        <h1>{t('collections.title')}</h1>
        <Link to="/new" className="button primary">
          {t('collections.new')}
        </Link>
      </header>
      <ReadOnlyNote />
      <List
        caption={t('collections.title')}
        columns={columns}
        searchLabel={t('collections.search')}
        firstSort="-createdAt"
        fileName="collections"
        empty={
          <EmptyState title={t('collections.none')} text={t('collections.noneText')}>
            <Link to="/new" className="button primary">
              {t('collections.new')}
            </Link>
          </EmptyState>
        }
        pages={{
          key: ['collections'],
          everyMs: EVERY_MS,
          read: (question) => station('GET /collections/list', { query: wordsOf(question) }),
        }}
        bulkActions={may('collections:write') ? actions : []}
      />
    </section>
  )
}

function useColumns(): ListColumn<Collection>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'name',
      label: t('collections.name'),
      isAddress: true,
      value: ({ spec, id }) => spec.seeds[0] ?? String(id),
      cell: (row) => (
        <Link to="/collections/$id" params={{ id: String(row.id) }}>
          <CollectionName collection={row} />
        </Link>
      ),
    },
    {
      id: 'state',
      label: t('collections.state'),
      canSort: true,
      value: shownState,
      cell: (row) => <StatePill collection={row} />,
      filter: choiceOf(STATES, (value) => t(`state.${value}`)),
    },
    {
      id: 'outcome',
      label: t('collections.outcome'),
      isHidden: true,
      value: ({ outcome }) => outcome ?? '',
      cell: ({ outcome }) => (outcome === null ? '' : t(`collectionOutcome.${outcome}`)),
      filter: choiceOf(OUTCOMES, (value) => t(`collectionOutcome.${value}`)),
    },
    {
      id: 'done',
      label: t('collections.done'),
      canSort: true,
      value: ({ found, queued }) => (found === 0 ? 0 : (found - queued) / found),
      cell: (row) => <ProgressBar counts={row} isInline isOpen={isOpenEnded(row)} />,
    },
    { id: 'found', label: t('collections.found'), as: 'count', canSort: true },
    { id: 'captures', label: t('figure.captures'), as: 'count', canSort: true },
    {
      id: 'failed',
      label: t('figure.failed'),
      isNumber: true,
      canSort: true,
      cell: (row) => <FailedCount collection={row} />,
    },
    { id: 'bytes', label: t('figure.bytes'), as: 'bytes', canSort: true, isHidden: true },
    { id: 'createdAt', label: t('collections.started'), as: 'ago', isNumber: true, canSort: true },
    {
      id: 'owner',
      label: t('collections.owner'),
      value: ({ owner }) => owner ?? '',
      cell: ({ owner }) => owner ?? t('collections.station'),
    },
    {
      id: 'kind',
      label: t('collections.kind'),
      isHidden: true,
      value: ({ spec }) => spec.kind,
      cell: ({ spec }) => t(`collectionKind.${spec.kind}`),
      filter: choiceOf(KINDS, (value) => t(`collectionKind.${value}`)),
    },
  ]
}

/** While it runs without a limit it may find more at any moment: a share of what was found would promise too much. */
function isOpenEnded({ state, spec, found }: Collection): boolean {
  return found === 0 || (state === 'running' && spec.scope === 'any' && spec.maxPages === null)
}

function useActions() {
  const { t } = useTranslation()
  const touched = ['collections', 'live']
  const act = (verb: Verb) => (row: Collection) =>
    station(`POST /collections/{id}/${verb}`, { params: { id: row.id } })
  return [
    {
      label: t('collection.pause'),
      act: act('pause'),
      isFor: ({ state }: Collection) => state === 'running',
      touched,
    },
    {
      label: t('collection.resume'),
      act: act('resume'),
      isFor: ({ state }: Collection) => state === 'paused',
      touched,
    },
    {
      label: t('collection.cancel'),
      act: act('cancel'),
      isFor: ({ state, spec }: Collection) =>
        spec.kind === 'crawl' && (state === 'running' || state === 'paused'),
      isDanger: true,
      confirm: {
        title: (count: number) => t('collections.cancelTitle', { count }),
        text: t('collection.cancelText'),
        yes: t('collections.cancelYes'),
      },
      touched,
    },
  ]
}
