/**
 * What people do to a wiki. The fake wiki and the real one perform the same operations, so that one
 * history can be made in both and their answers compared.
 */

interface Done {
  /** When: ISO 8601, whole seconds, UTC. A real wiki takes the present where it is absent. */
  at?: string
  /** A name, or the address of an anonymous editor; `Admin` where absent. */
  user?: string
  comment?: string
}

export type WikiOperation =
  | (Done & {
      do: 'edit'
      title: string
      text: string
      minor?: boolean
      bot?: boolean
      tags?: string[]
      model?: string
      /** Further slots; the wikis for tests know the role `aside`. */
      slots?: Record<string, string>
    })
  | (Done & { do: 'move'; title: string; to: string; redirect?: boolean })
  | (Done & { do: 'delete'; title: string })
  /** `only`: the times of the revisions that come back; all where absent. */
  | (Done & { do: 'undelete'; title: string; only?: string[] })
  | (Done & { do: 'hide'; title: string; revids: number[]; fields: HideableField[] })
  /** The revisions of `title` up to `until` (all where absent) become revisions of `to`. */
  | (Done & { do: 'merge'; title: string; to: string; until?: string })
  /** As Special:Import: the users of the XML are named `prefix>Name`. */
  | (Done & { do: 'import'; xml: string; prefix?: string })
  | (Done & { do: 'tag'; revid: number; tags: string[] })

/** `suppress` hides from administrators too; no field at all shows everything again. */
export type HideableField = 'text' | 'user' | 'comment' | 'suppress'

export interface WikiOperationResult {
  revid?: number
  pageid?: number
  /** The edit changed nothing, so there is no new revision. */
  unchanged?: true
  error?: string
}
