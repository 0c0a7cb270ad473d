import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useLive, useNow } from '../../live/live-provider.tsx'
import { isStale } from '../../live/live-state.ts'
import { AreaIcon } from './area-icon.tsx'
import { PaletteButton } from '../palette/palette-button.tsx'
import { useFormat } from '../use-format.ts'

export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const { t } = useTranslation()
  return (
    <header className="top">
      <Link to="/" className="brand">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <span>
          Minga <small>{t('tagline')}</small>
        </span>
      </Link>
      <button
        type="button"
        className="menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="areas"
        onClick={onMenu}
      >
        <AreaIcon name="menu" />
        {t('nav.menu')}
      </button>
      <PaletteButton />
      <LiveMark />
    </header>
  )
}

/** The age alone changes every second: not announced, or a screen reader would never be silent. */
function LiveMark() {
  const { t } = useTranslation()
  const format = useFormat()
  const { state, isStreaming, isRefused } = useLive()
  const now = useNow(1_000)
  if (isRefused) return null
  if (state === undefined) return <p className="live-mark waiting">{t('live.waiting')}</p>
  const age = format.span(now - state.receivedAt)
  const kind = isStale(state, now) ? 'stale' : isStreaming ? 'streaming' : 'polling'
  return (
    <p className={`live-mark ${kind}`}>
      {kind === 'streaming' ? <strong>{t('live.now')} · </strong> : null}
      {t(kind === 'polling' ? 'live.polling' : 'live.updated', { age })}
    </p>
  )
}
