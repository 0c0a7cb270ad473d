import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { areasFor } from '../../auth/navigation.ts'
import { useMe } from '../../auth/use-me.ts'
import { isTyping } from './is-typing.ts'
import { JUMP_MS, JUMPS } from './jumps.ts'

/** Only to screens that the visitor is shown. */
export function useJumps(isOn: boolean): void {
  const navigate = useNavigate()
  const { me } = useMe()
  const actions = me?.actions ?? null
  useEffect(() => {
    if (!isOn) return
    let begunAt = Number.NEGATIVE_INFINITY
    const pressed = (event: KeyboardEvent): void => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const to = event.timeStamp - begunAt < JUMP_MS ? JUMPS[event.key] : undefined
      begunAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const isShown = areasFor(actions).some(({ screens }) => screens.some((one) => one.to === to))
      if (to !== undefined && isShown) void navigate({ to })
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [isOn, navigate, actions])
}
