import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LANGUAGES, setLanguage, type Language } from '../i18n.ts'
import { useLive, useNow } from '../live/live-provider.tsx'
import { isStale } from '../live/live-state.ts'
import { areaOf, areasFor } from '../people/navigation.ts'
import { useMe } from '../people/use-me.ts'
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
      <Areas />
      <LiveMark />
      <Settings />
    </header>
  )
}

/** Only what the visitor may do; the account comes last, or the door to get one. */
function Areas() {
  const { t } = useTranslation()
  const { me, isKnown } = useMe()
  const { pathname } = useLocation()
  const areas = areasFor(me?.actions ?? null)
  const open = areaOf(areas, pathname)
  return (
    <nav aria-label={t('nav.label')}>
      {areas.map((area) => (
        <Link
          key={area.name}
          to={area.screens[0]!.to}
          className={area === open ? 'active' : ''}
          activeProps={{}}
          {...(area === open ? { 'aria-current': 'true' as const } : {})}
        >
          {area.name === 'account' ? me!.account.name : t(`nav.${area.name}`)}
        </Link>
      ))}
      {isKnown && me === null ? <Link to="/log-in">{t('people.logIn')}</Link> : null}
    </nav>
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
