/** `minga up --demo`: what is there before the station, and what begins with it. */
import { systemClock } from '@minga/protocol'
import { mmdbPlace, writeMmdb } from '@minga/net'
import { httpApi } from '../api.ts'
import { readyLine } from '../station-address.ts'
import type { LocalStation } from '../station.ts'
import { DemoFolder } from './demo-folder.ts'
import { startDemoWeb, type DemoWeb } from './demo-web.ts'
import { demoWiki } from './demo-wiki.ts'
import { playDemo, type Demo } from './play-demo.ts'

/** Slow enough to watch, fast enough not to bore. */
const DEMO_DELAY_MS = 150

export interface OpenedDemo {
  web: DemoWeb
  places: { geoipFile: string; placesFile: string } | null
  /** Null: only the web is wanted, and it is being collected. */
  begin(station: LocalStation): Promise<Demo | null>
}

/** Before the station: it must know the names of the web, and where its volunteers will be. */
export async function openDemo(part: true | string, data: string): Promise<OpenedDemo> {
  if (part === 'web') {
    const web = await startDemoWeb()
    return { web, places: null, begin: (station) => collectOnly(station, web) }
  }
  const folder = await DemoFolder.open(data)
  const begunAt = folder.begunAt ?? systemClock.now()
  const wiki = demoWiki({ begunAt })
  const web = await startDemoWeb({ wiki, ...(folder.port === null ? {} : { port: folder.port }) })
  await folder.keepStart(begunAt, web.port)
  const geoipFile = await folder.put('countries.mmdb', countriesFile())
  const placesFile = await folder.put('places.txt', placesText())
  const begin = async (station: LocalStation): Promise<Demo> => {
    tellOfIt(web)
    return playDemo({ station, web, folder })
  }
  return { web, places: { geoipFile, placesFile }, begin }
}

async function collectOnly(station: LocalStation, web: DemoWeb): Promise<null> {
  tellOfIt(web)
  const request = { seeds: [web.seed], scope: 'domain', delayMs: DEMO_DELAY_MS }
  await httpApi(station.url, station.apiKey).post('/collections', request)
  process.stderr.write(readyLine(station))
  return null
}

function tellOfIt(web: DemoWeb): void {
  process.stderr.write(
    `minga: the demo web is at ${web.seed} and seven neighbours, all on this machine; for it,\n` +
      'minga: private and loopback addresses will be dialled as long as this station runs\n',
  )
}

// Locations of the demo. All of it is on this machine; the station gets other locations from the two files that
// an operator would give it: countries by address and places by name.

/** Of loopback, and the country that the demo takes it for. Numbers of networks are those kept for examples. */
const NETWORKS = [
  { network: '127.0.0.0/8', country: 'PE', asn: 64_500 },
  { network: '127.51.0.0/16', country: 'PE', asn: 64_501 },
  { network: '127.59.0.0/16', country: 'BO', asn: 64_502 },
  { network: '127.35.0.0/16', country: 'PT', asn: 64_503 },
] as const

/** As `--geoip` reads it. */
export function countriesFile(): Buffer {
  const networks = NETWORKS.map(({ network, country, asn }) => ({
    network,
    record: mmdbPlace(country, asn),
  }))
  return writeMmdb(networks)
}

interface Placed {
  name: string
  lat: number
  lon: number
}

/** The sites of the valley and those who help; sites elsewhere are nearer to some than to others. */
const PLACES: readonly Placed[] = [
  { name: '*.valley.test', lat: -13.52, lon: -71.97 },
  { name: 'library.valley.test', lat: 38.72, lon: -9.14 },
  { name: 'museum.valley.test', lat: 41.15, lon: -8.61 },
  { name: 'radio.valley.test', lat: -16.5, lon: -68.15 },
  { name: 'market.valley.test', lat: -16.4, lon: -71.54 },
  { name: 'local-1', lat: -12.05, lon: -77.04 },
  { name: 'killa-attic', lat: -13.52, lon: -71.97 },
  { name: 'killa-office', lat: -16.5, lon: -68.15 },
  { name: 'joao-porto', lat: 41.15, lon: -8.61 },
]

/** As `--places` reads it. */
export function placesText(): string {
  return PLACES.map(({ name, lat, lon }) => `${name} ${lat} ${lon}\n`).join('')
}
