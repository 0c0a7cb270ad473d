/** A text as runs of words that came with the same revision, white space included. */
import type { WikiAuthoredRun } from '@minga/protocol'
import type { AuthoredToken } from '@minga/wiki'

type Token = Pick<AuthoredToken, 'text' | 'revId' | 'user'>

/**
 * Joined together the runs are the text. Tokens are its words in their order; what stands between two of one
 * revision is theirs, what stands elsewhere belongs to the word before it.
 */
export function authoredRuns(
  text: string,
  tokens: readonly Token[],
  authorOf: (user: string | null) => number,
): WikiAuthoredRun[] {
  const runs: WikiAuthoredRun[] = []
  let until = 0
  for (const { text: word, revId, user } of tokens) {
    const at = text.indexOf(word, until)
    if (at === -1) continue
    const between = text.slice(until, at)
    const last = runs.at(-1)
    const author = authorOf(user)
    if (last === undefined) runs.push({ text: between + word, author, revId })
    else {
      last.text += between
      if (last.revId === revId && last.author === author) last.text += word
      else runs.push({ text: word, author, revId })
    }
    until = at + word.length
  }
  const rest = text.slice(until)
  const last = runs.at(-1)
  if (last !== undefined) last.text += rest
  return runs
}
