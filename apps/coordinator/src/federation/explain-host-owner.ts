/**
 * Which station a host belongs to, in words. The registrar is asked, for it knows by what each owner was chosen; while it
 * is away, this station's own copy of the map answers.
 */
import { factsOfKey } from '@minga/frontier'
import { canonicalUrl, hostKeyOf } from '@minga/net'
import { judge, type Filter } from '@minga/partition'
import { ownerFacts, type HostOwner, type OwnerFacts } from '@minga/protocol'
import { BadHost } from '../station/errors.ts'
import type { Federation } from './federation.ts'
import { packJson, unpackJson } from './calls/station-calls.ts'
import { RENEW_PATIENCE_MS } from './timing.ts'

interface Question {
  federation: Federation
  /** Of this station; null: it wants everything. */
  filter: Filter | null
}

/** `text` is a host or any address on it. */
export async function explainHostOwner(question: Question, text: string): Promise<HostOwner> {
  const { federation } = question
  const host = hostKeyIn(text)
  const isUnwanted = await isLeftOut(question, host)
  const view = await federation.refresh()
  const { facts, knownBy } = await askOwner(federation, host)
  if (view === null || facts === null) {
    const alone = { host, rule: 'alone', owner: null, isHere: true, epoch: null } as const
    return spoken({ ...alone, address: null, awaits: null, branches: [], isUnwanted, knownBy })
  }
  const station = facts.station === null ? null : federation.stationOf(facts.station)
  const { rule, epoch, address } = facts
  return spoken({
    host,
    rule,
    epoch,
    address,
    owner: station && { id: station.id, name: station.name, url: station.url },
    isHere: facts.station === view.self,
    awaits: facts.awaits && (federation.stationOf(facts.awaits)?.name ?? facts.awaits),
    branches: branchesOf(station?.branch ?? ''),
    isUnwanted,
    knownBy,
  })
}

/** The key that hosts go by: `https://Example.org/x` and `example.org` are one. */
export function hostKeyIn(text: string): string {
  const url = canonicalUrl(text.includes('://') ? text : `http://${text}`)
  if (url === null) throw BadHost.named(text)
  return hostKeyOf(url)
}

async function isLeftOut({ federation, filter }: Question, host: string): Promise<boolean> {
  if (filter === null) return false
  const { store, clock } = federation.context
  const where = await store.call('factsOfHost', { host, now: clock.now() })
  return judge(filter, { ...factsOfKey(host), ...where }).verdict === 'unwanted'
}

async function askOwner(
  federation: Federation,
  host: string,
): Promise<{ facts: OwnerFacts | null; knownBy: HostOwner['knownBy'] }> {
  const { store } = federation.context
  const ours = await store.call('hostOwner', { host })
  if (ours === null || federation.isRegistrar) return { facts: ours, knownBy: 'registrar' }
  try {
    const { registrar } = federation.requireView()
    const path = '/federation/owner'
    const body = await federation.calls.post(registrar, path, packJson({ host }), RENEW_PATIENCE_MS)
    return { facts: unpackJson(body, ownerFacts), knownBy: 'registrar' }
  } catch {
    // What it was chosen by only the registrar has noted.
    const rule = ours.epoch === null ? ours.rule : 'map'
    return { facts: { ...ours, rule }, knownBy: 'own-map' }
  }
}

/** From the outermost in: pt, pt/lisbon. */
function branchesOf(branch: string): string[] {
  const names = branch === '' ? [] : branch.split('/')
  return names.map((_, i) => names.slice(0, i + 1).join('/'))
}

function spoken(owner: Omit<HostOwner, 'sentence'>): HostOwner {
  return { ...owner, sentence: sentenceOf(owner) }
}

const CHOSEN = {
  plan: ', when hosts were reassigned',
  placed: ', when its owner was first asked for: by its address, its links or its name',
  'handed-on': ', when a station that had it was lost or left',
  map: '',
}

function sentenceOf(owner: Omit<HostOwner, 'sentence'>): string {
  const { awaits, isUnwanted, knownBy } = owner
  const notes = [
    awaits !== null && `It waits for what ${awaits} knows of it.`,
    isUnwanted && `The filter of this station does not want it: nothing of it is queued here.`,
    knownBy === 'own-map' && 'The registrar does not answer; this is what was known here last.',
  ]
  return [whose(owner), ...notes.filter((note) => note !== false)].join(' ')
}

function whose(owner: Omit<HostOwner, 'sentence'>): string {
  const { host, rule, epoch } = owner
  const station = stationText(owner)
  if (rule === 'alone') return `This station collects alone, so ${host} is its own.`
  if (rule === 'held') {
    return `${host} has no owner yet; URLs of it stay where they are found until the registrar has decided.`
  }
  if (rule === 'hash') {
    return `${host} has no owner yet; by the hash of its name, URLs of it go to ${station}, which asks the registrar.`
  }
  return `${host} belongs to ${station} since map ${epoch}${CHOSEN[rule]}.`
}

function stationText({ owner, isHere, branches }: Omit<HostOwner, 'sentence'>): string {
  if (owner === null) return 'a station that has left'
  const within = branches.length === 0 ? '' : `, through ${branches.join(' and ')}`
  return `${isHere ? 'this station, ' : ''}${owner.name} (${owner.url}${within})`
}
