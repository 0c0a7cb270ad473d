/** The thread that compares texts of wikis. See text-worker.ts for the other end. */
import { answerCalls } from '@minga/protocol'
import {
  diffTexts,
  TextHistory,
  type AuthoredToken,
  type EditorTokens,
  type TextDiff,
  type TextRevision,
} from '@minga/wiki'

export interface FollowedPage {
  /** Most present first. */
  editors: EditorTokens[]
  /** The tokens of the newest revision, in their order. */
  tokens: AuthoredToken[]
}

/** A history comes in batches, the first of which begins it anew and the last of which wants its result. */
export type TextCall =
  | { before: string; after: string }
  | { revisions: TextRevision[]; isFirst: boolean; isLast: boolean }

export interface TextReply {
  diff?: TextDiff
  followed?: FollowedPage
}

let history = new TextHistory()

answerCalls((call: TextCall): TextReply => {
  if ('before' in call) return { diff: diffTexts(call.before, call.after) }
  if (call.isFirst) history = new TextHistory()
  for (const revision of call.revisions) history.add(revision)
  if (!call.isLast) return {}
  const followed = { editors: history.editors(), tokens: history.current() }
  history = new TextHistory()
  return { followed }
})
