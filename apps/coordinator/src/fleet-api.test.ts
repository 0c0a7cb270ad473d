// Goal: the page and the command line read what the store really answers. Method: the two descriptions
// are laid over each other, which the type checker does; one whole answer is compared field by field.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  Account,
  ApiKey,
  DetailView,
  Flag,
  JoinTokenView,
  Leader,
  StatementLine,
} from '@minga/fleet'
import type {
  AccountView,
  CategoryView,
  DeviceRequestRow,
  DeviceRow,
  FlagView,
  JoinTokenRow,
  KeyView,
  LeaderRow,
  LoadTestReport,
  LoadTestView,
  Me,
  MonitorReport,
  MonitorView,
  QuotaView,
  StatementRow,
  TrustLogRow,
} from '@minga/protocol'
import type { Category } from './clients/abuse/host-lists.ts'
import { openPeople } from '../test/accounts/people-fixture.ts'
import type { SeenDevice } from './agents/seen-devices.ts'
import type {
  LoadTestReport as OwnLoadTestReport,
  LoadTestView as OwnLoadTestView,
} from './site-services/load-tests/load-test-views.ts'
import type {
  MonitorReport as OwnMonitorReport,
  MonitorView as OwnMonitorView,
} from './site-services/neutrality/monitors.ts'
import type { DeviceTrust } from './agents/trust/deliveries.ts'

interface Stored {
  account: Account
  category: Category
  detail: DetailView
  device: SeenDevice
  flag: Flag
  key: ApiKey
  leader: Leader
  line: StatementLine
  loadReport: OwnLoadTestReport
  loadTest: OwnLoadTestView
  log: DeviceTrust['log'][number]
  monitor: OwnMonitorView
  monitorReport: OwnMonitorReport
  token: JoinTokenView
}

interface Told {
  account: AccountView
  category: CategoryView
  detail: DeviceRequestRow
  device: DeviceRow
  flag: FlagView
  key: KeyView
  leader: LeaderRow
  line: StatementRow
  loadReport: LoadTestReport
  loadTest: LoadTestView
  log: TrustLogRow
  monitor: MonitorView
  monitorReport: MonitorReport
  token: JoinTokenRow
}

/** Does not compile when the store returns less than, or something other than, what is sent. */
const told = (stored: Stored): Told => stored

test('callers get their rights and the name they chose for the leaderboard', async () => {
  const people = await openPeople()
  const { id, token } = await people.person('ana', 'volunteer')
  await people.ok(token, 'POST', '/me/board-name', { name: 'Ana of the hills' })
  const me = await people.ok<Me>(token, 'GET', '/me')
  assert.deepEqual(Object.keys(me).toSorted(), ['account', 'actions', 'boardName', 'email', 'via'])
  assert.equal(me.account.id, id)
  assert.equal(me.boardName, 'Ana of the hills')
  assert.ok(me.actions.includes('devices:read') && !me.actions.includes('devices:judge'))
  assert.equal(typeof told, 'function')
})

test('a quota that was never set has no limits, one that was set says what is left', async () => {
  const people = await openPeople()
  const { id, token } = await people.person('cliff', 'client')
  const none: QuotaView = { openMax: null, dayMax: null, open: 0, usedToday: 0 }
  assert.deepEqual(await people.ok(token, 'GET', '/quota'), none)
  const operator = await people.person('otto', 'operator')
  const limits = { openMax: 5, dayMax: 50 }
  await people.ok(operator.token, 'POST', `/accounts/${id}/quota`, limits)
  await people.ok(operator.token, 'POST', `/accounts/${id}/top-up`, { micros: 1_000_000 })
  const urls = ['http://a.test/1', 'http://a.test/2']
  await people.ok(token, 'POST', '/batches', { urls })
  const used: QuotaView = { ...limits, open: 2, usedToday: 2 }
  assert.deepEqual(await people.ok(token, 'GET', '/quota'), used)
  assert.deepEqual(await people.ok(operator.token, 'GET', `/quota?account=${id}`), used)
  // Others' accounts are not theirs to name.
  assert.deepEqual(await people.ok(token, 'GET', `/quota?account=${operator.id}`), used)
})
