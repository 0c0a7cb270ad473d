/** A change at the station, after which the data it changed is read again. */
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'

export function useChange<Args, Answer>(
  change: (args: Args) => Promise<Answer>,
  touched: readonly string[],
): UseMutationResult<Answer, Error, Args> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all(touched.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  })
}
