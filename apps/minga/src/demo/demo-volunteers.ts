/**
 * Volunteers of the demo: agents as processes of their own, enrolled with join tokens of two people's accounts,
 * who call from three countries. They live as long as the station and are lent again at each of its starts.
 */
import { readDeviceFile, type VolunteerLimits } from '@minga/agent'
import { join } from 'node:path'
import { personNamed, type Person } from './demo-people.ts'
import type { DemoStage } from './demo-stage.ts'
import { openLine, type Line } from './line.ts'

interface Volunteer {
  account: string
  /** On the leaderboard. */
  shownAs: string
  devices: readonly { name: string; from: string }[]
}

const VOLUNTEERS: readonly Volunteer[] = [
  {
    account: 'killa',
    shownAs: 'Killa',
    devices: [
      { name: 'killa-attic', from: '127.51.0.1' },
      { name: 'killa-office', from: '127.59.0.1' },
    ],
  },
  { account: 'joao', shownAs: 'João', devices: [{ name: 'joao-porto', from: '127.35.0.1' }] },
]

/** A laptop must stay usable while three agents run, and the demo must also work on battery. */
const LIMITS: Partial<VolunteerLimits> = {
  requestsPerSecond: 5,
  concurrencyMax: 4,
  pauseOnBattery: false,
  pauseOnMetered: false,
}

/** Lines of those who were lent; they close with the station. */
export async function lendMachines(stage: DemoStage): Promise<Line[]> {
  const lines: Line[] = []
  for (const { account, shownAs, devices } of VOLUNTEERS) {
    const person = await personNamed(stage, account, 'volunteer')
    await person.api.post('/me/board-name', { name: shownAs })
    for (const device of devices) lines.push(await lend(stage, person, device))
  }
  return lines
}

async function lend(
  { station, folder }: DemoStage,
  { api }: Person,
  { name, from }: Volunteer['devices'][number],
): Promise<Line> {
  const data = join(folder.path, 'volunteers', name)
  const line = await openLine(station.url, from)
  const isKnown = (await readDeviceFile(data)) !== null
  const { token } = isKnown
    ? { token: undefined }
    : await api.post<{ token: string }>('/join-tokens', {})
  station.startAgent({
    stationUrl: line.url,
    // The line has another port at every start; the folder is the demo's own.
    station: 'demo',
    data,
    name,
    allowPrivateAddresses: true,
    volunteer: { limits: LIMITS },
    ...(token === undefined ? {} : { token }),
  })
  return line
}
