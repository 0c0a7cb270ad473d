import { useStation } from '../../api/use-station.ts'

/** An epoch with everything that its plan weighed; it does not change any more. */
export function useEpoch(number: number) {
  return useStation(['epoch', number], 'GET /place/epochs/{epoch}', {
    params: { epoch: number },
    staleTime: Number.POSITIVE_INFINITY,
  })
}
