/** The state that a user sees of a collection: once it is finished, how it ended. */
import type { Collection } from '../api/api-types.ts'

export type ShownState =
  | Collection['state']
  | Exclude<NonNullable<Collection['outcome']>, 'complete'>

export function shownState({ state, outcome }: Pick<Collection, 'state' | 'outcome'>): ShownState {
  return outcome === null || outcome === 'complete' ? state : outcome
}
