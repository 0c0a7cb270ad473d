/** What changed from one revision to another: by word or by line, under each other or side by side. */
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useId, useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiPageTrack } from '@minga/protocol'
import { Select } from '../../../components/choice.tsx'
import { station } from '../../../api/station.ts'
import type { Operations } from '../../../api/station-api.ts'
import { Loaded } from '../../../components/loaded.tsx'
import { useFormat } from '../../../components/use-format.ts'
import { DiffTable } from './diff-table.tsx'
import { diffRows, withoutStretches } from './diff-rows.ts'
import { useSetParams } from '../use-set-params.ts'
import { parseNumber, type WikiParams } from '../wiki-params.ts'

interface RevisionDiffProps {
  wiki: string
  track: WikiPageTrack
  place: number
}

export function RevisionDiff({ wiki, track, place }: RevisionDiffProps) {
  const { t } = useTranslation()
  const { against }: WikiParams = useSearch({ strict: false })
  const { revIds } = track
  const other = parseNumber(against)
  const chosen = other === null ? -1 : revIds.indexOf(other)
  const former = chosen === -1 ? place - 1 : chosen
  return (
    <>
      <DiffChoices track={track} place={place} against={chosen === -1 ? null : chosen} />
      {former < 0 || former === place ? (
        <p className="quiet">{t(former < 0 ? 'wikiPage.isFirst' : 'wikiPage.isSame')}</p>
      ) : (
        <Diff wiki={wiki} before={revIds[former]!} after={revIds[place]!} />
      )}
    </>
  )
}

interface DiffChoicesProps {
  track: WikiPageTrack
  place: number
  /** The place of the revision that this one is compared with; null: the one before. */
  against: number | null
}

function DiffChoices({ track, place, against }: DiffChoicesProps) {
  const { t } = useTranslation()
  const { by, side }: WikiParams = useSearch({ strict: false })
  const setParams = useSetParams()
  return (
    <div className="chart-tools">
      <Select
        label={t('wikiPage.against')}
        value={against === null ? 'previous' : 'other'}
        onChange={(chosen) =>
          setParams({
            against: chosen === 'other' ? String(track.revIds[Math.max(0, place - 1)]) : '',
          })
        }
        options={[
          ['previous', t('wikiPage.previousOne')],
          ['other', t('wikiPage.anyOne')],
        ]}
      />
      <Select
        label={t('wikiPage.by')}
        value={by === 'line' ? 'line' : 'word'}
        onChange={(chosen) => setParams({ by: chosen })}
        options={[
          ['word', t('wikiPage.byWord')],
          ['line', t('wikiPage.byLine')],
        ]}
      />
      <Select
        label={t('wikiPage.layout')}
        value={side === 'by-side' ? 'by-side' : 'inline'}
        onChange={(chosen) => setParams({ side: chosen })}
        options={[
          ['inline', t('wikiPage.inline')],
          ['by-side', t('wikiPage.sideBySide')],
        ]}
      />
      {against === null ? null : <OtherSlider track={track} against={against} />}
    </div>
  )
}

function OtherSlider({ track, against }: { track: WikiPageTrack; against: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const id = useId()
  const setParams = useSetParams()
  const text = t('wikiPage.otherOne', {
    number: format.count(against + 1),
    moment: format.moment(track.at[against]!),
  })
  return (
    <div className="other-slider">
      <label htmlFor={id}>{t('wikiPage.anyOne')}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={track.revIds.length - 1}
        step={1}
        value={against}
        aria-valuetext={text}
        onChange={({ target }) =>
          setParams({ against: String(track.revIds[Number(target.value)]) })
        }
      />
      <output htmlFor={id}>{text}</output>
    </div>
  )
}

function Diff({ wiki, before, after }: { wiki: string; before: number; after: number }) {
  const diff = useQuery({
    queryKey: ['wiki-diff', wiki, before, after],
    queryFn: () =>
      station('GET /wikis/{wiki}/diff', { params: { wiki }, query: { before, after } }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (former) => former,
  })
  return <Loaded query={diff}>{(known) => <Shown diff={known} />}</Loaded>
}

function Shown({ diff }: { diff: Operations['GET /wikis/{wiki}/diff']['answer'] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { by, side }: WikiParams = useSearch({ strict: false })
  const [isWhole, setIsWhole] = useState(false)
  const rows = useMemo(() => diffRows(diff.parts), [diff])
  const shown = useMemo(() => (isWhole ? rows : withoutStretches(rows)), [rows, isWhole])
  const { added, removed, moved } = diff.tokens
  const isUnchanged = rows.every(({ kind }) => kind === 'same')
  return (
    <>
      <p role="status">
        {isUnchanged
          ? t('wikiPage.unchanged')
          : t('wikiPage.changed', {
              added: format.count(added),
              removed: format.count(removed),
              moved: format.count(moved),
            })}
      </p>
      {isUnchanged ? null : (
        <DiffTable rows={shown} isByLine={by === 'line'} isBeside={side === 'by-side'} />
      )}
      {isWhole || isUnchanged ? null : (
        <Button className="plain" onPress={() => setIsWhole(true)}>
          {t('wikiPage.showSame')}
        </Button>
      )}
    </>
  )
}
