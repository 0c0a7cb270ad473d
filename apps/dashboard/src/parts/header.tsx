import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LANGUAGES, setLanguage, type Language } from '../i18n.ts'
import { useLive, useNow } from '../live/live-provider.tsx'
import { isStale } from '../live/live-state.ts'
import { applyTheme, readTheme, THEMES, type Theme } from '../theme.ts'
import { useFormat } from './use-format.ts'

export function Header() {
  const { t } = useTranslation()
  return (
    <header className="top">
      <Link to="/" className="brand">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <span>
          Minga <small>{t('tagline')}</small>
        </span>
      </Link>
      <nav aria-label={t('nav.label')}>
        <Link to="/" activeOptions={{ exact: true }}>
          {t('nav.overview')}
        </Link>
        <Link to="/new">{t('nav.new')}</Link>
      </nav>
      <LiveMark />
      <Settings />
    </header>
  )
}

/** The age alone changes every second: not announced, or a screen reader would never be silent. */
function LiveMark() {
  const { t } = useTranslation()
  const format = useFormat()
  const { state, isStreaming } = useLive()
  const now = useNow(1_000)
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

function Settings() {
  const { t, i18n } = useTranslation()
  const [theme, setTheme] = useState<Theme>(readTheme)
  return (
    <div className="settings">
      <select
        aria-label={t('settings.language')}
        value={i18n.language}
        onChange={(event) => void setLanguage(event.target.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={t('settings.theme')}
        value={theme}
        onChange={(event) => {
          const chosen = event.target.value as Theme
          setTheme(chosen)
          applyTheme(chosen)
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {t(`settings.${name}`)}
          </option>
        ))}
      </select>
    </div>
  )
}
