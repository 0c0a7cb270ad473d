// Goal: on every system a battery, a metered line and the machine's own networks are recognised, and
// what is not known never pauses anything. Method: the answers that systems give, replayed; and this machine's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseReason, type PauseFacts } from '../owner/agent-control.ts'
import { readNetworks, readPower, type NetworkSource, type PowerSource } from './os.ts'
import { USUAL_LIMITS } from '../owner/limits/volunteer-limits.ts'

type Supplies = Record<string, string>[]

function machineOf(
  platform: string,
  told: { supplies?: Supplies; commands?: Record<string, string> },
): PowerSource {
  return {
    platform,
    run: async (command) => told.commands?.[command] ?? null,
    readFolders: async () => told.supplies ?? null,
  }
}

const AC_ON = { type: 'Mains', online: '1' }
const AC_OFF = { type: 'Mains', online: '0' }
const FULL = { type: 'Battery', status: 'Full' }
const DRAINING = { type: 'Battery', status: 'Discharging' }
const MOUSE = { type: 'Battery', status: 'Discharging', scope: 'Device' }

for (const [what, supplies, isOnBattery] of [
  ['a laptop at its plug', [AC_ON, FULL], false],
  ['a laptop without its plug', [AC_OFF, DRAINING], true],
  ['a laptop that draws from both', [AC_ON, DRAINING], false],
  ['a desktop with a cordless mouse', [MOUSE], null],
  ['a desktop without anything', [], null],
] as const) {
  test(`on Linux ${what} is taken for what it is`, async () => {
    const power = await readPower(machineOf('linux', { supplies: [...supplies] }))
    assert.deepEqual(power, { isOnBattery, isMetered: null })
  })
}

for (const [what, text, isMetered] of [
  ['a metered phone', '100 (connected)\nyes (guessed)\n\n30 (disconnected)\nunknown\n', true],
  ['a cable', '100 (connected)\nno (guessed)\n\n100 (connected (externally))\nunknown\n', false],
  ['a metered line that is not connected', '30 (disconnected)\nyes\n', null],
] as const) {
  test(`on Linux ${what} is reported by NetworkManager`, async () => {
    const power = await readPower(machineOf('linux', { supplies: [], commands: { nmcli: text } }))
    assert.equal(power.isMetered, isMetered)
  })
}

test('on macOS the source of power is read from pmset', async () => {
  const told = (source: string) =>
    readPower(
      machineOf('darwin', { commands: { pmset: `Now drawing from '${source}'\n -Internal` } }),
    )
  assert.deepEqual(await told('Battery Power'), { isOnBattery: true, isMetered: null })
  assert.deepEqual(await told('AC Power'), { isOnBattery: false, isMetered: null })
})

test('on Windows battery and cost are read from one answer', async () => {
  const told = (text: string) =>
    readPower(machineOf('win32', { commands: { 'powershell.exe': text } }))
  assert.deepEqual(await told('battery=1\r\ncost=Fixed\r\n'), {
    isOnBattery: true,
    isMetered: true,
  })
  assert.deepEqual(await told('battery=2\r\ncost=Unrestricted\r\n'), {
    isOnBattery: false,
    isMetered: false,
  })
  assert.deepEqual(await told('battery=\r\n'), { isOnBattery: null, isMetered: null })
})

for (const platform of ['linux', 'android', 'darwin', 'win32', 'freebsd']) {
  test(`a ${platform} that tells nothing is not paused`, async () => {
    const power = await readPower(machineOf(platform, {}))
    assert.deepEqual(power, { isOnBattery: null, isMetered: null })
    const facts = { isPaused: false, limits: USUAL_LIMITS, now: 0, monthBytes: 0 }
    assert.equal(pauseReason({ ...facts, power }), null)
  })
}

test('this machine answers something, and quickly', async () => {
  const { isOnBattery, isMetered } = await readPower()
  for (const answer of [isOnBattery, isMetered]) {
    assert.ok(answer === null || typeof answer === 'boolean')
  }
})

test('each reason for a pause has its condition and a sentence with what ends it', () => {
  const power = { isOnBattery: true, isMetered: true }
  const limits = { ...USUAL_LIMITS, hours: '22:00-23:00', bytesPerMonth: 100 }
  const noon = new Date(2026, 1, 10, 12).getTime()
  let facts: PauseFacts = { isPaused: true, limits, now: noon, monthBytes: 100, power }
  const told: string[] = []
  const tell = (): void => {
    const reason = pauseReason(facts)
    told.push(reason?.condition ?? 'none')
    if (reason) assert.match(reason.why, /goes on .*\.$/)
  }
  tell()
  facts = { ...facts, isPaused: false }
  tell()
  assert.match(pauseReason(facts)!.why, /at 22:00\.$/)
  facts = { ...facts, limits: { ...limits, hours: null } }
  tell()
  facts = { ...facts, monthBytes: 99 }
  tell()
  facts = { ...facts, limits: { ...facts.limits, pauseOnBattery: false } }
  tell()
  facts = { ...facts, limits: { ...facts.limits, pauseOnMetered: false } }
  tell()
  assert.deepEqual(told, [
    'paused-by-owner',
    'outside-hours',
    'month-used-up',
    'on-battery',
    'on-metered-line',
    'none',
  ])
})

const ROUTES: Record<string, string> = {
  '/proc/net/route': `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU
wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0
wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0
`,
  '/proc/net/ipv6_route': `fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 3ffe00010002000300000000000000fe 00000400 00000003 00000000 00000003     eth0
`,
}

function networkOf(platform: string, files = ROUTES): NetworkSource {
  return {
    platform,
    endianness: 'LE',
    listInterfaces: () => ['192.168.1.7/24', '3ffe:1:2:3::7/64'],
    readText: async (path) => files[path] ?? null,
  }
}

const INTERFACES = [
  { address: '192.168.1.7', prefixBits: 24 },
  { address: '3ffe:1:2:3::7', prefixBits: 64 },
]

test('on Linux the networks of a machine are those of its interfaces, and its routers', async () => {
  const gateways = [
    { address: '192.168.1.1', prefixBits: 32 },
    { address: '3ffe:0001:0002:0003:0000:0000:0000:00fe', prefixBits: 128 },
  ]
  assert.deepEqual(await readNetworks(networkOf('linux')), [...INTERFACES, ...gateways])
  assert.deepEqual(await readNetworks(networkOf('linux', {})), INTERFACES, 'without /proc')
})

test('on other systems the networks of the interfaces are known', async () => {
  for (const platform of ['darwin', 'win32', 'freebsd']) {
    assert.deepEqual(await readNetworks(networkOf(platform)), INTERFACES)
  }
  const here = await readNetworks()
  assert.ok(here.some(({ address, prefixBits }) => address === '127.0.0.1' && prefixBits === 8))
})
