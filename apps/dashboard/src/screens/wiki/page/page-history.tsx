/** Every edit of a page, read part by part. */
import { useTranslation } from 'react-i18next'
import { readRevisions } from '../../../api/wikis.ts'
import { RevisionList } from './revision-list.tsx'

const ROWS = 100

export function PageHistory({ wiki, pageId }: { wiki: string; pageId: number }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('wikiPage.history')}</h2>
      <RevisionList
        wiki={wiki}
        of="page"
        caption={t('wikiPage.history')}
        fileName={`${wiki}-${pageId}`}
        limit={ROWS}
        listKey={['wiki-history', wiki, pageId]}
        read={(asked) => readRevisions(wiki, { pageId, ...asked })}
      />
    </section>
  )
}
