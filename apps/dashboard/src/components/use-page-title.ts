/** The title of the window: what the heading of the screen says, so that tabs and histories can be distinguished. */
import { useEffect } from 'react'

const PAGE = 'Minga'

/** Headings change with the language, and with what the station answers. */
export function usePageTitle(): void {
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
