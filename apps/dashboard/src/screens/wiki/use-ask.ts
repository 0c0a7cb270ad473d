import { useNavigate } from '@tanstack/react-router'
import type { WikiAsked } from './wiki-asked.ts'

/** Changes what stands behind the question mark; nothing else moves. */
export function useAsk(): (change: WikiAsked) => void {
  const navigate = useNavigate()
  return (change) =>
    void navigate({
      to: '.',
      search: ((former: object) => ({ ...former, ...change })) as never,
      replace: true,
      resetScroll: false,
    })
}
