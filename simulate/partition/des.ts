/**
 * The crawl as a sequence of events. A server that has pages and has rested waits at the robot that owns its
 * next page; the robot has so many connections; a page takes round trips, then its bytes on the line; its links
 * go to their owners, at once or in batches over the network. After the thesis's A12; one page per server at
 * a time, pauses from the end of an answer, as in the product.
 *
 * Deterministic: events of one time come in the order of asking, and chance hangs on seed, page and try, so
 * all allocators meet the same weather. About four events per page; a million pages take seconds.
 */
import { logNormal, uniform } from '../fleet/draws.ts'
import { CalendarQueue } from './calendar-queue.ts'
import type { Change, CrawlResult, CrawlTask, Owners } from './crawl-rules.ts'
import { Outboxes } from './outboxes.ts'
import { Pauses } from './pause.ts'
import { PolitenessWatch } from './politeness-watch.ts'
import { ServerQueues, WaitingServers } from './server-queues.ts'
import { Tally } from './tally.ts'
import { Transfers } from './transfers.ts'

/** Kinds of events. */
const RESTED = 0
const ANSWERING = 1
const ENDED = 2
const LINE = 3
const BOX_OLD = 4
const BATCH = 5
const CHANGE = 6

/** A server has no pages; rests; waits for a connection; is being asked. */
const IDLE = 0
const RESTING = 1
const WAITING = 2
const BUSY = 3

const URL_BYTES = 40

export function crawl(task: CrawlTask): CrawlResult {
  return new Crawl(task).run()
}

class Crawl {
  readonly #task: CrawlTask
  readonly #events = new CalendarQueue()
  readonly #queues: ServerQueues
  readonly #pauses: Pauses
  readonly #watch: PolitenessWatch
  readonly #boxes: Outboxes
  readonly #tally: Tally
  readonly #serverOf: Int32Array
  readonly #k: number
  #byHost: Int32Array | null = null
  #byPage: Int32Array | null = null
  #nowS = 0
  #nextReplan = 0

  // By server.
  readonly #states: Uint8Array
  readonly #restedAtS: Float64Array
  readonly #flightPages: Int32Array
  readonly #flightRobots: Int32Array
  readonly #flightStartsS: Float64Array
  readonly #flightMarks: Int32Array

  // By robot.
  readonly #waiting: WaitingServers
  readonly #active: Int32Array
  readonly #lines: Transfers[]
  readonly #lineMarks: Int32Array
  readonly #present: Uint8Array

  // By page.
  readonly #found: Uint8Array
  readonly #fetched: Uint8Array
  readonly #tries: Uint8Array

  constructor(task: CrawlTask) {
    const { workload, rules, robots } = task
    const { hosts, addresses, pages, addressOf, hostOf } = workload
    const servers = rules.unit === 'host' ? hosts : addresses
    const k = robots.length
    this.#task = task
    this.#k = k
    this.#serverOf = rules.unit === 'host' ? hostOf : hostOf.map((host) => addressOf[host]!)
    this.#queues = new ServerQueues(servers, pages)
    this.#watch = new PolitenessWatch(hosts, addresses)
    this.#pauses = new Pauses(rules.politeness, this.#knownPages(servers))
    this.#boxes = new Outboxes(k, pages)
    this.#tally = new Tally(k, workload)
    this.#states = new Uint8Array(servers)
    this.#restedAtS = new Float64Array(servers)
    this.#flightPages = new Int32Array(servers)
    this.#flightRobots = new Int32Array(servers).fill(-1)
    this.#flightStartsS = new Float64Array(servers)
    this.#flightMarks = new Int32Array(servers)
    this.#waiting = new WaitingServers(k, servers)
    this.#active = new Int32Array(k)
    this.#lines = Array.from({ length: k }, () => new Transfers(rules))
    this.#lineMarks = new Int32Array(k)
    this.#present = new Uint8Array(k).fill(1)
    this.#found = new Uint8Array(pages)
    this.#fetched = new Uint8Array(pages)
    this.#tries = new Uint8Array(pages)
    this.#setOwners(task.owners)
  }

  #knownPages(servers: number): Float64Array {
    const known = new Float64Array(servers)
    if (this.#task.rules.pageCounts === 'known') {
      for (const server of this.#serverOf) known[server]!++
    }
    return known
  }

  run(): CrawlResult {
    const { workload, changes = [] } = this.#task
    for (const [i, { atS }] of changes.entries()) this.#events.push(atS, CHANGE, i)
    for (const page of workload.seeds) this.#find(page)
    while (this.#tally.ended < workload.pages && this.#events.pop()) {
      this.#nowS = this.#events.at
      this.#happen(this.#events.kind, this.#events.id, this.#events.mark)
    }
    return this.#tally.result(this.#watch, this.#boxes)
  }

  #happen(kind: number, id: number, mark: number): void {
    if (kind === RESTED) this.#offer(id)
    else if (kind === ANSWERING) this.#joinLine(id, mark)
    else if (kind === ENDED) this.#endAlone(id, mark)
    else if (kind === LINE) this.#serveLine(id, mark)
    else if (kind === BOX_OLD) this.#send(Math.floor(id / this.#k), id % this.#k)
    else if (kind === BATCH) this.#receive(id, mark)
    else this.#change(this.#task.changes![id]!)
  }

  #ownerOf(page: number): number {
    return this.#byPage === null
      ? this.#byHost![this.#task.workload.hostOf[page]!]!
      : this.#byPage[page]!
  }

  #setOwners(owners: Owners): void {
    this.#byHost = 'byHost' in owners ? owners.byHost : null
    this.#byPage = 'byPage' in owners ? owners.byPage : null
  }

  #find(page: number): void {
    if (this.#found[page] === 1) return
    this.#found[page] = 1
    const server = this.#serverOf[page]!
    if (this.#task.rules.pageCounts === 'found') this.#pauses.learn(server)
    this.#queues.append(server, page)
    if (this.#states[server] === IDLE) this.#rest(server)
  }

  #rest(server: number): void {
    this.#states[server] = RESTING
    const at = this.#restedAtS[server]!
    if (at <= this.#nowS) this.#offer(server)
    else this.#events.push(at, RESTED, server)
  }

  /** The server waits at the robot of its next page. */
  #offer(server: number): void {
    const robot = this.#ownerOf(this.#queues.first(server))
    this.#states[server] = WAITING
    this.#waiting.append(robot, server)
    this.#fill(robot)
  }

  #fill(robot: number): void {
    const { connections } = this.#task.rules
    while (this.#active[robot]! < connections) {
      const server = this.#waiting.take(robot)
      if (server < 0) return
      this.#ask(robot, server)
    }
  }

  #ask(robot: number, server: number): void {
    const { rules, seed } = this.#task
    const page = this.#queues.take(server)
    const { host, address } = this.#visitOf(page)
    const attempt = this.#tries[page]!++
    this.#states[server] = BUSY
    this.#active[robot]!++
    this.#flightPages[server] = page
    this.#flightRobots[server] = robot
    this.#flightStartsS[server] = this.#nowS
    const mark = ++this.#flightMarks[server]!
    this.#watch.begin(host, address, this.#nowS)
    const rttS = this.#rttMs(address, robot) / 1_000
    if (rules.loss > 0 && uniform(seed, page, attempt, 3) < rules.loss) {
      this.#events.push(this.#nowS + rules.timeoutS, ENDED, server, mark)
      return
    }
    const jitter = rules.jitter === 0 ? 1 : logNormal([seed, page, attempt], rules.jitter)
    const waitS = rules.roundTrips * rttS * jitter
    if (rules.sharing === 'robot') {
      this.#events.push(this.#nowS + waitS, ANSWERING, server, mark)
      return
    }
    const lineS = rules.pageBytes / rules.bytesPerS
    this.#events.push(this.#nowS + waitS + lineS, ENDED, server, mark)
  }

  #rttMs(address: number, robot: number): number {
    const { world } = this.#task.workload
    return world.rttMs[address * world.robots + this.#task.robots[robot]!]!
  }

  #visitOf(page: number): { host: number; address: number } {
    const { hostOf, addressOf } = this.#task.workload
    const host = hostOf[page]!
    return { host, address: addressOf[host]! }
  }

  #joinLine(server: number, mark: number): void {
    if (mark !== this.#flightMarks[server]) return
    const robot = this.#flightRobots[server]!
    const line = this.#lines[robot]!
    line.join(server, this.#nowS)
    // Otherwise another event waits already; one that comes early checks again.
    if (line.count === 1) this.#awaitLine(robot)
  }

  #awaitLine(robot: number): void {
    const at = Math.max(this.#nowS, this.#lines[robot]!.firstEndS())
    this.#events.push(at, LINE, robot, this.#lineMarks[robot])
  }

  #serveLine(robot: number, mark: number): void {
    if (mark !== this.#lineMarks[robot]) return
    const line = this.#lines[robot]!
    for (let server = line.takeDone(this.#nowS); server >= 0; server = line.takeDone(this.#nowS)) {
      this.#end(server, true)
    }
    if (line.count > 0) this.#awaitLine(robot)
  }

  #endAlone(server: number, mark: number): void {
    if (mark !== this.#flightMarks[server]) return
    const tookS = this.#nowS - this.#flightStartsS[server]!
    this.#end(server, tookS < this.#task.rules.timeoutS)
  }

  #end(server: number, isAnswered: boolean): void {
    const page = this.#flightPages[server]!
    const robot = this.#flightRobots[server]!
    this.#close(server)
    if (isAnswered) {
      this.#fetched[page] = 1
      const { address } = this.#visitOf(page)
      this.#tally.fetched(page, robot, { nowS: this.#nowS, rttMs: this.#rttMs(address, robot) })
      this.#follow(page, robot)
    } else if (this.#tries[page]! < this.#task.rules.mostTries) this.#queues.append(server, page)
    else this.#tally.failed()
    this.#goOn(server)
    this.#replanIfDue()
    this.#fill(robot)
  }

  /** The request is over: from now on the server rests. */
  #close(server: number): void {
    const pauseS = this.#pauses.after(server, this.#nowS - this.#flightStartsS[server]!)
    this.#watch.end(this.#visitOf(this.#flightPages[server]!), this.#nowS, pauseS)
    this.#restedAtS[server] = this.#nowS + pauseS
    this.#active[this.#flightRobots[server]!]!--
    this.#flightRobots[server] = -1
    this.#flightMarks[server]!++
  }

  #goOn(server: number): void {
    if (this.#queues.first(server) >= 0) this.#rest(server)
    else this.#states[server] = IDLE
  }

  #follow(page: number, robot: number): void {
    const { linkStarts, linkHeads, hostOf } = this.#task.workload
    const [byHost, byPage, found] = [this.#byHost, this.#byPage, this.#found]
    const end = linkStarts[page + 1]!
    let remote = 0
    // Five million times per crawl: what is found already is not even asked about.
    for (let at = linkStarts[page]!; at < end; at++) {
      const head = linkHeads[at]!
      const owner = byPage === null ? byHost![hostOf[head]!]! : byPage[head]!
      if (owner === robot) {
        if (found[head] === 0) this.#find(head)
      } else {
        remote++
        this.#post(robot, owner, head)
      }
    }
    this.#tally.links(end - linkStarts[page]!, remote)
  }

  #post(from: number, to: number, page: number): void {
    this.#awaitBox(from, to, this.#boxes.add(from, to, page))
  }

  #awaitBox(from: number, to: number, waiting: number): void {
    const { batchUrls, batchSeconds } = this.#task.rules
    if (waiting === 1) this.#events.push(this.#nowS + batchSeconds, BOX_OLD, from * this.#k + to)
    if (waiting >= batchUrls) this.#send(from, to)
  }

  /** Also for a box that was emptied before it was old: then there is less to send, or nothing. */
  #send(from: number, to: number): void {
    const { workload, robots, rules } = this.#task
    const { batch, count } = this.#boxes.take(from, to)
    if (batch < 0) return
    const { world } = workload
    const rttMs = world.robotRttMs[robots[from]! * world.robots + robots[to]!]!
    const tookS = rttMs / 2_000 + (count * URL_BYTES) / rules.bytesPerS
    this.#events.push(this.#nowS + tookS, BATCH, batch, to)
  }

  /** Who is not the owner any more passes on. */
  #receive(batch: number, robot: number): void {
    this.#boxes.open(batch, (page) => {
      const owner = this.#ownerOf(page)
      if (owner === robot || this.#present[robot] === 0) this.#find(page)
      else this.#awaitBox(robot, owner, this.#boxes.pass(robot, owner, page))
    })
  }

  #change({ robot, isThere }: Change): void {
    this.#present[robot] = isThere ? 1 : 0
    if (!isThere) this.#abandon(robot)
    this.#placeAnew()
  }

  /** What was under way is asked again by others; what was in the outboxes is sent, for they are durable. */
  #abandon(robot: number): void {
    this.#lines[robot]!.clear(this.#nowS)
    this.#lineMarks[robot]!++
    for (let server = 0; server < this.#states.length; server++) {
      if (this.#flightRobots[server] !== robot) continue
      this.#queues.prepend(server, this.#flightPages[server]!)
      this.#close(server)
      // Who is offered now may still be the robot that left: the server rests first in any case.
      this.#states[server] = RESTING
      this.#events.push(Math.max(this.#nowS, this.#restedAtS[server]!), RESTED, server)
    }
    for (let to = 0; to < this.#k; to++) this.#send(robot, to)
  }

  #replanIfDue(): void {
    const { replanAt = [], workload } = this.#task
    const share = replanAt[this.#nextReplan]
    if (share === undefined || this.#tally.ended < share * workload.pages) return
    this.#nextReplan++
    this.#placeAnew()
  }

  #placeAnew(): void {
    const before = this.#byHost
    const owners = this.#task.place!({
      fetched: this.#fetched,
      found: this.#found,
      present: this.#present,
      owners: this.#byHost === null ? { byPage: this.#byPage! } : { byHost: this.#byHost },
    })
    this.#setOwners(owners)
    if (before !== null && 'byHost' in owners) this.#tally.moved(before, owners.byHost)
    // Servers that wait go to the robots that own them now.
    for (const server of this.#waiting.takeAll()) this.#offer(server)
  }
}
