/** The pages of a wiki, read part by part whatever their number. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WikiDetail, WikiPageRow } from '@minga/protocol'
import { Select } from '../../components/choice.tsx'
import { readPages } from '../../api/wikis.ts'
import { ListCard } from '../../components/list/list.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { PageLink } from './wiki-links.tsx'
import { PAGE_STATES, PageStateMark } from './page/page-state-mark.tsx'
import { namespaceName } from './wiki-words.ts'

const ROWS = 100
const MATCHES = ['part', 'prefix'] as const

interface WikiPagesProps {
  wiki: string
  namespaces: WikiDetail['namespaces']
}

export function WikiPages({ wiki, namespaces }: WikiPagesProps) {
  const { t } = useTranslation()
  const [match, setMatch] = useState<(typeof MATCHES)[number]>('part')
  const columns = useColumns({ wiki, namespaces })
  return (
    <ListCard
      caption={t('wikiFigure.pages')}
      columns={columns}
      keyOf={({ pageId }) => pageId}
      searchLabel={t('wiki.searchPages')}
      firstSort="title"
      fileName={`${wiki}-pages`}
      isBoxed
      empty={<p className="quiet">{t('wiki.noPages')}</p>}
      pages={{
        key: ['wiki-pages', wiki, match],
        limit: ROWS,
        read: ({ text, filters, sort, cursor, limit }) =>
          readPages(wiki, {
            search: text,
            match,
            ns: filters['ns'],
            state: filters['state'],
            sort,
            cursor,
            limit,
          }),
      }}
    >
      <Select
        label={t('wiki.match')}
        value={match}
        onChange={setMatch}
        options={MATCHES.map((one) => [one, t(`wiki.matches.${one}`)])}
      />
    </ListCard>
  )
}

function useColumns({ wiki, namespaces }: WikiPagesProps): ListColumn<WikiPageRow>[] {
  const { t } = useTranslation()
  const articles = t('wikiFigure.articles')
  const nameOf = (ns: number): string =>
    namespaceName(namespaces.find((one) => one.ns === ns) ?? { ns, name: '' }, articles)
  return [
    {
      id: 'title',
      label: t('wikiFigure.title'),
      isAddress: true,
      canSort: true,
      cell: ({ title, redirect }) => (
        <>
          <PageLink wiki={wiki} title={title} />
          {redirect === null ? null : <span>→ {redirect}</span>}
        </>
      ),
    },
    {
      id: 'ns',
      label: t('wikiFigure.namespace'),
      canSort: true,
      cell: ({ ns }) => nameOf(ns),
      filter: {
        kind: 'choice',
        choices: namespaces.map(({ ns }) => ({ value: String(ns), label: nameOf(ns) })),
      },
    },
    { id: 'revisions', label: t('wikiFigure.revisions'), as: 'count', canSort: true },
    { id: 'editors', label: t('wikiFigure.editors'), as: 'count', canSort: true },
    { id: 'size', label: t('wikiFigure.size'), as: 'bytes', canSort: true },
    { id: 'lastAt', label: t('wikiFigure.lastEdit'), as: 'ago', isNumber: true, canSort: true },
    {
      id: 'state',
      label: t('wikiFigure.state'),
      canSort: true,
      cell: ({ state }) => <PageStateMark state={state} />,
      filter: choiceOf(PAGE_STATES, (state) => t(`wiki.pageState.${state}`)),
    },
    {
      id: 'compare',
      label: t('wikiCompare.verb'),
      content: ({ pageId, title }) => (
        <Link
          to="/wikis/$wiki/compare"
          params={{ wiki }}
          search={{ pages: String(pageId) }}
          aria-label={t('wikiCompare.named', { title })}
        >
          {t('wikiCompare.verb')}
        </Link>
      ),
    },
  ]
}
