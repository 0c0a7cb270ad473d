/** The captures of an address on one axis: arrows lead to the one before and after, page keys to changes. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { CaptureRow, Tombstone } from '@minga/protocol'
import { captureByKey, placedCaptures } from './archive-time-line.ts'
import { useFormat } from '../use-format.ts'

interface ArchiveTimeLineProps {
  url: string
  /** The capture that is shown. */
  shownAt: number
  captures: readonly CaptureRow[]
  tombstones: readonly Tombstone[]
  /** Where a capture leads to. */
  to: '/archive/url' | '/archive/replay'
}

export function ArchiveTimeLine(props: ArchiveTimeLineProps) {
  const { url, shownAt, captures, tombstones, to } = props
  const { t } = useTranslation()
  const format = useFormat()
  const navigate = useNavigate()
  const box = useRef<HTMLDivElement>(null)
  const isMoved = useRef(false)
  const placed = placedCaptures(captures)
  const current = placed.findIndex(({ at }) => at === shownAt)
  useEffect(() => {
    // A user who moved by key continues from there.
    if (isMoved.current) box.current?.querySelector<HTMLElement>('[aria-current]')?.focus()
  }, [current])
  if (placed.length < 2) return null
  const open = (at: number): void => void navigate({ to, search: { url, at } })
  const press = (event: KeyboardEvent): void => {
    const next = captureByKey(event.key, current, placed)
    if (next === null) return
    event.preventDefault()
    isMoved.current = true
    open(placed[next]!.at)
  }
  const [first, last] = [placed[0]!.at, placed.at(-1)!.at]
  return (
    <div className="capture-line">
      <div
        className="capture-marks"
        role="group"
        aria-label={t('archive.timeLine')}
        ref={box}
        onKeyDown={press}
      >
        {placed.map(({ at, x, isChanged }, i) => (
          <button
            key={`${at} ${i}`}
            type="button"
            className={isChanged ? 'changed' : 'same'}
            style={{ left: `${(100 * x).toFixed(2)}%` }}
            tabIndex={i === Math.max(0, current) ? 0 : -1}
            aria-current={i === current ? 'true' : undefined}
            aria-label={t(isChanged ? 'archive.markChanged' : 'archive.markSame', {
              moment: format.moment(at),
            })}
            title={format.moment(at)}
            onClick={() => open(at)}
          />
        ))}
        {tombstones
          .filter(({ capturedAt }) => capturedAt >= first && capturedAt <= last)
          .map(({ capturedAt, reason }) => (
            <span
              key={capturedAt}
              className="stone"
              style={{ left: `${((100 * (capturedAt - first)) / (last - first)).toFixed(2)}%` }}
              title={`${t('archive.takenDown')}: ${reason}`}
              aria-hidden="true"
            >
              ✝
            </span>
          ))}
      </div>
      <p className="capture-ends quiet">
        <span>{format.moment(first)}</span>
        <span>{t('archive.timeLineHelp')}</span>
        <span>{format.moment(last)}</span>
      </p>
    </div>
  )
}
