import { useEffect, useState } from 'react'

/** Grows when the colours change, by the reader's choice or the system's. */
export function useThemeCount(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const changed = (): void => setCount((before) => before + 1)
    window.addEventListener('minga:theme', changed)
    system.addEventListener('change', changed)
    return () => {
      window.removeEventListener('minga:theme', changed)
      system.removeEventListener('change', changed)
    }
  }, [])
  return count
}
