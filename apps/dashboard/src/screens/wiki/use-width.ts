import { useEffect, useRef, useState, type RefObject } from 'react'

/** How wide an element is now; 0 before it is laid out. */
export function useWidth<T extends Element>(): [RefObject<T | null>, number] {
  const box = useRef<T>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [])
  return [box, width]
}
