/** The text of a revision in the colours of those who wrote it, and what each of them has in it. */
import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { WikiAuthorship, WikiPageTrack } from '@minga/protocol'
import { FiguresList } from '../../../components/figures-list.tsx'
import { station } from '../../../api/station.ts'
import { Loaded } from '../../../components/loaded.tsx'
import { useFormat } from '../../../components/use-format.ts'
import { AuthorShares } from './author-shares.tsx'
import { lookOf } from './author-looks.ts'

interface RevisionAuthorsProps {
  wiki: string
  track: WikiPageTrack
  revId: number
}

export function RevisionAuthors({ wiki, track, revId }: RevisionAuthorsProps) {
  const { pageId } = track.page
  const authorship = useQuery({
    queryKey: ['wiki-authorship', wiki, pageId, revId],
    queryFn: () =>
      station('GET /wikis/{wiki}/authorship', { params: { wiki }, query: { pageId, revId } }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (former) => former,
  })
  return (
    <Loaded query={authorship}>
      {(known) => <Authors wiki={wiki} track={track} authorship={known} />}
    </Loaded>
  )
}

interface AuthorsProps {
  wiki: string
  track: WikiPageTrack
  authorship: WikiAuthorship
}

function Authors({ wiki, track, authorship }: AuthorsProps) {
  const [user, setUser] = useState<string | null>(null)
  return (
    <div className="authors">
      <AuthoredText track={track} authorship={authorship} user={user} />
      <div>
        <AuthorShares authorship={authorship} user={user} onUser={setUser} />
        {user === null ? null : (
          <EditorPanel wiki={wiki} track={track} authorship={authorship} user={user} />
        )}
      </div>
    </div>
  )
}

interface AuthoredTextProps {
  track: WikiPageTrack
  authorship: WikiAuthorship
  /** Whose words stand out; null: everybody's. */
  user: string | null
}

/** One stop for the keyboard; arrows walk from run to run, and what is said of it changes. */
function AuthoredText({ track, authorship, user }: AuthoredTextProps) {
  const { t } = useTranslation()
  const { runs, authors } = authorship
  const [at, setAt] = useState<number | null>(null)
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    setAt(Math.min(runs.length - 1, Math.max(0, at === null ? 0 : at + step)))
  }
  return (
    <div>
      <p className="quiet" role="status" aria-live="polite">
        {at === null ? t('wikiPage.authorsHelp') : <RunNote {...{ track, authorship, at }} />}
      </p>
      <pre
        className="wikitext authored"
        tabIndex={0}
        aria-label={t('wikiPage.authoredText')}
        onKeyDown={press}
        onMouseLeave={() => setAt(null)}
        onMouseOver={({ target }) => {
          const place = (target as HTMLElement).dataset['run']
          if (place !== undefined) setAt(Number(place))
        }}
        onFocus={() => setAt(at ?? 0)}
      >
        {runs.map(({ text, author }, i) => (
          <span
            key={i}
            data-run={i}
            className={classOf(lookOf(author, authors), {
              isHere: i === at,
              isFaint: user !== null && authors[author]?.user !== user,
            })}
          >
            {text}
          </span>
        ))}
      </pre>
    </div>
  )
}

function classOf(look: string, { isHere, isFaint }: { isHere: boolean; isFaint: boolean }): string {
  return `${look}${isHere ? ' here' : ''}${isFaint ? ' faint' : ''}`
}

function RunNote({
  track,
  authorship,
  at,
}: Pick<AuthoredTextProps, 'track' | 'authorship'> & { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const run = authorship.runs[at]
  if (run === undefined) return null
  const place = track.revIds.indexOf(run.revId)
  return (
    <>
      {t('wikiPage.runNote', {
        editor: authorship.authors[run.author]?.user ?? t('wiki.hiddenEditor'),
        revId: run.revId,
        moment: place === -1 ? t('figure.unknown') : format.moment(track.at[place]!),
      })}
    </>
  )
}

interface EditorPanelProps {
  wiki: string
  track: WikiPageTrack
  authorship: WikiAuthorship
  user: string
}

/** One editor of a page: how often and how long they edited it, and what is left of it. */
function EditorPanel({ wiki, track, authorship, user }: EditorPanelProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const editor = track.editors.indexOf(user)
  const times = track.at.filter((_, place) => track.editorOf[place] === editor)
  const found = authorship.authors.find((author) => author.user === user)
  return (
    <aside className="editor-panel" aria-label={t('wikiPage.editorPanel', { user })}>
      <h3 className="address">{user}</h3>
      <FiguresList
        figures={[
          { label: t('wikiFigure.edits'), value: format.count(times.length) },
          { label: t('wikiPage.share'), value: format.percent(found?.share ?? 0) },
          {
            label: t('wikiPage.survived'),
            value: t('wikiPage.survivedOf', {
              present: format.count(found?.present ?? 0),
              added: format.count(found?.added ?? 0),
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
