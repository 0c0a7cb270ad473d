/** One editor of a page: how often and how long they edited it, and what is left of it. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WikiAuthorship, WikiPageTrack } from '@minga/protocol'
import { FiguresList } from '../../components/figures-list.tsx'
import { useFormat } from '../../components/use-format.ts'

interface EditorPanelProps {
  wiki: string
  track: WikiPageTrack
  authorship: WikiAuthorship
  user: string
}

export function EditorPanel({ wiki, track, authorship, user }: EditorPanelProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const editor = track.editors.indexOf(user)
  const times = track.at.filter((_, place) => track.editorOf[place] === editor)
  const told = authorship.authors.find((author) => author.user === user)
  return (
    <aside className="editor-panel" aria-label={t('wikiPage.editorPanel', { user })}>
      <h3 className="address">{user}</h3>
      <FiguresList
        figures={[
          { label: t('wikiFigure.edits'), value: format.count(times.length) },
          { label: t('wikiPage.share'), value: format.percent(told?.share ?? 0) },
          {
            label: t('wikiPage.survived'),
            value: t('wikiPage.survivedOf', {
              present: format.count(told?.present ?? 0),
              added: format.count(told?.added ?? 0),
            }),
          },
          { label: t('wikiFigure.first'), value: dateOr(times[0]) },
          { label: t('wikiFigure.last'), value: dateOr(times.at(-1)) },
        ]}
      />
      <p className="actions">
        <Link to="/wikis/$wiki/editor" params={{ wiki }} search={{ name: user }} className="button">
          {t('wikiPage.allEdits')}
        </Link>
      </p>
    </aside>
  )

  function dateOr(at: number | undefined): string {
    return at === undefined ? t('figure.unknown') : format.date(at)
  }
}
