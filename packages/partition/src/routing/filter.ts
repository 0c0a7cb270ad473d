/**
 * What a station collects at all, said by its operator: rules by domain, address, content and
 * geography that stand above every routing table. The FIRST rule that matches decides, `otherwise`
 * decides the rest; a station below several federations wants what all their filters want.
 *
 * Before a page is fetched its text and language are unknown, before a name is resolved its address.
 * A rule about an unknown fact may or may not match: when that could change the outcome the verdict
 * is `open`, and the URL stays until more is known, else a focused collection could never begin.
 */

export type Effect = 'allow' | 'deny'
export type Verdict = 'wanted' | 'unwanted' | 'open'

/** Undefined: not known yet. Null: known to have none. */
export interface UrlFacts {
  host: string
  addresses?: readonly string[] | undefined
  /** The page's text, for rules about words. */
  text?: string | null | undefined
  /** Media type, with or without parameters. */
  type?: string | null | undefined
  /** BCP 47, as `pt` or `pt-BR`. */
  language?: string | null | undefined
  /** ISO 3166, as `PT`. */
  country?: string | null | undefined
  place?: Place | null | undefined
}

/** In degrees. */
export interface Place {
  latitude: number
  longitude: number
}

/** Null: it cannot be said yet. */
export type Condition = (known: Known) => boolean | null

/** What a rule may ask about besides the host's name. */
export type FactName = Exclude<keyof UrlFacts, 'host'>

/** All conditions of a rule have to hold. */
export interface Rule {
  effect: Effect
  conditions: readonly Condition[]
  asks: readonly FactName[]
}

export interface Filter {
  rules: readonly Rule[]
  otherwise: Effect
}

export interface Judgement {
  verdict: Verdict
  /** The place of the rule that decides, or whose answer is missing; null for `otherwise`. */
  rule: number | null
}

export function isWanted(filter: Filter, facts: UrlFacts): boolean {
  return judge(filter, facts).verdict !== 'unwanted'
}

/** Whether one of these facts can matter to a filter; what cannot need not be found out. */
export function asksAbout(filter: Filter, facts: readonly FactName[]): boolean {
  return filter.rules.some(({ asks }) => asks.some((fact) => facts.includes(fact)))
}

export function judge(filter: Filter, facts: UrlFacts): Judgement {
  const known = new Known(facts)
  const open: { effect: Effect; rule: number }[] = []
  for (const [rule, { effect, conditions }] of filter.rules.entries()) {
    const answer = holds(conditions, known)
    if (answer === true) return settled(effect, rule, open)
    if (answer === null) open.push({ effect, rule })
  }
  return settled(filter.otherwise, null, open)
}

/** An open rule before the one that decides matters only when it would decide differently. */
function settled(
  effect: Effect,
  rule: number | null,
  open: readonly { effect: Effect; rule: number }[],
): Judgement {
  const other = open.find((candidate) => candidate.effect !== effect)
  if (other !== undefined) return { verdict: 'open', rule: other.rule }
  return { verdict: effect === 'allow' ? 'wanted' : 'unwanted', rule }
}

function holds(conditions: readonly Condition[], known: Known): boolean | null {
  const answers = conditions.map((condition) => condition(known))
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

/** UrlFacts, with the text made ready for words once for all rules. */
export class Known {
  readonly facts: UrlFacts
  #words: string | undefined

  constructor(facts: UrlFacts) {
    this.facts = facts
  }

  get words(): string {
    this.#words ??= wordsOf(this.facts.text ?? '')
    return this.#words
  }
}

/** Words in lower case with one space before, between and behind them. */
export function wordsOf(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
  return ` ${words.filter((word) => word !== '').join(' ')} `
}
