/** Who edits most. */
import { useTranslation } from 'react-i18next'
import type { WikiScope } from '../../api/wikis.ts'
import { ListCard } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { useFormat } from '../../components/use-format.ts'
import { useEditors, type EditorCount } from './history-figures.ts'
import { EditorLink } from './wiki-links.tsx'

interface EditorsListProps {
  wiki: string
  scope: WikiScope
  title: string
}

export function EditorsList({ wiki, scope, title }: EditorsListProps) {
  const { t } = useTranslation()
  const editors = useEditors(wiki, scope)
  const columns = useColumns(wiki, editors.data ?? [])
  return (
    <ListCard
      name="editors"
      caption={title}
      columns={columns}
      rows={editors}
      keyOf={({ user }) => user}
      firstSort="-edits"
      fileName={`${wiki}-editors`}
      empty={<p className="quiet">{t('wikiFigure.noEditors')}</p>}
      isBoxed
    />
  )
}

function useColumns(wiki: string, editors: readonly EditorCount[]): ListColumn<EditorCount>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const highest = editors.reduce((most, { edits }) => Math.max(most, edits), 1)
  return [
    {
      id: 'user',
      label: t('wikiFigure.editor'),
      isAddress: true,
      cell: ({ user }) => <EditorLink wiki={wiki} user={user} />,
    },
    {
      id: 'edits',
      label: t('wikiFigure.edits'),
      isNumber: true,
      cell: ({ edits }) => (
        <span className="with-bar">
          {format.count(edits)}
          <span className="small-bar" aria-hidden="true">
            <span style={{ width: `${(edits / highest) * 100}%` }} />
          </span>
        </span>
      ),
    },
    { id: 'pages', label: t('wikiFigure.pages'), as: 'count' },
    {
      id: 'firstAt',
      label: t('wikiFigure.first'),
      isNumber: true,
      isTime: true,
      cell: ({ firstAt }) => format.date(firstAt),
    },
    { id: 'lastAt', label: t('wikiFigure.last'), as: 'ago', isNumber: true },
  ]
}
