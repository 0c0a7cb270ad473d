/** Which country's devices are listed, as the list keeps it in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { searchWith, type Search } from '../../components/list/list-state.ts'
import { toggled } from './country-filter.ts'

export function useCountry(): { chosen: string; choose: (word: string) => void } {
  const { country } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const chosen = typeof country === 'string' ? country : ''
  const choose = (word: string): void =>
    void navigate({
      to: '.',
      search: ((former: Search) =>
        searchWith(former, '', { filters: { country: toggled(chosen, word) } })) as never,
      resetScroll: false,
    })
  return { chosen, choose }
}
