/** Acts with a way back, instead of a question before each. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { actLater } from './toast-store.ts'

interface UndoableAct {
  /** What was done, as the toast says it: "Watch removed". */
  text: string
  /** Which row it is about: hidden at once, back when it is undone. */
  key: string | number
  act: () => Promise<unknown>
  /** First words of what is read again afterwards. */
  touched: readonly string[]
}

export interface Undo {
  act: (act: UndoableAct) => void
  /** Whether this row is on its way out. */
  isLeaving: (key: string | number) => boolean
}

export function useUndo(): Undo {
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  return useMemo(
    () => ({
      act: ({ text, key, act, touched }) => {
        setLeaving((former) => new Set([...former, String(key)]))
        actLater({
          text,
          act,
          settled: () =>
            void Promise.all(
              touched.map((name) => queries.invalidateQueries({ queryKey: [name] })),
            ).finally(() =>
              setLeaving((former) => new Set([...former].filter((one) => one !== String(key)))),
            ),
        })
      },
      isLeaving: (key) => leaving.has(String(key)),
    }),
    [queries, leaving],
  )
}
