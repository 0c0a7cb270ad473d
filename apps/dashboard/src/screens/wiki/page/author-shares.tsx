/** What each author has in a text: a bar, and the same figures as a table. */
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiAuthorship } from '@minga/protocol'
import { useFormat } from '../../../components/use-format.ts'
import { legendOf, type LegendEntry } from './author-looks.ts'

interface AuthorSharesProps {
  authorship: WikiAuthorship
  user: string | null
  onUser: (user: string | null) => void
}

export function AuthorShares({ authorship, user, onUser }: AuthorSharesProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const legend = legendOf(authorship.authors)
  return (
    <>
      <div className="author-bar" aria-hidden="true">
        {legend.map(({ look, share }) => (
          <span key={look} className={look} style={{ flexGrow: share }} />
        ))}
      </div>
      <table className="author-table">
        <caption className="unseen">{t('wikiPage.shares')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('wikiFigure.editor')}</th>
            <th scope="col" className="number">
              {t('wikiPage.words')}
            </th>
            <th scope="col" className="number">
              {t('wikiPage.share')}
            </th>
          </tr>
        </thead>
        <tbody>
          {legend.map((entry) => (
            <tr key={entry.look}>
              <td className="author-name">
                <span className={`author-key ${entry.look}`} aria-hidden="true">
                  Aa
                </span>{' '}
                <AuthorName entry={entry} user={user} onUser={onUser} />
              </td>
              <td className="number">{format.count(entry.present)}</td>
              <td className="number">{format.percent(entry.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function AuthorName({
  entry,
  user,
  onUser,
}: Pick<AuthorSharesProps, 'user' | 'onUser'> & { entry: LegendEntry }) {
  const { t } = useTranslation()
  if (entry.look === 'author-rest') return <>{t('wikiPage.others', { count: entry.authors })}</>
  if (entry.user === null) return <i className="quiet">{t('wiki.hiddenEditor')}</i>
  const isChosen = entry.user === user
  return (
    <Button
      className="link"
      aria-pressed={isChosen}
      onPress={() => onUser(isChosen ? null : entry.user)}
    >
      {entry.user}
    </Button>
  )
}
