/** Every capture of the archive or of one collection, by the page: a hundred thousand and more. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CaptureRow } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { CAPTURE_TYPES, STATUSES } from '../../api/archive.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import type { ListQuestion } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { CollectionChoice } from './archive-collection-choice.tsx'
import { typedIn } from './archive-filters.ts'
import { ArchiveSummary } from './archive-summary.tsx'
import { askedSpan } from './archive-span.ts'

const ROWS = 200

export function ArchiveCapturesScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const { collection } = typedIn(search)
  const columns = useCaptureColumns()
  return (
    <>
      <h1>{t('archive.allCaptures')}</h1>
      <ListCard
        caption={t('archive.captures')}
        columns={columns}
        searchLabel={t('archive.captureSearch')}
        firstSort="-capturedAt"
        fileName="captures"
        pages={{
          key: ['archive-list', collection],
          limit: ROWS,
          read: async (question) => {
            const page = await station('GET /archive/captures', {
              query: { ...capturesAsked(question, collection) },
            })
            return { rows: page.captures, cursor: page.next }
          },
        }}
        empty={
          <EmptyState title={t('archive.nothing')} text={t('archive.nothingText')}>
            <Link to="/new" className="button primary">
              {t('archive.collectSomething')}
            </Link>
          </EmptyState>
        }
      >
        <CollectionChoice
          chosen={collection}
          onChoose={(id) =>
            void navigate({ to: '/captures', search: id === '' ? {} : { collection: id } })
          }
        />
      </ListCard>
      <ArchiveSummary collectionId={collection === '' ? null : Number(collection)} />
    </>
  )
}

function capturesAsked(
  { text, filters, spans, sort, cursor, limit }: ListQuestion,
  collection: string,
) {
  return {
    collectionId: collection === '' ? undefined : collection,
    text: text === '' ? undefined : text,
    type: filters['type'],
    status: filters['status'],
    kind: filters['kind'],
    ...askedSpan(spans['capturedAt']),
    order: sort === 'capturedAt' ? ('oldest' as const) : ('newest' as const),
    after: cursor,
    limit,
  }
}

function useCaptureColumns(): ListColumn<CaptureRow>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, title, capturedAt }) => (
        <>
          <Link to="/archive/url" search={{ url, at: capturedAt }}>
            {title ?? url}
          </Link>
          {title === null ? null : <span className="quiet block">{url}</span>}
        </>
      ),
    },
    {
      id: 'capturedAt',
      label: t('captures.when'),
      as: 'moment',
      canSort: true,
      filter: { kind: 'time' },
      width: '12rem',
    },
    {
      id: 'status',
      label: t('captures.status'),
      as: 'text',
      filter: choiceOf(STATUSES, (value) => t(`archive.statusKind.${value}`)),
      width: '6rem',
    },
    {
      id: 'type',
      label: t('captures.type'),
      as: 'text',
      value: ({ mime }) => mime,
      filter: choiceOf(CAPTURE_TYPES, (value) => t(`archive.typeKind.${value}`)),
      width: '10rem',
    },
    {
      id: 'kind',
      label: t('archive.keptAs'),
      cell: ({ kind }) => t(`archive.keptKind.${kind}`),
      filter: choiceOf(['response', 'revisit'] as const, (value) => t(`archive.keptKind.${value}`)),
      width: '9rem',
    },
    { id: 'length', label: t('captures.size'), as: 'bytes', width: '7rem' },
    { id: 'digest', label: t('archive.digest'), as: 'text', isAddress: true, isHidden: true },
    { id: 'file', label: t('archive.files'), as: 'text', isAddress: true, isHidden: true },
  ]
}
