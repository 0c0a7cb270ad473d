/** The thread that reads long answers of wikis and compares their texts. See text-worker.ts for the other end. */
import { answerCalls } from '@minga/protocol'
import {
  diffTexts,
  readAnswer,
  TextHistory,
  type AnswerContext,
  type AuthoredToken,
  type EditorTokens,
  type Revision,
  type TextDiff,
  type TextRevision,
  type WikiAnswer,
  type WikiNews,
  type WikiStep,
} from '@minga/wiki'

export interface FollowedPage {
  /** Most present first. */
  editors: EditorTokens[]
  /** The tokens of the newest revision, in their order. */
  tokens: AuthoredToken[]
}

export interface AnswerCall {
  step: WikiStep
  answer: WikiAnswer
  context: Omit<AnswerContext, 'known'>
  /** What is known of the revision that the step is about, for texts alone. */
  known: Revision | null
}

/** A history comes in batches, the first of which starts over and the last of which wants its result. */
export type TextCall =
  | AnswerCall
  | { before: string; after: string }
  | { revisions: TextRevision[]; isFirst: boolean; isLast: boolean }

export interface TextReply {
  news?: WikiNews
  diff?: TextDiff
  followed?: FollowedPage
}

let history = new TextHistory()

answerCalls((call: TextCall): TextReply => {
  if ('step' in call) {
    const { step, answer, context, known } = call
    return { news: readAnswer(step, answer, { ...context, known: () => known }) }
  }
  if ('before' in call) return { diff: diffTexts(call.before, call.after) }
  if (call.isFirst) history = new TextHistory()
  for (const revision of call.revisions) history.add(revision)
  if (!call.isLast) return {}
  const followed = { editors: history.editors(), tokens: history.current() }
  history = new TextHistory()
  return { followed }
})
