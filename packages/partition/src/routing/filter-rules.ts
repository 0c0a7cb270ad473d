/**
 * Filters as an operator writes them, in JSON. A list matches when one of its items does, a rule when
 * all its lists do:
 *
 *   { "otherwise": "deny",
 *     "rules": [ { "effect": "deny", "domains": ["ads.example"] },
 *                { "effect": "allow", "countries": ["PT"], "languages": ["pt"] } ] }
 *
 * An invalid rule is refused by name: a rule that was misread would collect what it should not.
 */
import { isIP } from 'node:net'
import { addressOf, blockOf, blockOfAddress, contains } from './block.ts'
import { BadFilter } from './errors.ts'
import {
  wordsOf,
  type Condition,
  type Effect,
  type FactName,
  type Filter,
  type Place,
  type Rule,
} from './filter.ts'

/** Where a rule stands, for messages. */
type Reader = (items: readonly unknown[], where: string) => Condition

interface List {
  read: Reader
  asks: readonly FactName[]
}

const LISTS: Readonly<Record<string, List>> = {
  domains: { read: domainsCondition, asks: [] },
  addresses: { read: addressesCondition, asks: ['addresses'] },
  words: { read: wordsCondition, asks: ['text'] },
  types: { read: typesCondition, asks: ['type'] },
  languages: { read: languagesCondition, asks: ['language'] },
  countries: { read: countriesCondition, asks: ['country'] },
  areas: { read: areasCondition, asks: ['place'] },
}

/** Scripts that write words without spaces: there a word is found wherever its letters stand. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export function filterOf(data: unknown): Filter {
  const { rules = [], otherwise, ...rest } = objectIn(data, 'The filter')
  const [stray] = Object.keys(rest)
  if (stray !== undefined) throw new BadFilter('The filter', `"${stray}" is nothing it can have`)
  if (!Array.isArray(rules)) throw new BadFilter('The filter', 'its rules are not a list')
  return {
    otherwise: effectIn(otherwise, 'The filter, "otherwise"'),
    rules: rules.map((rule: unknown, index) => ruleOf(rule, `Rule ${index + 1}`)),
  }
}

function ruleOf(data: unknown, where: string): Rule {
  const { effect, ...lists } = objectIn(data, where)
  const asks: FactName[] = []
  const conditions = Object.entries(lists).map(([name, items]) => {
    const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined
    if (list === undefined) {
      const names = Object.keys(LISTS).join(', ')
      throw new BadFilter(where, `"${name}" is none of ${names}`)
    }
    if (!Array.isArray(items) || items.length === 0) {
      throw new BadFilter(where, `"${name}" is not a list with at least one item`)
    }
    asks.push(...list.asks)
    return list.read(items, `${where}, "${name}"`)
  })
  if (conditions.length === 0) {
    throw new BadFilter(where, 'it has no condition; what holds for the rest is "otherwise"')
  }
  return { effect: effectIn(effect, where), conditions, asks }
}

function objectIn(data: unknown, where: string): Record<string, unknown> {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { ...data }
  throw new BadFilter(where, 'it is not an object')
}

function effectIn(value: unknown, where: string): Effect {
  if (value === 'allow' || value === 'deny') return value
  throw new BadFilter(where, 'it says neither "allow" nor "deny"')
}

/** Every item in lower case, if all are texts of this form. */
function textsIn(items: readonly unknown[], where: string, form: RegExp): string[] {
  return items.map((item) => {
    const text = typeof item === 'string' ? item.toLowerCase() : ''
    if (!form.test(text)) throw new BadFilter(where, `${JSON.stringify(item)} is invalid`)
    return text
  })
}

/** A domain with everything below it. */
function domainsCondition(items: readonly unknown[], where: string): Condition {
  const domains = new Set(textsIn(items, where, /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/))
  return ({ facts }) => {
    const host = facts.host.toLowerCase().replace(/\.$/, '')
    if (domains.has(host)) return true
    if (isIP(host) !== 0) return false
    // A list may name a country's domains: a host costs as much as it has labels.
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      if (domains.has(host.slice(dot + 1))) return true
    }
    return false
  }
}

function addressesCondition(items: readonly unknown[], where: string): Condition {
  const blocks = textsIn(items, where, /./).map((text) => {
    try {
      return blockOf(text)
    } catch (error) {
      throw new BadFilter(where, `"${text}" is no block of addresses`, { cause: error })
    }
  })
  return ({ facts: { addresses } }) => {
    if (addresses === undefined) return null
    return addresses.some((text) => {
      const address = addressOf(text)
      if (address === null) return false
      const inner = blockOfAddress(address)
      return blocks.some((block) => contains(block, inner))
    })
  }
}

/** Whole words, or several in this order; upper and lower case are the same. */
function wordsCondition(items: readonly unknown[], where: string): Condition {
  const phrases = textsIn(items, where, /[\p{L}\p{N}]/u).map((text) => {
    const words = wordsOf(text)
    return SPACELESS.test(words) ? words.trim() : words
  })
  return (known) => {
    if (known.facts.text === undefined) return null
    return phrases.some((phrase) => known.words.includes(phrase))
  }
}

/** `text/html`, or `image/*` for a whole family. */
function typesCondition(items: readonly unknown[], where: string): Condition {
  const types = textsIn(items, where, /^[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+|\*)$/)
  return ({ facts }) => {
    if (facts.type === undefined) return null
    const [type = ''] = (facts.type ?? '').toLowerCase().split(';')
    const family = `${type.split('/')[0]}/*`
    return types.includes(type.trim()) || types.includes(family.trim())
  }
}

/** `pt` is Portuguese wherever it is spoken, `pt-BR` only there. */
function languagesCondition(items: readonly unknown[], where: string): Condition {
  const languages = textsIn(items, where, /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/)
  return ({ facts }) => {
    if (facts.language === undefined) return null
    const language = (facts.language ?? '').toLowerCase()
    return languages.some((wanted) => language === wanted || language.startsWith(`${wanted}-`))
  }
}

function countriesCondition(items: readonly unknown[], where: string): Condition {
  const countries = textsIn(items, where, /^[a-z]{2}$/)
  return ({ facts }) => {
    if (facts.country === undefined) return null
    return countries.includes((facts.country ?? '').toLowerCase())
  }
}

/** In degrees; an area whose west lies east of its east crosses the date line. */
interface Area {
  south: number
  west: number
  north: number
  east: number
}

function areasCondition(items: readonly unknown[], where: string): Condition {
  const areas = items.map((item) => areaOf(item, where))
  return ({ facts: { place } }) => {
    if (place === undefined) return null
    return place !== null && areas.some((area) => isInside(area, place))
  }
}

function areaOf(data: unknown, where: string): Area {
  const sides = objectIn(data, where)
  const side = (name: keyof Area, limit: number): number => {
    const degrees = sides[name]
    if (typeof degrees === 'number' && Math.abs(degrees) <= limit) return degrees
    throw new BadFilter(where, `"${name}" is not a number of degrees up to ${limit}`)
  }
  const area = {
    south: side('south', 90),
    west: side('west', 180),
    north: side('north', 90),
    east: side('east', 180),
  }
  if (area.south > area.north) throw new BadFilter(where, 'its south lies north of its north')
  return area
}

function isInside({ south, west, north, east }: Area, { latitude, longitude }: Place): boolean {
  if (!(latitude >= south && latitude <= north)) return false
  return west <= east
    ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east
}
