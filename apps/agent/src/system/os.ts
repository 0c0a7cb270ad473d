/**
 * The one file of the agent in which operating systems differ; `tests/style/portability.test.ts`
 * keeps it so: whether who started us is gone, whether this machine runs on its battery, whether its
 * line is metered, which networks it is part of. Whatever a system does not tell is null, and null
 * never pauses anything.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { endianness, networkInterfaces } from 'node:os'
import { join } from 'node:path'

/**
 * Whether who started us is gone. Asked before every dial: a process that was stopped for a while
 * learns of its parent's death only after it has gone on. POSIX gives an orphan another parent;
 * Windows keeps the old number, so there only the closing of the channel to the parent tells.
 */
export function watchParent(): () => boolean {
  const parentPid = process.ppid
  return () => process.ppid !== parentPid
}

export interface Power {
  isOnBattery: boolean | null
  isMetered: boolean | null
}

/** The outside, so that tests can be on any system. Both give null when there is nothing. */
export interface PowerSource {
  platform: string
  run: (command: string, args: string[]) => Promise<string | null>
  /** The files of each folder below, by name: `{ BAT0: { type: 'Battery', … } }`. */
  readFolders: (path: string, names: string[]) => Promise<Record<string, string>[] | null>
}

/** A question that hangs is given up; the next one comes in half a minute. */
const COMMAND_MS = 5_000

export async function readPower(source: PowerSource = THIS_MACHINE): Promise<Power> {
  switch (source.platform) {
    case 'linux':
    case 'android':
      return { isOnBattery: await linuxBattery(source), isMetered: await linuxMetered(source) }
    case 'darwin':
      // The system tells its programs of low data mode, but no command does.
      return { isOnBattery: await macBattery(source), isMetered: null }
    case 'win32':
      return windowsPower(source)
    default:
      return { isOnBattery: null, isMetered: null }
  }
}

async function linuxBattery({ readFolders }: PowerSource): Promise<boolean | null> {
  const supplies = await readFolders('/sys/class/power_supply', [
    'type',
    'online',
    'status',
    'scope',
  ])
  // A mouse has a battery as well, of scope "Device".
  const own = (supplies ?? []).filter(({ scope }) => scope !== 'Device')
  if (own.some(({ type, online }) => type !== 'Battery' && online === '1')) return false
  const batteries = own.filter(({ type }) => type === 'Battery')
  if (batteries.length === 0) return null
  return batteries.some(({ status }) => status === 'Discharging')
}

/** Each device answers with two lines: its state, `100 (connected)`, and `yes`, `no (guessed)` …. */
async function linuxMetered({ run }: PowerSource): Promise<boolean | null> {
  const text = await run('nmcli', ['-g', 'GENERAL.STATE,GENERAL.METERED', 'device', 'show'])
  if (text === null) return null
  const lines = text.split('\n').filter((line) => line !== '')
  const answers = lines.filter(
    (_, i) => /^100\b/.test(lines[i - 1] ?? '') && /^(yes|no)/.test(lines[i]!),
  )
  return answers.length === 0 ? null : answers.some((answer) => answer.startsWith('yes'))
}

async function macBattery({ run }: PowerSource): Promise<boolean | null> {
  const text = await run('pmset', ['-g', 'batt'])
  const from = /drawing from '([^']+)'/.exec(text ?? '')?.[1]
  return from === undefined ? null : from === 'Battery Power'
}

/** BatteryStatus 1 is "discharging"; no battery gives an empty line. */
const WINDOWS_SCRIPT = `
"battery=" + (Get-CimInstance Win32_Battery | Select-Object -First 1).BatteryStatus
try {
  $null = [Windows.Networking.Connectivity.NetworkInformation,Windows,ContentType=WindowsRuntime]
  $line = [Windows.Networking.Connectivity.NetworkInformation]::GetInternetConnectionProfile()
  "cost=" + $line.GetConnectionCost().NetworkCostType
} catch {}`

async function windowsPower({ run }: PowerSource): Promise<Power> {
  const text = await run('powershell.exe', [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    WINDOWS_SCRIPT,
  ])
  const battery = /^battery=(\d+)/m.exec(text ?? '')?.[1]
  const cost = /^cost=(\w+)/m.exec(text ?? '')?.[1]
  const isKnown = cost !== undefined && cost !== 'Unknown'
  return {
    isOnBattery: battery === undefined ? null : battery === '1',
    isMetered: isKnown ? cost !== 'Unrestricted' : null,
  }
}

const THIS_MACHINE: PowerSource = {
  platform: process.platform,
  run: (command, args) =>
    new Promise<string | null>((resolve) => {
      execFile(command, args, { timeout: COMMAND_MS, windowsHide: true }, (error, stdout) =>
        resolve(error ? null : stdout),
      )
      // Under external permissions this process may start no programs.
    }).catch(() => null),
  readFolders: async (path, names) => {
    const folders = await readdir(path).catch(() => null)
    if (folders === null) return null
    return Promise.all(folders.map((folder) => readFields(join(path, folder), names)))
  },
}

async function readFields(folder: string, names: string[]): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => null)
    if (text !== null) fields[name] = text.trim()
  }
  return fields
}

/** A network that this machine is part of; with all bits of the address, that address alone. */
export interface OwnNetwork {
  address: string
  prefixBits: number
}

/** The outside, so that tests can be in any network. */
export interface NetworkSource {
  platform: string
  /** In which order the kernel writes the bytes of an IPv4 address as one hexadecimal number. */
  endianness: 'LE' | 'BE'
  /** Every address of this machine with the length of its prefix, as in `192.168.1.7/24`. */
  listInterfaces: () => string[]
  /** Null when the file cannot be read. */
  readText: (path: string) => Promise<string | null>
}

/** The networks of all interfaces, and the routers as far as files tell: no program is started for it. */
export async function readNetworks(source: NetworkSource = THIS_NETWORK): Promise<OwnNetwork[]> {
  const networks = source.listInterfaces().map((cidr) => {
    const [address = '', bits = ''] = cidr.split('/')
    return { address, prefixBits: Number(bits) }
  })
  const [ipv4, ipv6] = await Promise.all(
    networkFiles(source.platform).map((file) => source.readText(file)),
  )
  return [...networks, ...ipv4Gateways(ipv4 ?? '', source.endianness), ...ipv6Gateways(ipv6 ?? '')]
}

/**
 * The files that name the routers, which an agent has to be allowed to read. Elsewhere no file names them; a router
 * usually is in the network of an interface.
 */
export function networkFiles(platform: string = process.platform): string[] {
  const hasFiles = platform === 'linux' || platform === 'android'
  return hasFiles ? ['/proc/net/route', '/proc/net/ipv6_route'] : []
}

/** Lines of `Iface Destination Gateway …`, the gateway as one hexadecimal number; 0 means that there is none. */
function ipv4Gateways(text: string, order: 'LE' | 'BE'): OwnNetwork[] {
  return text.split('\n').flatMap((line) => {
    const gateway = line.split(/\s+/)[2] ?? ''
    if (!/^[\dA-F]{8}$/i.test(gateway) || /^0+$/.test(gateway)) return []
    const bytes = [...Buffer.from(gateway, 'hex')]
    const address = (order === 'LE' ? bytes.toReversed() : bytes).join('.')
    return [{ address, prefixBits: 32 }]
  })
}

/** Lines of `destination bits source bits next-hop …` in 32 hexadecimal digits. */
function ipv6Gateways(text: string): OwnNetwork[] {
  return text.split('\n').flatMap((line) => {
    const hop = line.trim().split(/\s+/)[4] ?? ''
    if (!/^[\da-f]{32}$/i.test(hop) || /^0+$/.test(hop)) return []
    return [{ address: hop.match(/.{4}/g)!.join(':'), prefixBits: 128 }]
  })
}

const THIS_NETWORK: NetworkSource = {
  platform: process.platform,
  endianness: endianness(),
  listInterfaces: () => {
    try {
      const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
      return all.map(
        ({ address, cidr, family }) => cidr ?? `${address}/${family === 'IPv6' ? 128 : 32}`,
      )
    } catch {
      // Some versions of Android forbid programs to ask.
      return []
    }
  },
  readText: (path) => readFile(path, 'utf8').catch(() => null),
}
