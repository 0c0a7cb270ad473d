/** Who looks at the page, and what the station lets them do. */
import { useQuery } from '@tanstack/react-query'
import { readMe, type Me } from '../api/people.ts'

export const ME = ['me']

export interface Visitor {
  /** Null for a visitor whom the station does not know. */
  me: Me | null
  /** False until the station has said who it is. */
  isKnown: boolean
  may: (action: string) => boolean
}

export function useMe(): Visitor {
  const { data } = useQuery({ queryKey: ME, queryFn: readMe, staleTime: Number.POSITIVE_INFINITY })
  return {
    me: data ?? null,
    isKnown: data !== undefined,
    may: (action) => data?.actions.some((allowed) => allowed === action) ?? false,
  }
}
