/** What stands around every screen. */
import { Outlet } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LoginQuestion } from '../auth/login-question.tsx'
import { PasswordDialog } from '../auth/password-dialog.tsx'
import { Announcer } from './announcer.tsx'
import { Arrival } from './arrival.tsx'
import { Header } from './header.tsx'
import { PageSettings } from './page-settings.tsx'
import { SideBar } from './side-bar.tsx'
import { StaleBanner } from './stale-banner.tsx'
import { Toasts } from './toasts.tsx'
import { usePageTitle } from './use-page-title.ts'

export function Frame() {
  const { t } = useTranslation()
  const [isMenuOpen, setMenuOpen] = useState(false)
  useEscape(() => setMenuOpen(false))
  usePageTitle()
  return (
    <>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <div className={isMenuOpen ? 'frame menu-open' : 'frame'}>
        <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
        <SideBar onGo={() => setMenuOpen(false)} />
        <StaleBanner />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
        <PageSettings />
      </div>
      <PasswordDialog />
      <LoginQuestion />
      <Arrival />
      <Announcer />
      <Toasts />
    </>
  )
}

function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onEscape()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  })
}
