/** Completeness: known gaps, and a check of every file on request. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiDetail, WikiGapRow } from '@minga/protocol'
import { station } from '../../api/station.ts'
import type { Verified } from '../../api/station-api.ts'
import { readGaps } from '../../api/wikis.ts'
import { Failure } from '../../components/failure.tsx'
import { List } from '../../components/list/list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { PageStateMark } from './page/page-state-mark.tsx'
import { PageLink } from './wiki-links.tsx'

const DAMAGES_SHOWN = 50

export function WikiIntegrity({ detail }: { detail: WikiDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { wiki, gaps, states } = detail
  const noted = useQuery({ queryKey: ['wiki-gaps', wiki, gaps], queryFn: () => readGaps(wiki) })
  const verify = useMutation({
    mutationFn: () => station('GET /wikis/{wiki}/verify', { params: { wiki } }),
  })
  const columns = useColumns(wiki)
  return (
    <section className="card">
      <h2>{t('wikiWhole.title')}</h2>
      <p className="state-row">
        {states.map(({ state, pages }) => (
          <span key={state}>
            <PageStateMark state={state} /> {format.count(pages)}
          </span>
        ))}
      </p>
      <List
        name="gaps"
        caption={t('wikiWhole.gaps')}
        columns={columns}
        rows={noted}
        keyOf={({ pageId, revId, kind }) => `${pageId} ${revId} ${kind}`}
        fileName={`${wiki}-gaps`}
        empty={<p>{t('wikiWhole.noGaps')}</p>}
        isBoxed
      />
      <Failure error={verify.error} />
      <p className="actions">
        <Button onPress={() => verify.mutate()} isDisabled={verify.isPending}>
          {t('wikiWhole.verify')}
        </Button>
        <span role="status" className="quiet">
          {verify.isPending ? t('wikiWhole.verifying') : ''}
        </span>
      </p>
      {verify.data === undefined ? null : <Result verified={verify.data} />}
      <p className="quiet">{t('wikiWhole.note')}</p>
    </section>
  )
}

function Result({ verified }: { verified: Verified }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { damages, gaps } = verified
  return (
    <div role="status">
      <p>
        <StatusBadge
          kind={damages.length === 0 ? 'info' : 'bad'}
          text={damages.length === 0 ? t('wikiWhole.sound') : t('wikiWhole.damaged')}
        />{' '}
        {t('wikiWhole.result', {
          pages: format.count(verified.pages),
          revisions: format.count(verified.revisions),
          gaps: format.count(gaps.length),
          damages: format.count(damages.length),
        })}
      </p>
      {damages.length === 0 ? null : (
        <ul className="names">
          {damages.slice(0, DAMAGES_SHOWN).map((sentence, i) => (
            <li key={i}>{sentence}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function useColumns(wiki: string): ListColumn<WikiGapRow>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'title',
      label: t('wikiFigure.title'),
      isAddress: true,
      value: ({ title, pageId }) => title ?? String(pageId),
      cell: ({ title, pageId, revId }) =>
        title === null ? (
          pageId
        ) : (
          <PageLink wiki={wiki} title={title} {...(revId === null ? {} : { rev: revId })} />
        ),
    },
    { id: 'sentence', label: t('wikiWhole.what'), as: 'text' },
    {
      id: 'isExplained',
      label: t('wikiWhole.explained'),
      cell: ({ isExplained }) => (
        <StatusBadge
          kind={isExplained ? 'info' : 'warn'}
          text={t(isExplained ? 'wikiWhole.isExplained' : 'wikiWhole.isGap')}
        />
      ),
    },
  ]
}
