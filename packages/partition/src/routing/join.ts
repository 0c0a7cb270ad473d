/**
 * How a station or a federation joins a federation. The newcomer asks any station inside; that one
 * answers with the federations around and their members, which the newcomer spreads among its own
 * stations, and spreads the newcomer's name among those already there. A message says within which
 * entity its receiver has to pass it on, and that entity is smaller with every message: every
 * station gets one message, and all have theirs after as many rounds as the tree has levels.
 *
 * Everything here is a function from what a station knows and receives to what it then knows and
 * sends. A repeated message changes nothing and is passed on again, so repeating a join repairs
 * what a lost message left out. Joins are acts of an administrator: two at once in one federation
 * can miss each other until one is repeated.
 */
import { BadStationTree } from './errors.ts'
import {
  branchAt,
  knownEntities,
  representativesOf,
  type Ascendant,
  type Knowledge,
} from './knowledge.ts'
import type { Representatives } from './station-tree.ts'

interface Welcome {
  kind: 'welcome'
  /** From the federation joined up to the root. */
  ascendants: readonly Ascendant[]
  representatives: Representatives
  within: string
}

interface Joined {
  kind: 'joined'
  parent: string
  newcomer: Newcomer
  within: string
}

export type Notice = Welcome | Joined

export interface Newcomer {
  id: string
  /** A station's is itself. */
  representatives: readonly string[]
}

export interface Letter {
  /** For the first of these stations that can be reached. */
  to: readonly string[]
  notice: Notice
}

export interface Outcome {
  knowledge: Knowledge
  letters: readonly Letter[]
}

/** A station that has joined nothing. */
export function loneStation(id: string): Knowledge {
  return { id, ascendants: [], representatives: new Map() }
}

/** A federation around everything this station is in; its members so far represent it. */
export function foundFederation(founder: Knowledge, federation: string): Outcome {
  const member = founder.ascendants.at(-1)?.id ?? founder.id
  checkNew(founder, federation)
  const answering = representativesOf(founder, member)
  return receiveNotice(founder, {
    kind: 'welcome',
    ascendants: [{ id: federation, members: [member] }],
    representatives: new Map([[federation, answering]]),
    within: member,
  })
}

/** What the station that was asked does when `newcomer` joins `parent`. */
export function joinFederation(contact: Knowledge, parent: string, newcomer: Newcomer): Outcome {
  const level = contact.ascendants.findIndex(({ id }) => id === parent)
  if (level < 0) throw new BadStationTree(`${contact.id} is not in ${parent}; ask one that is`)
  const isRepeated = contact.ascendants[level]!.members.includes(newcomer.id)
  if (!isRepeated) checkNew(contact, newcomer.id)
  const joined = receiveNotice(contact, { kind: 'joined', parent, newcomer, within: parent })
  const { ascendants, representatives } = joined.knowledge
  const around = ascendants.slice(level)
  const known = new Set(around.flatMap(({ id, members }) => [id, ...members]))
  const welcome: Welcome = {
    kind: 'welcome',
    ascendants: around,
    representatives: new Map([...representatives].filter(([id]) => known.has(id))),
    within: newcomer.id,
  }
  const letter = { to: newcomer.representatives, notice: welcome }
  return { knowledge: joined.knowledge, letters: [letter, ...joined.letters] }
}

export function receiveNotice(knowledge: Knowledge, notice: Notice): Outcome {
  const after = notice.kind === 'welcome' ? welcomed(knowledge, notice) : told(knowledge, notice)
  return { knowledge: after, letters: spread(knowledge, notice) }
}

function welcomed(knowledge: Knowledge, notice: Welcome): Knowledge {
  const joined = notice.ascendants[0]
  const level = knowledge.ascendants.findIndex(({ id }) => id === joined?.id)
  const own = level < 0 ? knowledge.ascendants : knowledge.ascendants.slice(0, level)
  return {
    id: knowledge.id,
    ascendants: [...own, ...notice.ascendants],
    representatives: new Map([...knowledge.representatives, ...notice.representatives]),
  }
}

function told(knowledge: Knowledge, { parent, newcomer }: Joined): Knowledge {
  const { id, representatives } = newcomer
  const ascendants = knowledge.ascendants.map((ascendant) =>
    ascendant.id === parent && !ascendant.members.includes(id)
      ? { id: parent, members: [...ascendant.members, id] }
      : ascendant,
  )
  const isStation = representatives.length === 1 && representatives[0] === id
  const named: [string, readonly string[]][] = isStation ? [] : [[id, representatives]]
  return {
    id: knowledge.id,
    ascendants,
    representatives: new Map([...knowledge.representatives, ...named]),
  }
}

/** To the other branches of every federation around this station, up to the one it has to serve. */
function spread(knowledge: Knowledge, notice: Notice): Letter[] {
  const { ascendants } = knowledge
  const last = ascendants.findIndex(({ id }) => id === notice.within)
  return ascendants.slice(0, last + 1).flatMap(({ members }, level) => {
    const own = branchAt(knowledge, level)
    const newcomer = notice.kind === 'joined' ? notice.newcomer.id : undefined
    return members
      .filter((member) => member !== own && member !== newcomer)
      .map((member) => ({
        to: representativesOf(knowledge, member),
        notice: { ...notice, within: member },
      }))
  })
}

function checkNew(knowledge: Knowledge, id: string): void {
  const around = knowledge.ascendants.map((ascendant) => ascendant.id)
  if (id === '' || [...around, ...knownEntities(knowledge)].includes(id)) {
    throw new BadStationTree(`"${id}" cannot join: the name is taken or empty`)
  }
}
