/** Opens the palette, which is loaded when it is first asked for; its keys work anywhere. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AreaIcon } from '../area-icon.tsx'
import { isTyping } from './is-typing.ts'
import { useJumps } from './use-jumps.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }))

type Open = 'palette' | 'shortcuts' | null

export function PaletteButton() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>(null)
  useKeys(setOpen)
  useJumps(open === null)
  return (
    <>
      <button type="button" className="palette-button" onClick={() => setOpen('palette')}>
        <AreaIcon name="search" />
        <span>{t('palette.open')}</span>
        <kbd aria-hidden="true">{isApple() ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense fallback={null}>
        {open === 'palette' ? (
          <Palette onClose={() => setOpen(null)} onShortcuts={() => setOpen('shortcuts')} />
        ) : null}
        {open === 'shortcuts' ? <Shortcuts onClose={() => setOpen(null)} /> : null}
      </Suspense>
    </>
  )
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
