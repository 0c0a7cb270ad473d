/** A slider over all revisions of a page, with the size of the page above it; it can play. */
import { useEffect, useId, useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiPageTrack } from '@minga/protocol'
import { useFormat } from '../../../components/use-format.ts'
import { curvePath, curvePoints, deltaAt, playStep } from './size-curve.ts'
import { EditorLink } from '../wiki-links.tsx'

const STEP_MS = 600
const CURVE_POINTS = 800

interface ScrubberProps {
  wiki: string
  track: WikiPageTrack
  place: number
  onPlace: (place: number) => void
}

export function Scrubber(props: ScrubberProps) {
  const { track, place, onPlace } = props
  const { t } = useTranslation()
  const format = useFormat()
  const id = useId()
  const last = track.revIds.length - 1
  const valueText = t('wikiPage.valueText', {
    number: format.count(place + 1),
    count: format.count(last + 1),
    moment: format.moment(track.at[place]!),
    editor: editorAt(track, place) ?? t('wiki.hiddenEditor'),
  })
  return (
    <div className="scrubber">
      <Now {...props} />
      <SizeCurve track={track} place={place} />
      <label htmlFor={id} className="unseen">
        {t('wikiPage.slider')}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        step={1}
        value={place}
        aria-valuetext={valueText}
        onChange={({ target }) => onPlace(Number(target.value))}
      />
      <Controls place={place} last={last} onPlace={onPlace} />
    </div>
  )
}

const editorAt = ({ editors, editorOf }: WikiPageTrack, place: number): string | null =>
  editors[editorOf[place]!] ?? null

function Now({ wiki, track, place }: ScrubberProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const size = track.sizes[place] ?? null
  return (
    <p className="scrub-now">
      <b>
        {t('wikiPage.numberOf', {
          number: format.count(place + 1),
          count: format.count(track.revIds.length),
        })}
      </b>
      <span>{format.moment(track.at[place]!)}</span>
      <span className="address">
        <EditorLink wiki={wiki} user={editorAt(track, place)} />
      </span>
      <span>
        {size === null ? t('figure.unknown') : format.bytes(size)}{' '}
        <Delta delta={deltaAt(track.sizes, place)} />
      </span>
    </p>
  )
}

/** With its sign: green and red alone would say nothing. */
export function Delta({ delta }: { delta: number | null }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (delta === null) return <span className="quiet">{t('figure.unknown')}</span>
  const sign = delta > 0 ? '+' : delta < 0 ? '−' : '±'
  const kind = delta > 0 ? 'grew' : delta < 0 ? 'shrank' : 'quiet'
  return <span className={`delta ${kind}`}>{`${sign}${format.count(Math.abs(delta))}`}</span>
}

function SizeCurve({ track, place }: Pick<ScrubberProps, 'track' | 'place'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const { sizes } = track
  const points = useMemo(() => curvePoints(sizes, CURVE_POINTS), [sizes])
  const path = useMemo(() => curvePath(points, sizes.length), [points, sizes])
  const largest = points.reduce((most, { size }) => Math.max(most, size), 0)
  const x = sizes.length <= 1 ? 0 : place / (sizes.length - 1)
  return (
    <svg
      className="size-curve"
      viewBox="0 0 1 1"
      preserveAspectRatio="none"
      role="img"
      aria-label={t('wikiPage.sizeCurve', { largest: format.bytes(largest) })}
    >
      {path === '' ? null : <path className="area" d={`${path}H1V1H0z`} />}
      <path className="line" d={path} />
      <path className="here" d={`M${x} 0V1`} />
    </svg>
  )
}

interface ControlsProps {
  place: number
  last: number
  onPlace: (place: number) => void
}

function Controls({ place, last, onPlace }: ControlsProps) {
  const { t } = useTranslation()
  const [isPlaying, setIsPlaying] = useState(false)
  const isAtEnd = place >= last
  useEffect(() => {
    if (!isPlaying) return
    if (isAtEnd) {
      setIsPlaying(false)
      return
    }
    const timer = setTimeout(() => onPlace(Math.min(last, place + playStep(last + 1))), STEP_MS)
    return () => clearTimeout(timer)
  }, [isPlaying, isAtEnd, place, last, onPlace])
  const go = (to: number): void => {
    setIsPlaying(false)
    onPlace(Math.min(last, Math.max(0, to)))
  }
  const play = (): void => {
    if (isAtEnd) onPlace(0)
    setIsPlaying(!isPlaying)
  }
  return (
    <div className="scrub-controls" role="group" aria-label={t('wikiPage.controls')}>
      <Button aria-label={t('wikiPage.first')} isDisabled={place === 0} onPress={() => go(0)}>
        ⇤
      </Button>
      <Button
        aria-label={t('wikiPage.previous')}
        isDisabled={place === 0}
        onPress={() => go(place - 1)}
      >
        ←
      </Button>
      <Button className="primary" isDisabled={last === 0} onPress={play}>
        {isPlaying ? `❚❚ ${t('wikiPage.pause')}` : `▶ ${t('wikiPage.play')}`}
      </Button>
      <Button aria-label={t('wikiPage.next')} isDisabled={isAtEnd} onPress={() => go(place + 1)}>
        →
      </Button>
      <Button aria-label={t('wikiPage.newest')} isDisabled={isAtEnd} onPress={() => go(last)}>
        ⇥
      </Button>
    </div>
  )
}
