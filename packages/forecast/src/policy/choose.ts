/**
 * Which policy a watch has while nobody chose one: a table by how its pages behave, by whether somebody
 * tells truthfully of their changes, and by the gate, here its first requirement alone (at most half of
 * the told changes lost): storage and machine are the same under either policy.
 *
 * Every entry is measured (docs/experiments-revisit.md, "What Minga chooses by"). Where nobody tells,
 * no policy is ahead of `minga` on all pages together: it finds rhythms, bursts and rare changes by
 * itself, and pages under another policy would have to pay from a purse of their own. Where
 * somebody tells and the budget lets half of it or more be followed, `complete-observation` is ahead by up
 * to 1.5 % on steady pages and those without pattern, and behind on the others; where the budget is
 * scarcer, it is far behind on all.
 */
import type { PageClass } from '../estimate/class-of.ts'

type Kind = PageClass['kind']

export interface ChoiceFacts {
  kind: Kind
  isTold: boolean
  /** Of the changes that were told of at most half were lost; null: nothing was told yet. */
  passesGate: boolean | null
}

export interface Choice {
  policy: string
  /** One sentence, without its full stop. */
  reason: string
}

const UNTOLD: Readonly<Record<Kind, string>> = {
  steady: 'of steady pages that nobody tells of it catches the most versions',
  rare: 'pages that rarely change leave their visits to others at one price for all',
  seasonal: 'it learns the rhythm of a page and visits when most happens',
  'without pattern': 'it notices bursts and turns within a few visits',
}

const TOLD: Readonly<Record<Kind, Choice>> = {
  steady: {
    policy: 'complete-observation',
    reason: 'somebody tells of its changes, and most of what is told can be followed',
  },
  rare: {
    policy: 'minga',
    reason: 'somebody tells of its changes, which are rare: all of them are worth a visit',
  },
  seasonal: {
    policy: 'minga',
    reason: 'somebody tells of its changes, which come in a rhythm: the most important go first',
  },
  'without pattern': {
    policy: 'complete-observation',
    reason: 'somebody tells of its changes, which nobody could foresee, and they can be followed',
  },
}

const TOLD_TOO_MUCH: Choice = {
  policy: 'minga',
  reason: 'somebody tells of more changes than the budget can follow: the most important go first',
}

export function choosePolicy({ kind, isTold, passesGate }: ChoiceFacts): Choice {
  if (!isTold) return { policy: 'minga', reason: UNTOLD[kind] }
  return passesGate === true ? TOLD[kind] : TOLD_TOO_MUCH
}
