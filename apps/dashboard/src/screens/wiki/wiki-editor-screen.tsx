/** One editor over all pages of a wiki that are kept. */
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WikiEditorView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { readRevisions } from '../../api/wikis.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { EditsOverTime } from './edits-over-time.tsx'
import { HourMap } from './hour-map.tsx'
import { kindName, RevisionList } from './page/revision-list.tsx'
import type { WikiParams } from './wiki-params.ts'
import { WikiTrail } from './wiki-links.tsx'

const ROWS = 100

export function WikiEditorScreen() {
  const { t } = useTranslation()
  const { wiki = '' } = useParams({ strict: false })
  const { name = '' }: WikiParams = useSearch({ strict: false })
  const editor = useStation(['wiki-editor', wiki, name], 'GET /wikis/{wiki}/editor', {
    params: { wiki },
    query: { name },
    enabled: name !== '',
  })
  return (
    <>
      <WikiTrail wiki={wiki} />
      <h1>{name || t('wikiEditor.title')}</h1>
      {name === '' ? (
        <EmptyState title={t('wikiEditor.noName')}>
          <Link to="/wikis/$wiki" params={{ wiki }} className="button">
            {t('wikiEditor.choose')}
          </Link>
        </EmptyState>
      ) : (
        <Loaded query={editor}>{(known) => <Editor wiki={wiki} editor={known} />}</Loaded>
      )}
    </>
  )
}

function Editor({ wiki, editor }: { wiki: string; editor: WikiEditorView }) {
  const { t } = useTranslation()
  const { user } = editor
  return (
    <>
      <Figures editor={editor} />
      <EditsOverTime wiki={wiki} scope={{ user }} />
      <HourMap wiki={wiki} scope={{ user }} />
      <section className="card">
        <h2>{t('wikiEditor.edits')}</h2>
        <RevisionList
          wiki={wiki}
          of="editor"
          caption={t('wikiEditor.edits')}
          fileName={`${wiki}-edits`}
          limit={ROWS}
          listKey={['wiki-history', wiki, user]}
          read={(asked) => readRevisions(wiki, { user, ...asked })}
        />
      </section>
    </>
  )
}

function Figures({ editor }: { editor: WikiEditorView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { edits, pages, minor, firstAt, lastAt, netBytes } = editor
  const sign = netBytes < 0 ? '−' : '+'
  return (
    <>
      <p>
        <StatusBadge kind="quiet" text={kindName(editor.editor, t)} />
      </p>
      <FiguresList
        className="tiles"
        figures={[
          { label: t('wikiFigure.edits'), value: format.count(edits) },
          { label: t('wikiFigure.pages'), value: format.count(pages) },
          { label: t('wikiEditor.minor'), value: format.percent(minor / Math.max(1, edits)) },
          { label: t('wikiEditor.netBytes'), value: `${sign}${format.bytes(Math.abs(netBytes))}` },
          { label: t('wikiEditor.revertsMade'), value: format.count(editor.revertsMade) },
          { label: t('wikiEditor.undone'), value: format.count(editor.undoneByOthers) },
          { label: t('wikiFigure.first'), value: format.date(firstAt) },
          { label: t('wikiFigure.last'), value: format.date(lastAt) },
        ]}
      />
    </>
  )
}
