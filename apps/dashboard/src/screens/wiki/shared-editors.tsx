/** Who edited more than one of the pages, and how alike their editors are. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { WikiPageComparison } from '@minga/protocol'
import { askHistory } from '../../api/wikis.ts'
import { ListCard } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { useFormat } from '../../components/use-format.ts'
import { EditorLink } from './wiki-links.tsx'

const EDITORS_MOST = 1_000

interface SharedEditorsProps {
  wiki: string
  pages: WikiPageComparison['pages']
  overlaps: WikiPageComparison['overlaps']
}

export function SharedEditors({ wiki, pages, overlaps }: SharedEditorsProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const pageIds = pages.map(({ pageId }) => pageId)
  const nameOf = (id: number): string =>
    pages.find(({ pageId }) => pageId === id)?.title ?? String(id)
  const editors = useShared(wiki, pageIds)
  const columns = useColumns(wiki)
  return (
    <ListCard
      name="shared"
      caption={t('wikiCompare.shared')}
      columns={columns}
      rows={editors}
      keyOf={({ user }) => user}
      firstSort="-edits"
      fileName={`${wiki}-shared-editors`}
      empty={<p className="quiet">{t('wikiCompare.noShared')}</p>}
      isBoxed
    >
      <ul className="names">
        {overlaps.map(({ one, other, common, likeness }) => (
          <li key={`${one} ${other}`}>
            {t('wikiCompare.overlap', {
              one: nameOf(one),
              other: nameOf(other),
              common: format.count(common),
              likeness: format.percent(likeness),
            })}
          </li>
        ))}
      </ul>
    </ListCard>
  )
}

interface SharedEditor {
  user: string
  pages: number
  edits: number
}

function useShared(wiki: string, pageIds: readonly number[]) {
  return useQuery({
    queryKey: ['wiki-shared', wiki, pageIds],
    queryFn: async (): Promise<SharedEditor[]> => {
      const rows = await askHistory(
        wiki,
        { pageIds },
        {
          by: ['user'],
          measure: { edits: { count: true }, pages: { distinct: 'pageid' } },
          having: { pages: { gte: 2 }, user: { ne: null } },
          sort: ['-edits', 'user'],
          limit: EDITORS_MOST,
        },
      )
      return rows.map(({ user, pages, edits }) => ({
        user: String(user),
        pages: Number(pages),
        edits: Number(edits),
      }))
    },
  })
}

function useColumns(wiki: string): ListColumn<SharedEditor>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'user',
      label: t('wikiFigure.editor'),
      isAddress: true,
      cell: ({ user }) => <EditorLink wiki={wiki} user={user} />,
    },
    { id: 'pages', label: t('wikiCompare.ofPages'), as: 'count' },
    { id: 'edits', label: t('wikiFigure.edits'), as: 'count' },
  ]
}
