/** Edits as a list: of a page with their editors, or of an editor with their pages. */
import { useTranslation } from 'react-i18next'
import type { WikiListPart, WikiRevisionRow } from '@minga/protocol'
import type { RevisionsAsked } from '../../../api/wikis.ts'
import { List } from '../../../components/list/list.tsx'
import { type ListColumn, choiceOf } from '../../../components/list/list-column.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useFormat } from '../../../components/use-format.ts'
import { Delta } from './scrubber.tsx'
import { EditorLink, PageLink } from '../wiki-links.tsx'

interface RevisionListProps {
  wiki: string
  of: 'page' | 'editor'
  caption: string
  fileName: string
  limit: number
  listKey: readonly unknown[]
  read: (asked: Omit<RevisionsAsked, 'pageId' | 'user'>) => Promise<WikiListPart<WikiRevisionRow>>
}

export function RevisionList({ wiki, of, caption, fileName, ...source }: RevisionListProps) {
  const { t } = useTranslation()
  const columns = useColumns(wiki, of)
  return (
    <List
      name="history"
      caption={caption}
      columns={columns}
      keyOf={({ revId }) => revId}
      searchLabel={t(of === 'page' ? 'wikiPage.searchEdits' : 'wikiEditor.searchEdits')}
      firstSort="-at"
      fileName={fileName}
      isBoxed
      empty={<p className="quiet">{t('wikiFigure.noEdits')}</p>}
      pages={{
        key: source.listKey,
        limit: source.limit,
        read: ({ text, filters, spans, sort, cursor, limit }) =>
          source.read({
            search: text,
            editor: filters['editor'],
            isMinor: filters['isMinor'],
            from: spans['at']?.fromMs ?? null,
            until: spans['at']?.toMs ?? null,
            sort,
            cursor,
            limit,
          }),
      }}
    />
  )
}

const KINDS = ['registered', 'anonymous', 'temporary', 'imported', 'unknown'] as const

function useColumns(wiki: string, of: 'page' | 'editor'): ListColumn<WikiRevisionRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const when: ListColumn<WikiRevisionRow> = {
    id: 'at',
    label: t('wikiFigure.when'),
    isTime: true,
    canSort: true,
    width: '11rem',
    cell: ({ at, title, revId }) =>
      title === null ? (
        format.moment(at)
      ) : (
        <PageLink wiki={wiki} title={title} rev={revId}>
          {format.moment(at)}
        </PageLink>
      ),
    filter: { kind: 'time' },
  }
  return [when, ...(of === 'page' ? editorColumns(wiki, t) : pageColumns(wiki, t)), ...useRest()]
}

type T = ReturnType<typeof useTranslation>['t']

function editorColumns(wiki: string, t: T): ListColumn<WikiRevisionRow>[] {
  return [
    {
      id: 'user',
      label: t('wikiFigure.editor'),
      isAddress: true,
      canSort: true,
      width: '11rem',
      cell: ({ user }) => <EditorLink wiki={wiki} user={user} />,
    },
    {
      id: 'editor',
      label: t('wikiFigure.kind'),
      isHidden: true,
      cell: ({ editor }) => kindName(editor, t),
      filter: choiceOf(KINDS, (kind) => kindName(kind, t)),
    },
  ]
}

export function kindName(kind: string, t: T): string {
  const known = KINDS.find((one) => one === kind) ?? 'unknown'
  return t(`wikiEditor.kind.${known}`)
}

function pageColumns(wiki: string, t: T): ListColumn<WikiRevisionRow>[] {
  return [
    {
      id: 'title',
      label: t('wikiFigure.title'),
      isAddress: true,
      canSort: true,
      width: '14rem',
      value: ({ title, pageId }) => title ?? String(pageId),
      cell: ({ title, pageId }) =>
        title === null ? pageId : <PageLink wiki={wiki} title={title} />,
    },
  ]
}

function useRest(): ListColumn<WikiRevisionRow>[] {
  const { t } = useTranslation()
  return [
    { id: 'size', label: t('wikiFigure.size'), as: 'count', canSort: true, width: '6rem' },
    {
      id: 'delta',
      label: t('wikiFigure.delta'),
      isNumber: true,
      canSort: true,
      width: '6rem',
      cell: ({ delta }) => <Delta delta={delta} />,
    },
    {
      id: 'isMinor',
      label: t('wikiPage.marks'),
      width: '9rem',
      value: ({ isMinor, tags }) => [...(isMinor ? ['minor'] : []), ...tags].join(' '),
      cell: (row) => <Marks row={row} />,
      filter: {
        kind: 'choice',
        choices: [
          { value: 'true', label: t('wikiPage.minorOnly') },
          { value: 'false', label: t('wikiPage.notMinor') },
        ],
      },
    },
    {
      id: 'comment',
      label: t('wikiPage.comment'),
      isAddress: true,
      cell: ({ comment }) => comment ?? '',
    },
  ]
}

function Marks({ row: { isMinor, tags, hidden } }: { row: WikiRevisionRow }) {
  const { t } = useTranslation()
  return (
    <span className="tag-row">
      {isMinor ? <StatusBadge kind="quiet" text={t('wikiPage.minor')} /> : null}
      {tags.map((tag) => (
        <StatusBadge key={tag} kind="quiet" text={tag} />
      ))}
      {hidden.length > 0 ? <StatusBadge kind="warn" text={t('wikiPage.hidden')} /> : null}
    </span>
  )
}
