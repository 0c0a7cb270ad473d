/** How wide an element is, followed as its place changes: drawings that carry text are not stretched. */
import { useCallback, useState } from 'react'

export function useWidth(firstPx: number): [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(firstPx)
  const box = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  return [box, width]
}
