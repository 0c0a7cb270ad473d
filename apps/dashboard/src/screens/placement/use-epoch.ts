import { useQuery } from '@tanstack/react-query'
import { readEpoch } from '../../api/placement.ts'

/** An epoch with everything that its plan weighed; it does not change any more. */
export function useEpoch(number: number) {
  return useQuery({
    queryKey: ['epoch', number],
    queryFn: () => readEpoch(number),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
