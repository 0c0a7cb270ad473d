/** How this reader sees the page: language, colours, and by which clock. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { setLanguage } from '../../i18n.ts'
import { LANGUAGES, type Language } from '../../language.ts'
import { applyTheme, readTheme, THEMES, type Theme } from '../../theme.ts'
import { applyZone, ZONES, type Zone } from '../../zone.ts'
import { useZone } from '../use-zone.ts'

export function PageSettings() {
  const { t, i18n } = useTranslation()
  return (
    <section className="settings" aria-label={t('settings.label')}>
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
      <ThemeChoice />
      <ZoneChoice />
    </section>
  )
}

function ThemeChoice() {
  const { t } = useTranslation()
  const [theme, setTheme] = useState<Theme>(readTheme)
  return (
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
  )
}

function ZoneChoice() {
  const { t } = useTranslation()
  const zone = useZone()
  return (
    <select
      aria-label={t('settings.zone')}
      value={zone}
      onChange={(event) => applyZone(event.target.value as Zone)}
    >
      {ZONES.map((name) => (
        <option key={name} value={name}>
          {t(`settings.${name}`)}
        </option>
      ))}
    </select>
  )
}
