/** Which revision is looked at: it follows the slider at once, and the address when the slider rests. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { parseRevisionIndex, type WikiParams } from '../wiki-params.ts'

const REST_MS = 300

export function useRevisionIndex(revIds: readonly number[]): [number, (index: number) => void] {
  const { rev }: WikiParams = useSearch({ strict: false })
  const navigate = useNavigate()
  const [index, setIndex] = useState(() => parseRevisionIndex(revIds, rev))
  /** What this slider wrote into the address itself: hearing of it again must not move it. */
  const written = useRef(String(rev ?? ''))
  useEffect(() => {
    if (String(rev ?? '') === written.current) return
    written.current = String(rev ?? '')
    setIndex(parseRevisionIndex(revIds, rev))
  }, [rev, revIds])
  useEffect(() => {
    const isNewest = index === revIds.length - 1
    const wanted = isNewest && written.current === '' ? '' : String(revIds[index])
    if (wanted === written.current) return
    const timer = setTimeout(() => {
      written.current = wanted
      void navigate({
        to: '.',
        search: ((former: object) => ({ ...former, rev: wanted })) as never,
        replace: true,
        resetScroll: false,
      })
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [index, revIds, navigate])
  return [index, setIndex]
}

/** A value as it was when it last rested: what is read from the station need not follow every step. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
