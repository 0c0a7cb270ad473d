/**
 * A browser that loads a page begins at its top and reads its title out; links inside the page do neither. So the
 * keys go to the new screen, and its heading is said, whenever the path changes: filters, sorting and paging, which
 * stand behind the question mark, leave both alone.
 */
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

interface Arrived {
  heading: string
  /** Two screens in a row can have the same name: it is said twice. */
  count: number
}

export function Arrival() {
  const router = useRouter()
  const [{ heading, count }, setArrived] = useState<Arrived>({ heading: '', count: 0 })
  useEffect(() => {
    let forget = (): void => undefined
    const say = (text: string): void =>
      setArrived((last) => ({ heading: text, count: last.count + 1 }))
    const leave = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      const main = document.querySelector('main')
      // The first screen is the browser's own to tell, and a dialog keeps the keys until it is answered.
      if (main === null || fromLocation === undefined || !pathChanged || isDialogOpen()) return
      takeKeys(main)
      forget()
      forget = whenNamed(main, say)
    })
    return () => {
      leave()
      forget()
    }
  }, [router])
  return (
    <p className="unseen" role="status">
      <span key={count}>{heading}</span>
    </p>
  )
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
}

/** Unless the screen put them somewhere itself, or kept what they were at, as a link to the next one of a row. */
function takeKeys(main: HTMLElement): void {
  const isInside = main !== document.activeElement && main.contains(document.activeElement)
  // Where to look is the router's business, which goes back to where the reader was.
  if (!isInside) main.focus({ preventScroll: true })
}

/** Headings are the names of things: they are there when the station has answered. */
function whenNamed(main: HTMLElement, say: (heading: string) => void): () => void {
  const observer = new MutationObserver(look)
  function look(): void {
    const heading = main.querySelector('h1')?.textContent.trim() ?? ''
    if (heading === '' || main.querySelector('.skeleton') !== null) return
    observer.disconnect()
    say(heading)
  }
  observer.observe(main, { childList: true, characterData: true, subtree: true })
  look()
  return () => observer.disconnect()
}
