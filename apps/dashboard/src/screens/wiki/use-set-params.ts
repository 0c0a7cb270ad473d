import { useNavigate } from '@tanstack/react-router'
import type { WikiParams } from './wiki-params.ts'

/** Changes what stands behind the question mark; nothing else moves. */
export function useSetParams(): (change: WikiParams) => void {
  const navigate = useNavigate()
  return (change) =>
    void navigate({
      to: '.',
      search: ((former: object) => ({ ...former, ...change })) as never,
      replace: true,
      resetScroll: false,
    })
}
