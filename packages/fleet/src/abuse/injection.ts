/**
 * Is this URL an attempt to make its server do what its owner never meant? Weighed, not matched:
 * evidence of one kind adds up, and only a sum that no ordinary address reaches counts. Most URLs
 * are let through after one look at their characters; the rest are decoded and weighed.
 */
import { FAMILIES, type InjectionKind } from './injection-patterns.ts'
import { plainPathOf, plainTextOf } from './plain-text.ts'

export interface Injection {
  kind: InjectionKind
  weight: number
}

/** Set on labelled addresses (`test/abuse/fixtures/`): lower denies searches about SQL, higher lets probes pass. */
const ENOUGH = 5
/** What is no proof yet. */
const ALARMING = 3

const HIDDEN = /(?:^|\/)\.\.(?:[/\\]|$)|[\r\n]/

/**
 * What an attack cannot do without: a character that breaks out of a value, raw or encoded, or one
 * of the words of the few attacks that need none. Everything else is ordinary.
 */
const SUSPECT =
  /[<>"'`{}|\\;$*()[\]\u0080-\uFFFF]|%(?:[01]|2[2-9ae]|3[bce]|5[bcde]|60|7[bcd]|c0|c1|e0%80|f0%80|e5%98|u|ff)|\.\.|--|(?:\+|%20)(?:or|and|xor|select|union|having|order|waitfor)[+%(]|:\/\/|\/(?:etc|proc|winnt|web-inf|windows|var|meta-inf)\/|=(?:ro0ab|h4si|file:|php:|jar:|[a-z]:)|__|cmd\.exe|eval-stdin|allow_url|invokefunc|@@|169\.254|metadata|classloader|bin\/|jndi/i

/** Null when it is none. `pathAndQuery` is of a canonical URL. */
export function injectionIn(pathAndQuery: string): Injection | null {
  if (!SUSPECT.test(pathAndQuery)) return null
  // In a path the canonical form has no dot segments left: those that decoding shows were hidden.
  if (HIDDEN.test(plainPathOf(pathAndQuery))) return { kind: 'traversal', weight: ENOUGH }
  const { text, layers } = plainTextOf(pathAndQuery)
  let worst: Injection | null = null
  for (const { kind, gate, patterns } of FAMILIES) {
    if (!gate.test(text)) continue
    let weight = 0
    for (const [heavy, pattern] of patterns) if (pattern.test(text)) weight += heavy
    // Wrapped twice is what a nested address is; with other evidence it is hiding.
    if (layers > 1 && weight >= ALARMING) weight++
    if (weight >= ENOUGH && weight > (worst?.weight ?? 0)) worst = { kind, weight }
  }
  return worst
}
