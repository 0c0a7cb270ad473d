/** Opens the palette, which is loaded when it is first asked for; its keys work anywhere. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { JUMP_MS, JUMPS } from './jumps.ts'
import { useMe } from '../../auth/use-me.ts'
import { areasFor } from '../../auth/navigation.ts'
import { AreaIcon } from '../frame/area-icon.tsx'

const fetchPalette = () => import('./palette.tsx')
const fetchShortcuts = () => import('./shortcuts.tsx')

type Open = 'palette' | 'shortcuts' | null

export function PaletteButton() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>(null)
  useKeys(setOpen)
  useJumps(open === null)
  const close = (): void => setOpen(null)
  const palette = useFetched(open === 'palette', fetchPalette, close)
  const shortcuts = useFetched(open === 'shortcuts', fetchShortcuts, close)
  return (
    <>
      <button type="button" className="palette-button" onClick={() => setOpen('palette')}>
        <AreaIcon name="search" />
        <span>{t('palette.open')}</span>
        <kbd aria-hidden="true">{isApple() ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {palette === null ? null : (
        <palette.Palette onClose={close} onShortcuts={() => setOpen('shortcuts')} />
      )}
      {shortcuts === null ? null : <shortcuts.Shortcuts onClose={close} />}
    </>
  )
}

/**
 * What is wanted, once it is here. Not `lazy`, which React shows only 300 ms after the last thing that it waited
 * for, so that a screen does not jump as its parts come in: nothing jumps here, and the user has pressed a key.
 */
function useFetched<T>(isWanted: boolean, fetch: () => Promise<T>, onFailed: () => void): T | null {
  const [fetched, setFetched] = useState<T | null>(null)
  useEffect(() => {
    // The banner reports a station that is gone; pressing again asks it again.
    if (isWanted && fetched === null) void fetch().then(setFetched, onFailed)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- closing is the same, however often it is made again.
  }, [isWanted, fetched, fetch])
  return isWanted ? fetched : null
}

function useKeys(open: (what: Open) => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open('palette')
      }
      if (event.key === '?' && !isTyping(event.target)) {
        event.preventDefault()
        open('shortcuts')
      }
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [open])
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent)
}

/** Only to screens that the visitor is shown. */
function useJumps(isOn: boolean): void {
  const navigate = useNavigate()
  const { me } = useMe()
  const actions = me?.actions ?? null
  useEffect(() => {
    if (!isOn) return
    let begunAt = Number.NEGATIVE_INFINITY
    const pressed = (event: KeyboardEvent): void => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const to = event.timeStamp - begunAt < JUMP_MS ? JUMPS[event.key] : undefined
      begunAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const isShown = areasFor(actions).some(({ screens }) => screens.some((one) => one.to === to))
      if (to !== undefined && isShown) void navigate({ to })
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [isOn, navigate, actions])
}

/** Letters typed into a field are text, not shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable]') !== null
  )
}
