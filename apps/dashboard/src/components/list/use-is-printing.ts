import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** True while the browser lays the page out for paper: then lists are whole. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // At once: the browser takes its picture when this returns.
    const begin = (): void => flushSync(() => setPrinting(true))
    const end = (): void => setPrinting(false)
    const media = matchMedia('print')
    const changed = (): void => (media.matches ? begin() : end())
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    media.addEventListener('change', changed)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
      media.removeEventListener('change', changed)
    }
  }, [])
  return isPrinting
}
