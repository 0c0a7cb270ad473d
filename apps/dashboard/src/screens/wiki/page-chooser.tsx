/** Which pages are compared: found by a part of their title, taken out again. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiPageComparison } from '@minga/protocol'
import { readPages } from '../../api/wikis.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useSetParams } from './use-set-params.ts'
import { useSettled } from './page/use-revision-index.ts'
import { COMPARED_MAX } from './wiki-params.ts'

const FOUND_MOST = 8
const TYPING_MS = 250

interface PageChooserProps {
  wiki: string
  pageIds: readonly number[]
  pages: WikiPageComparison['pages']
}

export function PageChooser({ wiki, pageIds, pages }: PageChooserProps) {
  const { t } = useTranslation()
  const setParams = useSetParams()
  const choose = (ids: readonly number[]): void => setParams({ pages: ids.join() })
  return (
    <section className="card no-print">
      <h2>{t('wikiCompare.pages')}</h2>
      <ul className="chosen-pages">
        {pageIds.map((id) => {
          const title = pages.find(({ pageId }) => pageId === id)?.title ?? String(id)
          return (
            <li key={id}>
              <span className="address">{title}</span>
              <Button
                className="plain"
                aria-label={t('wikiCompare.dropNamed', { title })}
                onPress={() => choose(pageIds.filter((other) => other !== id))}
              >
                <span aria-hidden="true">✕</span>
              </Button>
            </li>
          )
        })}
      </ul>
      {pageIds.length < COMPARED_MAX ? (
        <Finder wiki={wiki} pageIds={pageIds} onFound={(id) => choose([...pageIds, id])} />
      ) : null}
    </section>
  )
}

interface FinderProps {
  wiki: string
  pageIds: readonly number[]
  onFound: (pageId: number) => void
}

function Finder({ wiki, pageIds, onFound }: FinderProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const search = useSettled(typed.trim(), TYPING_MS)
  const found = useQuery({
    queryKey: ['wiki-finder', wiki, search],
    queryFn: () =>
      readPages(wiki, {
        search,
        match: 'part',
        ns: undefined,
        state: undefined,
        sort: '-revisions',
        cursor: null,
        limit: FOUND_MOST,
      }),
    placeholderData: (former) => former,
  })
  const rows = (found.data?.rows ?? []).filter(({ pageId }) => !pageIds.includes(pageId))
  return (
    <>
      <Field label={t('wikiCompare.find')} value={typed} onChange={setTyped} />
      <Failure error={found.error} />
      <ul className="chosen-pages" aria-label={t('wikiCompare.found')}>
        {rows.map(({ pageId, title }) => (
          <li key={pageId}>
            <Button
              className="plain"
              aria-label={t('wikiCompare.addNamed', { title })}
              onPress={() => {
                onFound(pageId)
                setTyped('')
              }}
            >
              <span aria-hidden="true">+ </span>
              {title}
            </Button>
          </li>
        ))}
      </ul>
      {search !== '' && found.data?.rows.length === 0 ? (
        <p className="quiet">{t('wikiCompare.notFound')}</p>
      ) : null}
    </>
  )
}
