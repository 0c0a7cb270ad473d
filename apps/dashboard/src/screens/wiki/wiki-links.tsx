/** Ways from one screen of wikis to another. Names and titles are strangers' texts, and stay texts. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

/** Where a screen stands: all wikis, and the wiki it is of. */
export function WikiTrail({ wiki }: { wiki?: string }) {
  const { t } = useTranslation()
  return (
    <nav className="trail" aria-label={t('wiki.trail')}>
      <Link to="/wikis" activeOptions={{ exact: true }}>
        {t('wiki.title')}
      </Link>
      {wiki === undefined ? null : (
        <>
          <span aria-hidden="true"> › </span>
          <Link to="/wikis/$wiki" params={{ wiki }} activeOptions={{ exact: true }}>
            {wiki}
          </Link>
        </>
      )}
    </nav>
  )
}

interface PageLinkProps {
  wiki: string
  title: string
  rev?: number
  children?: string
}

export function PageLink({ wiki, title, rev, children }: PageLinkProps) {
  return (
    <Link
      to="/wikis/$wiki/page"
      params={{ wiki }}
      search={{ title, ...(rev === undefined ? {} : { rev }) }}
    >
      {children ?? title}
    </Link>
  )
}

/** Null: the wiki hides who it was. */
export function EditorLink({ wiki, user }: { wiki: string; user: string | null }) {
  const { t } = useTranslation()
  if (user === null) return <i className="quiet">{t('wiki.hiddenEditor')}</i>
  return (
    <Link to="/wikis/$wiki/editor" params={{ wiki }} search={{ name: user }}>
      {user}
    </Link>
  )
}

/** An address that a wiki gave of itself: only what a browser may open without harm is a link. */
export function OutsideLink({ url, children }: { url: string; children: string }) {
  if (!/^https?:\/\//i.test(url)) return <>{children}</>
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  )
}
