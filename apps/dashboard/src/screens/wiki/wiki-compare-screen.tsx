/** A few pages compared: when and by whom they were edited, and a summary of their histories. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiPageComparison } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { readMeasures } from '../../api/wikis.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { fittingUnit, isTooFine, sharedSeries, type Unit } from './edit-series.ts'
import { EditsChart } from './edits-chart.tsx'
import { UnitChoice } from './edits-over-time.tsx'
import { useDaysOfPages } from './history-figures.ts'
import { measureFigures, PAGE_MEASURES } from './measure-figures.ts'
import { PageChooser } from './page-chooser.tsx'
import { SharedEditors } from './shared-editors.tsx'
import { COMPARED_MAX, parsePages, type WikiParams } from './wiki-params.ts'
import { WikiTrail } from './wiki-links.tsx'

type Compared = WikiPageComparison['pages'][number]

export function WikiCompareScreen() {
  const { t } = useTranslation()
  const { wiki = '' } = useParams({ strict: false })
  const { pages }: WikiParams = useSearch({ strict: false })
  const pageIds = parsePages(pages)
  const comparison = useQuery({
    queryKey: ['wiki-compare', wiki, pageIds],
    queryFn: () =>
      station('GET /wikis/{wiki}/compare', {
        params: { wiki },
        query: { pageIds: pageIds.join() },
      }),
    enabled: pageIds.length > 0,
    placeholderData: (former) => former,
  })
  return (
    <>
      <WikiTrail wiki={wiki} />
      <h1>{t('wikiCompare.title')}</h1>
      <p className="quiet">{t('wikiCompare.lead', { most: COMPARED_MAX })}</p>
      <PageChooser wiki={wiki} pageIds={pageIds} pages={comparison.data?.pages ?? []} />
      {pageIds.length === 0 ? (
        <EmptyState title={t('wikiCompare.none')} text={t('wikiCompare.noneText')} />
      ) : (
        <Loaded query={comparison}>
          {(known) => <Comparison wiki={wiki} comparison={known} pageIds={pageIds} />}
        </Loaded>
      )}
    </>
  )
}

interface ComparisonProps {
  wiki: string
  comparison: WikiPageComparison
  pageIds: readonly number[]
}

function Comparison({ wiki, comparison, pageIds }: ComparisonProps) {
  const { t } = useTranslation()
  const pages = pageIds.flatMap((id) => comparison.pages.find(({ pageId }) => pageId === id) ?? [])
  return (
    <>
      <Together wiki={wiki} pages={pages} />
      <Figures wiki={wiki} pages={pages} />
      {pages.length < 2 ? null : (
        <SharedEditors wiki={wiki} pages={pages} overlaps={comparison.overlaps} />
      )}
      <p className="actions no-print">
        <Button onPress={() => window.print()}>{t('wikiCompare.print')}</Button>
      </p>
    </>
  )
}

const titleOf = ({ title, pageId }: Pick<Compared, 'title' | 'pageId'>): string =>
  title ?? String(pageId)

function Together({ wiki, pages }: { wiki: string; pages: readonly Compared[] }) {
  const { t } = useTranslation()
  const pageIds = pages.map(({ pageId }) => pageId)
  const days = useDaysOfPages(wiki, pageIds)
  const [asked, setAsked] = useState<Unit | null>(null)
  return (
    <section className="card">
      <h2>{t('wikiFigure.overTime')}</h2>
      <Loaded query={days}>
        {(known) => {
          const lists = pageIds.map((id) => known.get(id) ?? [])
          const all = lists.flat()
          const unit = asked === null || isTooFine(all, asked) ? fittingUnit(all) : asked
          return (
            <>
              <div className="chart-tools">
                <UnitChoice days={all} unit={unit} onUnit={setAsked} />
              </div>
              <Lines pages={pages} lists={lists} unit={unit} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

interface LinesProps {
  pages: readonly Compared[]
  lists: Parameters<typeof sharedSeries>[0]
  unit: Unit
}

function Lines({ pages, lists, unit }: LinesProps) {
  const { t } = useTranslation()
  const { at, edits } = useMemo(() => sharedSeries(lists, unit), [lists, unit])
  return (
    <EditsChart
      label={t('wikiCompare.chart', { pages: pages.map(titleOf).join(', ') })}
      at={at}
      unit={unit}
      lines={pages.map((page, i) => ({ label: titleOf(page), edits: edits[i] ?? [] }))}
    />
  )
}

function Figures({ wiki, pages }: { wiki: string; pages: readonly Compared[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const measured = useQueries({
    queries: pages.map(({ pageId }) => ({
      queryKey: ['wiki-measures', wiki, pageId],
      queryFn: () => readMeasures(wiki, { pageId }, PAGE_MEASURES),
    })),
  })
  const row = (label: string, cell: (page: Compared) => string): ComparedRow => ({
    label,
    cells: pages.map(cell),
  })
  const rows: ComparedRow[] = [
    row(t('wikiFigure.revisions'), ({ revisions }) => format.count(revisions)),
    row(t('wikiFigure.editors'), ({ editors }) => format.count(editors)),
    row(t('wikiFigure.size'), ({ size }) =>
      size === null ? t('figure.unknown') : format.bytes(size),
    ),
    row(t('wikiFigure.first'), ({ firstAt }) => format.date(firstAt)),
    row(t('wikiFigure.last'), ({ lastAt }) => format.date(lastAt)),
  ]
  const figures = measured.map(({ data }) =>
    data === undefined ? null : measureFigures(data, format),
  )
  const names = figures.find((one) => one !== null)?.map(({ name }) => name) ?? []
  const measureRows = names.map((name, i) => ({
    label: t(`wikiMeasure.name.${name}`),
    cells: figures.map((one) => one?.[i]?.value ?? t('figure.unknown')),
  }))
  return (
    <section className="card">
      <h2>{t('wikiCompare.figures')}</h2>
      <CompareTable
        caption={t('wikiCompare.figures')}
        heads={pages.map(titleOf)}
        rows={[...rows, ...measureRows]}
      />
    </section>
  )
}

interface ComparedRow {
  label: string
  cells: readonly string[]
}

interface CompareTableProps {
  caption: string
  heads: readonly string[]
  rows: readonly ComparedRow[]
}

/** Figures down, pages across; it scrolls in a box of its own where there is no room for all pages. */
function CompareTable({ caption, heads, rows }: CompareTableProps) {
  const { t } = useTranslation()
  return (
    <div className="wide-box" role="region" aria-label={caption} tabIndex={0}>
      <table className="compare-table">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('wikiCompare.figure')}</th>
            {heads.map((head, i) => (
              <th key={i} scope="col" className="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, cells }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {cells.map((cell, i) => (
                <td key={i} className="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
