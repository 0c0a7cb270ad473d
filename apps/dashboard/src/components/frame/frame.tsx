/** What stands around every screen. */
import { Outlet } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameOf } from '../collection-name.tsx'
import { shownState, type ShownState } from '../../live/shown-state.ts'
import { useFormat } from '../use-format.ts'
import { isStale } from '../../live/live-state.ts'
import { useLive, useNow } from '../../live/live-provider.tsx'
import { LoginQuestion } from '../../auth/login-question.tsx'
import { PasswordDialog } from '../../auth/password-dialog.tsx'
import { Arrival } from './arrival.tsx'
import { Header } from './header.tsx'
import { PageSettings } from './page-settings.tsx'
import { SideBar } from './side-bar.tsx'
import { Toasts } from './toasts.tsx'

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

const PAGE = 'Minga'

/** The title of the window is the heading of the screen, which changes with the language and with what the station answers. */
function usePageTitle(): void {
  useEffect(() => {
    const main = document.querySelector('main')
    if (main === null) return
    const retitle = (): void => {
      const heading = main.querySelector('h1')?.textContent.trim() ?? ''
      const title = heading === '' ? PAGE : `${heading} · ${PAGE}`
      if (document.title !== title) document.title = title
    }
    const observer = new MutationObserver(retitle)
    observer.observe(main, { childList: true, characterData: true, subtree: true })
    retitle()
    return () => observer.disconnect()
  }, [])
}

function StaleBanner() {
  const { t } = useTranslation()
  const format = useFormat()
  const { state } = useLive()
  const now = useNow(1_000)
  // The region is there before its text, else screen readers miss the first one.
  return (
    <div role="alert" aria-atomic="false">
      {state !== undefined && isStale(state, now) ? (
        <p className="banner warning">
          <span aria-hidden="true">⚠ </span>
          {t('live.stale', { age: format.span(now - state.receivedAt) })}
        </p>
      ) : null}
    </div>
  )
}

/** Tells screen readers when a collection changes its state: rare news, unlike the counts. */
function Announcer() {
  const { t } = useTranslation()
  const { state } = useLive()
  const known = useRef(new Map<number, ShownState>())
  const [news, setNews] = useState('')
  useEffect(() => {
    const changed = (state?.snapshot.collections ?? []).filter((collection) => {
      const former = known.current.get(collection.id)
      const shown = shownState(collection)
      known.current.set(collection.id, shown)
      return former !== undefined && former !== shown
    })
    if (changed.length === 0) return
    const sentences = changed.map((collection) =>
      t('live.finished', {
        name: nameOf(collection, t),
        state: t(`state.${shownState(collection)}`),
      }),
    )
    setNews(sentences.join('. '))
  }, [state, t])
  return (
    <p className="unseen" role="status">
      {news}
    </p>
  )
}
