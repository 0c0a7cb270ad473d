/** Looks up which collection the form's seeds and scope are already, and keeps what was chosen about it. */
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ExistingChoice, ExistingCollection, CollectionRequest } from '@minga/protocol'
import { useState } from 'react'
import { station } from '../../api/station.ts'
import { problemsOf, requestOf, type FormValues } from './collection-form.ts'

interface Lookup {
  existing: ExistingCollection | undefined
  choice: ExistingChoice | null
  choose: (choice: ExistingChoice) => void
  /** Looks it up; while the form cannot be read, nothing is asked. */
  look: (values: FormValues) => void
  /** The same, although it was looked up before: the station has just said something else. */
  lookAgain: (values: FormValues) => void
}

export function useExisting(mayLook: boolean): Lookup {
  const [asked, setAsked] = useState<CollectionRequest | null>(null)
  const [chosen, setChosen] = useState<{ choice: ExistingChoice; id: number } | null>(null)
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['existing', asked],
    queryFn:
      asked === null ? skipToken : () => station('POST /collections/existing', { body: asked }),
    staleTime: 0,
  })
  const id = data?.collection?.id
  const look = (values: FormValues): void => {
    const isReadable = Object.keys(problemsOf(values)).length === 0
    setAsked(mayLook && isReadable ? requestOf(values) : null)
  }
  return {
    existing: data,
    // A choice about one collection says nothing about another.
    choice: chosen !== null && chosen.id === id ? chosen.choice : null,
    choose: (choice) => setChosen(id === undefined ? null : { choice, id }),
    look,
    lookAgain: (values) => {
      look(values)
      void client.invalidateQueries({ queryKey: ['existing'] })
    },
  }
}
