/** What stands around every screen. */
import { Outlet } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Announcer } from './announcer.tsx'
import { AreaNav } from './area-nav.tsx'
import { Header } from './header.tsx'
import { StaleBanner } from './stale-banner.tsx'

export function Frame() {
  const { t } = useTranslation()
  return (
    <>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <Header />
      <StaleBanner />
      <main id="content" tabIndex={-1}>
        <AreaNav />
        <Outlet />
      </main>
      <Announcer />
    </>
  )
}
