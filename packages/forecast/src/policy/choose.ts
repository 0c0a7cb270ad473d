/**
 * Which policy a watch has by default: a table by how its pages behave, by whether their changes
 * are signalled reliably, and by the gate, here its first requirement alone (at most half of the
 * signalled changes lost): storage and machine are the same under either policy.
 *
 * Every entry is measured (docs/experiments-revisit.md, "What Minga chooses by"). Without signals,
 * no policy is ahead of `minga` on all pages together: it finds rhythms, bursts and rare changes by
 * itself, and pages under another policy would need a separate budget. With signals and a budget
 * that lets half of them or more be followed, `complete-observation` is ahead by up to 1.5 % on
 * steady pages and those without pattern, and behind on the others; where the budget is scarcer, it
 * is far behind on all.
 */
import type { PageClass } from '../estimate/class-of.ts'

type Kind = PageClass['kind']

export interface ChoiceFacts {
  kind: Kind
  isTold: boolean
  /** Of the signalled changes at most half were lost; null: nothing was signalled yet. */
  passesGate: boolean | null
}

export interface Choice {
  policy: string
  /** One sentence, without its full stop. */
  reason: string
}

const UNTOLD: Readonly<Record<Kind, string>> = {
  steady: 'on steady pages without signals it catches the most versions',
  rare: 'pages that rarely change leave their visits to others at one price for all',
  seasonal: 'it learns the rhythm of a page and visits when most happens',
  'without pattern': 'it notices bursts and turns within a few visits',
}

const TOLD: Readonly<Record<Kind, Choice>> = {
  steady: {
    policy: 'complete-observation',
    reason: 'its changes are signalled, and most of the signals can be followed',
  },
  rare: {
    policy: 'minga',
    reason: 'its changes are signalled and rare: all of them are worth a visit',
  },
  seasonal: {
    policy: 'minga',
    reason: 'its changes are signalled and come in a rhythm: the most important go first',
  },
  'without pattern': {
    policy: 'complete-observation',
    reason: 'its changes are signalled and unpredictable, and they can be followed',
  },
}

const TOLD_TOO_MUCH: Choice = {
  policy: 'minga',
  reason: 'more changes are signalled than the budget can follow: the most important go first',
}

export function choosePolicy({ kind, isTold, passesGate }: ChoiceFacts): Choice {
  if (!isTold) return { policy: 'minga', reason: UNTOLD[kind] }
  return passesGate === true ? TOLD[kind] : TOLD_TOO_MUCH
}
