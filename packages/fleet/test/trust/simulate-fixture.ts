/**
 * A fleet of honest and lying devices in rounds, on the real rules of trust: draws, audits by
 * eligible strangers or the station's own device, trusted judges, rechecks, standing. Pages are numbers: what an
 * honest fetch sees, a lie of one's own or a lie agreed between friends, or something new each time on a dynamic page.
 * Who was stopped may enrol again, with what its owner's past leaves; farmers complain of each other's true pages.
 */
import { seededRandom, type SeededRandom } from '@minga/testkit'
import { drawAuditor } from '../../src/trust/draw-auditor.ts'
import { mayAudit, type Checker } from '../../src/trust/eligible.ts'
import {
  auditProbability,
  canaryProbability,
  isProven,
  RECHECK_SHARE,
  type Reputation,
} from '../../src/trust/reputation.ts'
import { canaryDraw, drawByAudit, isDrawn } from '../../src/trust/selection.ts'
import { Farming, type FarmedSubject, type FarmingWay } from './simulate-farming-fixture.ts'
import { afterAgreement, afterLie, NEW_STANDING, type Standing } from '../../src/trust/standing.ts'
import { verdictOf, type PageFacts, type Testimony, type Verdict } from '../../src/trust/verdict.ts'

export interface Character {
  readonly lieRate: number
  /** Devices with the same ring tell the same lies. */
  readonly ring?: string
  /** Behaves until this share of the rounds is over. */
  readonly wakesAt?: number
  /** Comes back with a new key whenever it was stopped. */
  readonly enrolsAgain?: boolean
  /** A client of the same ring has friends paid in every round, in all the ways that there are. */
  readonly isFarmed?: boolean
}

export interface Scenario {
  readonly seed: number
  readonly characters: readonly Character[]
  readonly rounds: number
  readonly dynamicShare: number
  readonly floor?: number
  /** False: all volunteers share one network, so that none may audit another. */
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
  /** The most devices that one owner had. */
  readonly enrolmentsMax: number
  /** What rings earned in each of the ways, less what they cost them. */
  readonly farmedMicros: Readonly<Record<FarmingWay, number>>
}

const BLOCK = 16
const HOSTS = 500
const PAGES_PER_HOST = 20
/** Dynamic verdicts at one page after which it counts as unfit; as `UNFIT_MIN` of the tables. */
const UNFIT_AFTER = 2

/** The station's own device: never wrong, drawn like any other. */
const OWN: Checker = {
  device: 'own',
  owner: 'operator',
  network: null,
  isTrusted: true,
  isProven: true,
  state: 'active',
}

class Member {
  readonly id: number
  readonly owner: number
  readonly character: Character
  results = 0
  audited = 0
  /** Pages that it agreed on: each counts once. */
  readonly agreed = new Set<number>()
  #standing: Standing
  #checker: Checker

  constructor(
    id: number,
    character: Character,
    past: { owner: number; standing: Standing } = { owner: id, standing: NEW_STANDING },
  ) {
    this.id = id
    this.character = character
    this.owner = past.owner
    this.#standing = past.standing
    this.#checker = this.#check()
  }

  get standing(): Standing {
    return this.#standing
  }

  set standing(standing: Standing) {
    this.#standing = standing
    this.#checker = this.#check()
  }

  get checker(): Checker {
    return this.#checker
  }

  get reputation(): Reputation {
    return { agreements: this.standing.agreements, lies: this.standing.lies, isTrusted: false }
  }

  #check(): Checker {
    return {
      device: `dev_${this.id}`,
      owner: `acct_${this.owner}`,
      network: `as${this.owner}`,
      isTrusted: false,
      isProven: isProven(this.reputation),
      state: this.standing.state,
    }
  }
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
  /** Pages that are new on every fetch, for every device. */
  readonly #dynamic: ReadonlySet<number>
  readonly #unfit = new Map<number, number>()
  readonly #all: Served = { verified: 0, forged: 0 }
  readonly #settled: Served = { verified: 0, forged: 0 }
  #fetches = 0
  /** No two fetches are at the same one. */
  #moment = 0
  #results = 0
  #round = 0
  readonly #farming: Farming

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#random = seededRandom(scenario.seed)
    const pages = Array.from({ length: HOSTS * PAGES_PER_HOST }, (_, page) => page)
    this.#dynamic = new Set(pages.filter(() => this.#random.chance(scenario.dynamicShare)))
    this.#members = scenario.characters.map((character, id) => new Member(id, character))
    this.#farming = new Farming(this.#random)
  }

  playRound(round: number): void {
    this.#round = round
    const isSettled = round >= this.#scenario.rounds / 2
    if (round === Math.floor(this.#scenario.rounds * 0.9)) {
      for (const member of this.#members) Object.assign(member, { results: 0, audited: 0 })
    }
    for (const member of this.#random.shuffled(this.#members)) {
      if (member.standing.state !== 'active') continue
      if (member.character.isFarmed) this.#farm(member)
      // A whole block is on its way before the first of its audits is back.
      const sent = Array.from({ length: BLOCK }, () => this.#send(member))
      const probability = this.#auditProbabilityOf(member)
      const proven = member.checker.isProven
      const secret = `simulated ${this.#scenario.seed}`
      const drawn = sent.map((_, i) =>
        isDrawn(secret, { fence: round, hostId: member.id, hash: i }, probability),
      )
      const canaries = canaryProbability(member.reputation, this.#hasAuditors)
      for (const [i, one] of sent.entries()) {
        const name = { fence: round, hostId: member.id, hash: i }
        if (canaryDraw(secret, name) < canaries) this.#canary(member)
        const isFit = (this.#unfit.get(one.page) ?? 0) < UNFIT_AFTER
        const isVerified = isFit && (drawn[i] ? this.#audit(one) : proven)
        if (isVerified) this.#serve(one, isSettled)
      }
    }
    this.#enrolAgain()
  }

  /** As `pastOf` says: who was expelled stays away, the lies of the others count for the new device. */
  #enrolAgain(): void {
    for (const { character, owner } of this.#members.filter((one) => one.character.enrolsAgain)) {
      const own = this.#members.filter((member) => member.owner === owner)
      if (own.some(({ standing: { state } }) => state === 'active' || state === 'expelled'))
        continue
      const { lies, liedHostId } = own.at(-1)!.standing
      const standing = { ...NEW_STANDING, lies, liedHostId }
      this.#members.push(new Member(this.#members.length, character, { owner, standing }))
    }
  }

  #farm(member: Member): void {
    const { ring } = member.character
    const isFriend = (one: Member | 'own' | undefined): boolean =>
      one !== undefined && one !== 'own' && one.character.ring === ring
    const outsiders = this.#members.filter(
      (one) => one.standing.state === 'active' && !isFriend(one),
    )
    const subjectOf = (one: Member): FarmedSubject => ({
      reputation: one.reputation,
      isProven: one.checker.isProven,
      isFriendDrawn: (kind, draws) => {
        this.#moment++
        return isFriend(this.#auditorFor(one, { kind, draws }))
      },
    })
    this.#farming.play({
      friend: subjectOf(member),
      outsider: subjectOf(this.#random.pick(outsiders)),
    })
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
      enrolmentsMax: Math.max(
        ...Map.groupBy(this.#members, ({ owner }) => owner)
          .values()
          .map((own) => own.length),
      ),
      farmedMicros: this.#farming.micros,
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
    const auditor = this.#auditorFor(member, { kind: 'audit' })
    if (auditor === undefined) return false
    member.audited++
    const isRechecked = auditor !== 'own' && drawByAudit(this.#auditName, 'recheck') < RECHECK_SHARE
    const seen = this.#fetch(
      page,
      auditor !== 'own' && this.#vouches(auditor, sent) ? auditor : null,
    )
    const testimony = { subject: facts, receivedAt: 0, auditor: seen, isRechecked }
    const verdict = this.#verdictOn(testimony, page)
    if (verdict.type === 'agree') this.#agree(member, page)
    const both = auditor === 'own' ? [member] : [member, auditor]
    if (verdict.type === 'none' && verdict.reason === 'refuted') {
      for (const one of both) one.standing = { ...one.standing, agreements: 0 }
    }
    if (verdict.type === 'lie') {
      for (const role of verdict.liars) {
        const liar = role === 'subject' ? member : both[1]
        if (liar) liar.standing = afterLie(liar.standing, { hostId, receivedAt: 0 })
      }
    }
    return verdict.type === 'agree'
  }

  /** Whether the auditor tells a lie: of a friend's result the friend's own. */
  #vouches(auditor: Member, { member, isForged }: Sent): boolean {
    const { ring } = member.character
    return ring !== undefined && ring === auditor.character.ring ? isForged : this.#lies(auditor)
  }

  #agree(member: Member, page: number): void {
    if (member.agreed.has(page)) return
    member.agreed.add(page)
    member.standing = afterAgreement(member.standing)
  }

  /** A page that is known is asked for once more; to the device it is a page like any other. */
  #canary(member: Member): void {
    const known = this.#random.integer(HOSTS * PAGES_PER_HOST)
    if ((this.#unfit.get(known) ?? 0) >= UNFIT_AFTER) return
    const auditor = this.#fetch(known, null)
    const subject = this.#fetch(known, this.#lies(member) ? member : null)
    // A known page was fetched for a client: only the device's answer is extra.
    this.#fetches--
    const verdict = this.#verdictOn({ subject, auditor, receivedAt: 0, isCanary: true }, known)
    if (verdict.type === 'agree') this.#agree(member, known)
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

  #auditorFor(
    member: Member,
    { kind, draws = 0 }: { kind: 'audit' | 'complaint'; draws?: number },
  ): Member | 'own' | undefined {
    if (!this.#hasAuditors) return undefined
    const eligible = this.#members.filter((other) => mayAudit(member.checker, other.checker))
    const checkers = [OWN, ...eligible.map(({ checker }) => checker)]
    const auditors = checkers.map((checker) => ({ ...checker, party: checker.owner }))
    const drawn = drawAuditor(auditors, { id: this.#auditName, kind, draws })
    return drawn === OWN.device ? 'own' : eligible.find(({ checker }) => checker.device === drawn)
  }

  /** No two audits are at the same moment. */
  get #auditName(): string {
    return `${this.#scenario.seed} ${this.#moment}`
  }

  get #hasAuditors(): boolean {
    return this.#scenario.hasAuditors ?? true
  }

  #auditProbabilityOf(member: Member): number {
    const { floor } = this.#scenario
    return auditProbability(member.reputation, floor === undefined ? {} : { floor })
  }

  #serve(sent: Sent, isSettled: boolean): void {
    for (const served of isSettled ? [this.#all, this.#settled] : [this.#all]) {
      served.verified++
      if (sent.isForged) served.forged++
    }
  }
}
