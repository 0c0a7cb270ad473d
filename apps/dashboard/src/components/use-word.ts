/** One word of the address, such as `?differs=yes`, for what is chosen on a screen without a list. */
import { useNavigate, useSearch } from '@tanstack/react-router'

export function useWord(name: string): [string, (word: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const word = search[name]
  return [
    typeof word === 'string' ? word : '',
    (next) =>
      void navigate({
        to: '.',
        search: ((former: object) => ({ ...former, [name]: next })) as never,
        replace: true,
        resetScroll: false,
      }),
  ]
}
