/** The state of a list, kept in the address: a link shows what its sender saw, and going back undoes. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { searchWith, stateIn, type Described, type ListState, type Search } from './list-state.ts'

export interface ListControl {
  state: ListState
  /** A step that going back undoes; typing is none (`isTyping`). */
  change: (state: Partial<ListState>, isTyping?: boolean) => void
}

export function useListState(name: string, columns: readonly Described[]): ListControl {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const state = stateIn(search, name, columns)
  // The same answer for the same question: a new object would sort a hundred thousand rows again.
  const written = JSON.stringify(state)
  const steady = useMemo(() => JSON.parse(written) as ListState, [written])
  return {
    state: steady,
    change: (asked, isTyping = false) =>
      void navigate({
        to: '.',
        search: ((former: Search) => searchWith(former, name, asked)) as never,
        replace: isTyping,
        resetScroll: false,
      }),
  }
}
