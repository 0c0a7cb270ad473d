/**
 * A fleet of honest and lying devices in rounds, on the real rules of trust: draws, audits by
 * eligible strangers, trusted judges, standing. Pages are numbers: what an honest fetch sees, a
 * lie of one's own or a lie agreed between friends, or something new each time on a dynamic page.
 */
import { seededRandom, type SeededRandom } from '@minga/testkit'
import { mayAudit, type Checker } from './eligible.ts'
import { auditProbability, canaryProbability, isProven, type Reputation } from './reputation.ts'
import { canaryDraw, isDrawn } from './selection.ts'
import { afterAgreement, afterLie, NEW_STANDING, type Standing } from './standing.ts'
import { verdictOf, type PageFacts, type Testimony, type Verdict } from './verdict.ts'

export interface Character {
  readonly lieRate: number
  /** Devices with the same ring tell the same lies. */
  readonly ring?: string
  /** Behaves until this share of the rounds is over. */
  readonly wakesAt?: number
}

export interface Scenario {
  readonly seed: number
  readonly characters: readonly Character[]
  readonly rounds: number
  readonly dynamicShare: number
  readonly floor?: number
  /** False: all volunteers are of one network, so that nobody may audit anybody. */
  readonly hasAuditors?: boolean
}

/** What was served as verified. */
export interface Served {
  verified: number
  forged: number
}

export interface Report {
  readonly all: Served
  /** In the second half of the rounds. */
  readonly settled: Served
  readonly results: number
  readonly fetches: number
  readonly honestAuditRate: number
  readonly honestStopped: number
  readonly liarsStopped: number
  readonly liars: number
}

const BLOCK = 16
const HOSTS = 500
const PAGES_PER_HOST = 20
/** Dynamic verdicts at one page after which it counts as unfit; as `UNFIT_MIN` of the tables. */
const UNFIT_AFTER = 2

interface Member {
  readonly id: number
  readonly character: Character
  standing: Standing
  results: number
  audited: number
}

interface Sent {
  readonly member: Member
  readonly page: number
  readonly hostId: number
  readonly facts: PageFacts
  readonly isForged: boolean
}

export function simulateFleet(scenario: Scenario): Report {
  const fleet = new SimulatedFleet(scenario)
  for (let round = 0; round < scenario.rounds; round++) fleet.playRound(round)
  return fleet.report()
}

class SimulatedFleet {
  readonly #scenario: Scenario
  readonly #random: SeededRandom
  readonly #members: Member[]
  /** Pages that are new on every fetch, whoever fetches them. */
  readonly #dynamic: ReadonlySet<number>
  readonly #unfit = new Map<number, number>()
  readonly #all: Served = { verified: 0, forged: 0 }
  readonly #settled: Served = { verified: 0, forged: 0 }
  #fetches = 0
  /** No two fetches are at the same one. */
  #moment = 0
  #results = 0
  #round = 0

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#random = seededRandom(scenario.seed)
    const pages = Array.from({ length: HOSTS * PAGES_PER_HOST }, (_, page) => page)
    this.#dynamic = new Set(pages.filter(() => this.#random.chance(scenario.dynamicShare)))
    this.#members = scenario.characters.map((character, id) => ({
      id,
      character,
      standing: NEW_STANDING,
      results: 0,
      audited: 0,
    }))
  }

  playRound(round: number): void {
    this.#round = round
    const isSettled = round >= this.#scenario.rounds / 2
    if (round === Math.floor(this.#scenario.rounds * 0.9)) {
      for (const member of this.#members) Object.assign(member, { results: 0, audited: 0 })
    }
    for (const member of this.#random.shuffled(this.#members)) {
      if (member.standing.state !== 'active') continue
      // A whole block is on its way before the first of its audits is back.
      const sent = Array.from({ length: BLOCK }, () => this.#send(member))
      const probability = this.#auditProbabilityOf(member)
      const proven = isProven(reputationOf(member))
      const secret = `simulated ${this.#scenario.seed}`
      const drawn = sent.map((_, i) =>
        isDrawn(secret, { fence: round, hostId: member.id, hash: i }, probability),
      )
      const canaries = canaryProbability(reputationOf(member), this.#hasAuditors)
      for (const [i, one] of sent.entries()) {
        const name = { fence: round, hostId: member.id, hash: i }
        if (canaryDraw(secret, name) < canaries) this.#canary(member)
        const isFit = (this.#unfit.get(one.page) ?? 0) < UNFIT_AFTER
        const isVerified = isFit && (drawn[i] ? this.#audit(one) : proven)
        if (isVerified) this.#serve(one, isSettled)
      }
    }
  }

  report(): Report {
    const honest = this.#members.filter(({ character }) => character.lieRate === 0)
    const liars = this.#members.filter(({ character }) => character.lieRate > 0)
    const stopped = (members: Member[]): number =>
      members.filter(({ standing }) => standing.state !== 'active').length
    const sum = (count: 'results' | 'audited'): number =>
      honest.reduce((total, member) => total + member[count], 0)
    return {
      all: this.#all,
      settled: this.#settled,
      results: this.#results,
      fetches: this.#fetches,
      honestAuditRate: sum('audited') / sum('results'),
      honestStopped: stopped(honest),
      liarsStopped: stopped(liars),
      liars: liars.length,
    }
  }

  #send(member: Member): Sent {
    member.results++
    this.#results++
    const hostId = this.#random.integer(HOSTS)
    const page = hostId * PAGES_PER_HOST + this.#random.integer(PAGES_PER_HOST)
    const lies = this.#lies(member)
    return { member, page, hostId, facts: this.#fetch(page, lies ? member : null), isForged: lies }
  }

  #lies({ character }: Member): boolean {
    const isAwake = this.#round >= (character.wakesAt ?? 0) * this.#scenario.rounds
    return isAwake && this.#random.chance(character.lieRate)
  }

  #fetch(page: number, liar: Member | null): PageFacts {
    this.#fetches++
    this.#moment++
    let content = `page ${page}`
    if (this.#dynamic.has(page)) content += ` at ${this.#moment}`
    if (liar !== null) content = `lie of ${liar.character.ring ?? liar.id} about ${page}`
    return { status: 200, digest: content, fingerprint: content, location: null }
  }

  /** Whether the result ends as verified. */
  #audit(sent: Sent): boolean {
    const { member, page, hostId, facts } = sent
    const auditor = this.#auditorFor(member)
    if (auditor === undefined) return false
    member.audited++
    const partnerKnows =
      member.character.ring !== undefined && member.character.ring === auditor.character.ring
    const auditorLies = partnerKnows ? sent.isForged : this.#lies(auditor)
    const testimony = {
      subject: facts,
      receivedAt: 0,
      auditor: this.#fetch(page, auditorLies ? auditor : null),
    }
    const verdict = this.#verdictOn(testimony, page)
    if (verdict.type === 'agree') member.standing = afterAgreement(member.standing)
    if (verdict.type === 'lie') {
      for (const role of verdict.liars) {
        const liar = role === 'subject' ? member : auditor
        liar.standing = afterLie(liar.standing, { hostId, receivedAt: 0 })
      }
    }
    return verdict.type === 'agree'
  }

  /** A page that is known is asked for once more; to the device it is a page like any other. */
  #canary(member: Member): void {
    const known = this.#random.integer(HOSTS * PAGES_PER_HOST)
    if ((this.#unfit.get(known) ?? 0) >= UNFIT_AFTER) return
    const auditor = this.#fetch(known, null)
    const subject = this.#fetch(known, this.#lies(member) ? member : null)
    // What was known was fetched for somebody: only the device's answer is extra.
    this.#fetches--
    const verdict = this.#verdictOn({ subject, auditor, receivedAt: 0, isCanary: true }, known)
    if (verdict.type === 'agree') member.standing = afterAgreement(member.standing)
    if (verdict.type === 'lie') {
      const hostId = Math.floor(known / PAGES_PER_HOST)
      member.standing = afterLie(member.standing, { hostId, receivedAt: 0 })
    }
  }

  /** With as many trusted fetches as it takes. */
  #verdictOn(testimony: Testimony, page: number): Verdict {
    let verdict = verdictOf(testimony)
    if (verdict.type === 'open') {
      const judge = this.#fetch(page, null)
      verdict = verdictOf({ ...testimony, judge })
      if (verdict.type === 'open')
        verdict = verdictOf({ ...testimony, judge, again: this.#fetch(page, null) })
    }
    if (verdict.type === 'none') this.#unfit.set(page, (this.#unfit.get(page) ?? 0) + 1)
    return verdict
  }

  #auditorFor(member: Member): Member | undefined {
    const subject = this.#checkerOf(member)
    const eligible = this.#members.filter((other) => mayAudit(subject, this.#checkerOf(other)))
    const proven = eligible.filter((other) => isProven(reputationOf(other)))
    const choice = proven.length > 0 ? proven : eligible
    return choice.length > 0 ? this.#random.pick(choice) : undefined
  }

  get #hasAuditors(): boolean {
    return this.#scenario.hasAuditors ?? true
  }

  #checkerOf(member: Member): Checker {
    return { ...checkerOf(member), ...(this.#hasAuditors ? {} : { network: 'the one network' }) }
  }

  #auditProbabilityOf(member: Member): number {
    const { floor } = this.#scenario
    return auditProbability(reputationOf(member), floor === undefined ? {} : { floor })
  }

  #serve(sent: Sent, isSettled: boolean): void {
    for (const served of isSettled ? [this.#all, this.#settled] : [this.#all]) {
      served.verified++
      if (sent.isForged) served.forged++
    }
  }
}

function reputationOf({ standing }: Member): Reputation {
  return { agreements: standing.agreements, lies: standing.lies, isTrusted: false }
}

function checkerOf(member: Member): Checker {
  return {
    device: `dev_${member.id}`,
    owner: `acct_${member.id}`,
    network: `as${member.id}`,
    isTrusted: false,
    isProven: isProven(reputationOf(member)),
    state: member.standing.state,
  }
}
