/** What the history of a page adds up to: quarrels, rhythm, inequality. Each figure says what it means. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { readMeasures } from '../../../api/wikis.ts'
import { DataTable } from '../../../components/data-table.tsx'
import { FiguresList } from '../../../components/figures-list.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { useFormat } from '../../../components/use-format.ts'
import { measureFigures, PAGE_MEASURES, type PageMeasured } from '../measure-figures.ts'
import { EditorLink } from '../wiki-links.tsx'

const PAIRS_SHOWN = 10

function usePageMeasures(wiki: string, pageId: number) {
  return useQuery({
    queryKey: ['wiki-measures', wiki, pageId],
    queryFn: () => readMeasures(wiki, { pageId }, PAGE_MEASURES),
  })
}

export function PageMeasures({ wiki, pageId }: { wiki: string; pageId: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const measures = usePageMeasures(wiki, pageId)
  return (
    <section className="card">
      <h2>{t('wikiMeasure.title')}</h2>
      <Loaded query={measures}>
        {(known) => (
          <>
            <FiguresList
              figures={measureFigures(known, format).map(({ name, value }) => ({
                label: t(`wikiMeasure.name.${name}`),
                value: value ?? t('figure.unknown'),
              }))}
            />
            <Pairs wiki={wiki} measures={known} />
            <Bursts measures={known} />
          </>
        )}
      </Loaded>
      <details>
        <summary>{t('wikiMeasure.meaning')}</summary>
        <p className="quiet">{t('wikiMeasure.meaningText')}</p>
      </details>
    </section>
  )
}

function Pairs({ wiki, measures }: { wiki: string; measures: PageMeasured }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { pairs } = measures.reverts
  if (pairs.length === 0) return null
  return (
    <>
      <h3>{t('wikiMeasure.pairs')}</h3>
      <DataTable
        caption={t('wikiMeasure.pairs')}
        columns={[
          {
            label: t('wikiMeasure.by'),
            isAddress: true,
            cell: ({ by }) => <EditorLink wiki={wiki} user={by} />,
          },
          {
            label: t('wikiMeasure.of'),
            isAddress: true,
            cell: ({ of }) => <EditorLink wiki={wiki} user={of} />,
          },
          {
            label: t('wikiMeasure.times'),
            isNumber: true,
            cell: ({ times }) => format.count(times),
          },
        ]}
        rows={pairs.slice(0, PAIRS_SHOWN)}
        keyOf={({ by, of }) => `${by}\n${of}`}
      />
    </>
  )
}

function Bursts({ measures: { bursts } }: { measures: PageMeasured }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (bursts.length === 0) return null
  return (
    <>
      <h3>{t('wikiMeasure.bursts')}</h3>
      <ul className="names">
        {bursts.slice(0, PAIRS_SHOWN).map(({ from, until, edits, intensity }) => (
          <li key={from}>
            {t('wikiMeasure.burst', {
              from: format.day(Date.parse(from)),
              until: format.day(Date.parse(until)),
              edits: format.count(edits),
              intensity: format.rate(intensity),
            })}
          </li>
        ))}
      </ul>
    </>
  )
}
